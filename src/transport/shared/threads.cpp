// Ranks that are threads of one process.
#include <fmt/format.h>

#include <array>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/comm/comm_threads.hpp"
#include "transport/registered.hpp"
#include "transport/shared/mapping.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {
namespace {

using Shared = std::shared_ptr<const Mapping>;

/// Ranks hold each other's segments, so that a rank that leaves early pulls no memory from under the others.
class ThreadSegments final : public Segments {
 public:
  explicit ThreadSegments(std::vector<Shared> segments) : segments_(std::move(segments)) {}
  const Mapping& of(int rank) const override { return *segments_[static_cast<std::size_t>(rank)]; }
  std::string what_ended(int) const override { return {}; }  // check_peers() knows

 private:
  std::vector<Shared> segments_;
};

std::unique_ptr<Segments> segments_of_all(const Comm& comm, const Shared& mine) {
  std::vector<Shared> all;
  for (const auto& segment : shared_by_all(comm, mine)) all.push_back(std::static_pointer_cast<const Mapping>(segment));
  return std::make_unique<ThreadSegments>(std::move(all));
}

// Arrays are a gain that a plan can do without.
MadeSegments make_segments(const Comm& comm, const SegmentBytes& bytes, const FillInbox& fill) {
  Shared inbox, arrays;
  std::array<std::int64_t, 1> lacks_arrays{bytes.arrays == 0};
  collectively(comm, lacks_arrays, [&] {
    auto mine = std::make_shared<Mapping>(bytes.inbox, -1);
    fill(mine->data());
    inbox = std::move(mine);
    try {
      if (bytes.arrays > 0) arrays = std::make_shared<Mapping>(bytes.arrays, -1, /*sparse=*/true);
    } catch (const Error&) { lacks_arrays[0] = 1; }
  });
  MadeSegments made{.inboxes = segments_of_all(comm, inbox)};
  if (lacks_arrays[0] == 0) made.arrays = segments_of_all(comm, arrays);
  return made;
}

struct Threads final : Transport {
  std::string_view name() const override { return "threads"; }
  StoreReach store_reach() const override { return StoreReach::all; }
  std::string refuses(const Comm& comm) const override {
    if (comm.kind() == "threads" || comm.kind() == "local") return {};
    return fmt::format("serves ranks that are threads of one process, but the group is of kind {}", comm.kind());
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return open_shared_segment(name(), comm, traffic, make_segments);
  }
};

}  // namespace

const Transport& threads_transport() {
  static const Threads transport;
  return transport;
}

}  // namespace shardfft
