// Ranks that are threads of one process.
#include <fmt/format.h>

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

std::unique_ptr<Segments> make_segments(const Comm& comm, Index bytes, SegmentUse use) {
  Shared mine;
  collectively(comm, [&] { mine = std::make_shared<Mapping>(bytes, -1, use == SegmentUse::arrays); });
  std::vector<Shared> all;
  for (const auto& segment : shared_by_all(comm, mine)) all.push_back(std::static_pointer_cast<const Mapping>(segment));
  return std::make_unique<ThreadSegments>(std::move(all));
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
