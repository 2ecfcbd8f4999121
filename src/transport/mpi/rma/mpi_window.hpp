// Memory that other ranks put into.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "transport/mpi/mpi_remains.hpp"

namespace shardfft {

/// An MPI window under one shared lock of all ranks for its whole life: puts need no call of the target, and become
/// visible to it with sync() once it has been told, by a message, that they were flushed. That holds for both memory
/// models of MPI (3.1, 11.7 rule 6), as long as the owner never stores into its window.
class MpiWindow {
 public:
  /// Collective. `bytes` of this rank. A few numbers are put around to see whether all this works here; where it does
  /// not, throws the same Error(unsupported) on all ranks.
  MpiWindow(const Comm& group, MPI_Comm comm, Index bytes);
  MpiWindow(const MpiWindow&) = delete;
  /// Gives it up, without waiting. MPI frees a window when all ranks do: mpi_remains.hpp, or MPI_Finalize.
  ~MpiWindow();

  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] Index bytes() const { return bytes_; }
  /// `request` is complete when `from` may be written again. At most 2^30 bytes.
  void put(const std::byte* from, Index bytes, int rank, Index at, MPI_Request* request) const;
  /// Until everything that was put there is there.
  void flush(int rank) const;
  /// From now on this rank sees what was flushed before it was told.
  void sync() const;

 private:
  void make();
  void note() const;
  void put_words(const Comm& group) const;
  void find_words(const Comm& group) const;

  MpiNumber number_;
  int ranks_;
  MPI_Comm comm_;
  Index bytes_;
  MPI_Win win_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
};

}  // namespace shardfft
