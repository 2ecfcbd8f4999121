// Ranks that are processes of one machine: one segment per rank, which all of them map. segment_file.hpp says what is
// behind it.
//
// A full machine or a full /dev/shm is an error here and not a SIGBUS later, and nothing is left behind however the
// program ends: names are removed as soon as all have mapped the segments.
#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "transport/registered.hpp"
#include "transport/shared/mapping.hpp"
#include "transport/shared/segment_file.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {
namespace {

class SharedSegments final : public Segments {
 public:
  SharedSegments(std::vector<Mapping> segments, const std::vector<FileOffer>& offers) : segments_(std::move(segments)) {
    // A process that cannot be seen now (its numbers are those of another container) is not watched.
    for (const FileOffer& offer : offers) processes_.push_back(is_alive(offer.process) ? offer.process : ProcessId{});
  }
  const Mapping& of(int rank) const override { return segments_[static_cast<std::size_t>(rank)]; }
  std::string what_ended(int rank) const override {
    const ProcessId& process = processes_[static_cast<std::size_t>(rank)];
    return process.pid == 0 || is_alive(process) ? std::string() : fmt::format("its process {} has ended", process.pid);
  }

 private:
  std::vector<Mapping> segments_;
  std::vector<ProcessId> processes_;
};

void require_memory(const std::vector<FileOffer>& offers) {
  const Index needed = std::accumulate(offers.begin(), offers.end(), Index{0},
                                       [](Index sum, const FileOffer& offer) { return sum + offer.bytes; });
  if (needed > memory_of_machine())
    throw Error(
        Status::out_of_memory,
        fmt::format(
            "shared memory: the ranks of this node need {} bytes, and it has {}; use more nodes or a smaller array",
            needed, memory_of_machine()));
}

std::unique_ptr<Segments> mapped_by_all(const Comm& comm, Index bytes, SegmentFile (*make)(Index), SegmentUse use) {
  std::optional<SegmentFile> mine;
  collectively(comm, [&] { mine.emplace(make(bytes)); });
  std::vector<FileOffer> offers(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine->offer(), 1)), std::as_writable_bytes(std::span(offers)));
  std::vector<Mapping> segments(offers.size());
  const bool sparse = use == SegmentUse::arrays;
  collectively(comm, [&] {
    if (!sparse) require_memory(offers);
    for (std::size_t r = 0; r < offers.size(); ++r)
      segments[r] = static_cast<int>(r) == comm.rank() ? Mapping(bytes, mine->descriptor(), sparse)
                                                       : Mapping(offers[r].bytes, opened(offers[r]).get(), sparse);
  });
  return std::make_unique<SharedSegments>(std::move(segments), offers);
}

}  // namespace

std::unique_ptr<Segments> make_shared_segments(const Comm& comm, Index bytes, SegmentUse use) {
  try {
    return mapped_by_all(comm, bytes, SegmentFile::unnamed, use);
  } catch (const Error& e) {  // on all ranks alike
    if (e.status() == Status::out_of_memory || use == SegmentUse::arrays) throw;
    return mapped_by_all(comm, bytes, SegmentFile::named, use);
  }
}

namespace {

struct SharedMemory final : Transport {
  std::string_view name() const override { return "shared_memory"; }
  StoreReach store_reach() const override { return StoreReach::all; }
  std::string refuses(const Comm& comm) const override {
    if (comm.kind() == "threads" || comm.kind() == "local" || comm.kind() == "dry_run")
      return fmt::format("serves ranks that are processes, but the group is of kind {}", comm.kind());
    if (comm.nodes() > 1) return fmt::format("serves ranks of one node, but the group is on {} nodes", comm.nodes());
    return {};
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override {
    return open_shared_segment(name(), comm, traffic, make_shared_segments);
  }
};

}  // namespace

const Transport& shared_memory_transport() {
  static const SharedMemory transport;
  return transport;
}

}  // namespace shardfft
