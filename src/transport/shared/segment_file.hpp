// The file in memory behind the segments of a node's ranks. One of them makes it, all map it.
//
// Best is a file without a name (memfd): no limit but the machine's memory holds for it, so its pages need not be
// reserved ahead, and nothing of it can be left behind. The others reach it through /proc/PID/fd, which takes the same
// user and the same view of processes. Where that fails, a named file in /dev/shm serves (POSIX shared memory). That
// file system has a limit of its own, and a page beyond it is a SIGBUS when it is touched; so there each rank reserves
// its pages at once.
#pragma once

#include <array>

#include "shardfft/box.hpp"
#include "support/comm/process.hpp"
#include "support/handle.hpp"

namespace shardfft {

void close_descriptor(int descriptor);
using File = Handle<int, close_descriptor, -1>;

/// What the rank that makes the file tells the others.
struct FileOffer {
  std::array<char, 48> name{};          ///< in /dev/shm; empty for a file without a name
  std::int64_t device = 0, number = 0;  ///< as stat() tells them
  int descriptor = -1;                  ///< of the process that made it; -1: there is no file
  ProcessId process{};
};

/// Throws Error(unsupported) on a rank that cannot do with pages that are taken when they are touched: where the system
/// does not promise them without reserving (strict overcommit).
///
/// For tests: SHARDFFT_SHM_LIMIT=BYTES, the space that this rank finds in /dev/shm, makes files without a name
/// unsupported.
void require_unreserved_pages();

/// An empty file.
class SegmentFile {
 public:
  [[nodiscard]] static SegmentFile unnamed();
  [[nodiscard]] static SegmentFile named();

  SegmentFile(SegmentFile&&) noexcept = default;
  SegmentFile& operator=(SegmentFile&&) = delete;
  /// Mappings of the file stay; a name goes.
  ~SegmentFile();

  [[nodiscard]] const FileOffer& offer() const { return offer_; }
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  explicit SegmentFile(File file);

  File file_;
  FileOffer offer_;
};

/// The file of another process. Throws Error(unsupported) when this one cannot reach it.
[[nodiscard]] File opened(const FileOffer& offer);
/// Makes the file this long. Each rank does that, to the same length.
void lengthen(const File& file, Index bytes);
/// Takes the pages of a part of the file now, on the memory next to this core. Throws Error(out_of_memory) when
/// /dev/shm has too little room.
void reserve(const File& file, Index from, Index bytes);

/// Memory of this machine, used or not, in bytes.
[[nodiscard]] Index memory_of_machine();

}  // namespace shardfft
