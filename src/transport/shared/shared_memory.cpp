// Ranks that are processes of one machine: one segment per rank, all of them in one file that every rank maps once.
// segment_file.hpp says what is behind it.
//
// A full machine or a full /dev/shm is an error here and not a SIGBUS later, and nothing is left behind however the
// program ends: names are removed as soon as all have mapped the segments.
#include <fmt/format.h>

#include <array>
#include <exception>
#include <numeric>
#include <optional>

#include "shardfft/error.hpp"
#include "support/comm/agree.hpp"
#include "support/memory/round_up.hpp"
#include "transport/registered.hpp"
#include "transport/shared/mapping.hpp"
#include "transport/shared/segment_file.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {
namespace {

/// The segments of all ranks, one after the other in one mapping.
class SharedSegments final : public Segments {
 public:
  SharedSegments(Mapping whole, std::vector<Mapping> parts, std::vector<ProcessId> processes)
      : whole_(std::move(whole)), parts_(std::move(parts)), processes_(std::move(processes)) {}
  const Mapping& of(int rank) const override { return parts_[static_cast<std::size_t>(rank)]; }
  std::string what_ended(int rank) const override {
    const ProcessId& process = processes_[static_cast<std::size_t>(rank)];
    return process.pid == 0 || is_alive(process) ? std::string() : fmt::format("its process {} has ended", process.pid);
  }

 private:
  Mapping whole_;
  std::vector<Mapping> parts_;
  std::vector<ProcessId> processes_;
};

/// What a rank tells the others of its node; the first one offers the file.
struct SegmentOffer {
  Index bytes = 0;
  ProcessId process{};
  FileOffer file{};
};

/// Offsets of the segments in the file.
struct Places {
  explicit Places(const std::vector<SegmentOffer>& offers) {
    for (const SegmentOffer& offer : offers) {
      at.push_back(round_up(end, offer.bytes >= huge_page ? huge_page : small_page));
      end = round_up(at.back() + offer.bytes, small_page);
    }
  }
  std::vector<Index> at{};
  Index end = 0;
};

void require_memory(const std::vector<SegmentOffer>& offers) {
  const Index needed = std::accumulate(offers.begin(), offers.end(), Index{0},
                                       [](Index sum, const SegmentOffer& offer) { return sum + offer.bytes; });
  if (needed > memory_of_machine())
    throw Error(
        Status::out_of_memory,
        fmt::format(
            "shared memory: the ranks of this node need {} bytes, and it has {}; use more nodes or a smaller array",
            needed, memory_of_machine()));
}

/// Ranks whose processes can be watched; others have the number 0.
std::vector<ProcessId> watched(const std::vector<SegmentOffer>& offers) {
  const ProcessId me = this_process();
  std::vector<ProcessId> all;
  for (const SegmentOffer& offer : offers) all.push_back(can_see(me, offer.process) ? offer.process : ProcessId{});
  return all;
}

enum class FileKind { unnamed, named };

/// Maps the file that the first rank offers.
class FileMapper {
 public:
  FileMapper(const std::vector<SegmentOffer>& offers, int me, FileKind kind)
      : offers_(offers),
        places_(offers),
        me_(static_cast<std::size_t>(me)),
        kind_(kind),
        file_(opened(offers[0].file)),
        processes_(watched(offers)) {}

  [[nodiscard]] std::unique_ptr<Segments> inboxes(Index array_bytes) const {
    lengthen(file_, arrays_at() + array_bytes * static_cast<Index>(offers_.size()));
    if (kind_ == FileKind::named) reserve(file_, places_.at[me_], offers_[me_].bytes);
    Mapping whole(places_.end, file_.get());
    std::vector<Mapping> parts;
    for (std::size_t r = 0; r < offers_.size(); ++r)
      parts.push_back(whole.part(places_.at[r], round_up(offers_[r].bytes, small_page)));
    return std::make_unique<SharedSegments>(std::move(whole), std::move(parts), processes_);
  }

  [[nodiscard]] std::unique_ptr<Segments> arrays(Index bytes) const {
    Mapping whole(bytes * static_cast<Index>(offers_.size()), file_.get(), /*sparse=*/true, arrays_at());
    std::vector<Mapping> parts;
    for (std::size_t r = 0; r < offers_.size(); ++r) parts.push_back(whole.part(bytes * static_cast<Index>(r), bytes));
    return std::make_unique<SharedSegments>(std::move(whole), std::move(parts), processes_);
  }

 private:
  [[nodiscard]] Index arrays_at() const { return round_up(places_.end, huge_page); }

  const std::vector<SegmentOffer>& offers_;
  Places places_;
  std::size_t me_;
  FileKind kind_;
  File file_;
  std::vector<ProcessId> processes_;
};

// Arrays are a gain that a plan can do without. They need pages that are not reserved.
MadeSegments mapped_by_all(const Comm& comm, const SegmentBytes& bytes, FileKind kind, const FillInbox& fill) {
  std::optional<SegmentFile> file;
  std::exception_ptr failed;
  SegmentOffer mine{.bytes = bytes.inbox, .process = this_process()};
  if (comm.rank() == 0) try {
      file.emplace(kind == FileKind::named ? SegmentFile::named() : SegmentFile::unnamed());
      mine.file = file->offer();
    } catch (...) { failed = std::current_exception(); }
  std::vector<SegmentOffer> offers(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(offers)));
  MadeSegments made;
  std::array<std::int64_t, 1> lacks_arrays{};
  collectively(comm, lacks_arrays, [&] {
    if (failed) std::rethrow_exception(failed);
    if (kind == FileKind::unnamed) require_unreserved_pages();
    if (offers[0].file.descriptor < 0) return;  // of which the first rank tells
    require_memory(offers);
    const FileMapper mapper(offers, comm.rank(), kind);
    const Index array_bytes = kind == FileKind::unnamed ? bytes.arrays : 0;
    made.inboxes = mapper.inboxes(array_bytes);
    fill(made.inboxes->of(comm.rank()).data());
    try {
      if (array_bytes > 0) made.arrays = mapper.arrays(array_bytes);
    } catch (const Error&) { lacks_arrays[0] = 1; }
  });
  if (lacks_arrays[0] != 0) made.arrays.reset();
  return made;
}

}  // namespace

MadeSegments make_shared_segments(const Comm& comm, const SegmentBytes& bytes, const FillInbox& fill) {
  try {
    return mapped_by_all(comm, bytes, FileKind::unnamed, fill);
  } catch (const Error& e) {  // on all ranks alike
    if (e.status() == Status::out_of_memory) throw;
    return mapped_by_all(comm, bytes, FileKind::named, fill);
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
