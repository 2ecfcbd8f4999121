// The file in memory behind a segment that other processes of this machine map.
//
// Best is a file without a name (memfd): no limit but the machine's memory holds for it, so its pages need not be
// reserved ahead, and nothing of it can be left behind. The others reach it through /proc/PID/fd, which takes the same
// user and the same view of processes. Where that fails, a named file in /dev/shm serves (POSIX shared memory). That
// file system has a limit of its own, and a page beyond it is a SIGBUS when it is touched; so there all pages are
// reserved at once.
#pragma once

#include <array>

#include "shardfft/box.hpp"
#include "support/comm/process.hpp"
#include "support/handle.hpp"

namespace shardfft {

void close_descriptor(int descriptor);
using File = Handle<int, close_descriptor, -1>;

/// What a rank tells the others about its file.
struct FileOffer {
  std::array<char, 48> name{};          ///< in /dev/shm; empty for a file without a name
  std::int64_t device = 0, number = 0;  ///< as stat() tells them
  int descriptor = -1;                  ///< of the process that made it
  Index bytes = 0;
  ProcessId process{};
};

class SegmentFile {
 public:
  /// Its pages are taken when they are touched. Throws Error(unsupported) where the system cannot promise them without
  /// reserving (strict overcommit).
  ///
  /// For tests: SHARDFFT_SHM_LIMIT=BYTES, the space that this rank finds in /dev/shm, makes files without a name
  /// unsupported.
  [[nodiscard]] static SegmentFile unnamed(Index bytes);
  /// All its pages are there, on the memory next to this core. Throws Error(out_of_memory) when /dev/shm has too little
  /// room.
  [[nodiscard]] static SegmentFile named(Index bytes);

  SegmentFile(SegmentFile&&) noexcept = default;
  SegmentFile& operator=(SegmentFile&&) = delete;
  /// Mappings of the file stay; a name goes.
  ~SegmentFile();

  [[nodiscard]] const FileOffer& offer() const { return offer_; }
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  SegmentFile(File file, Index bytes);

  File file_;
  FileOffer offer_;
};

/// The file of another process. Throws Error(unsupported) when this one cannot reach it.
[[nodiscard]] File opened(const FileOffer& offer);

/// Memory of this machine, used or not, in bytes.
[[nodiscard]] Index memory_of_machine();

}  // namespace shardfft
