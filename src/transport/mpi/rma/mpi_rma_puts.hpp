// The writer's side of a round of one-sided messages (mpi_rma.cpp): which are put when, and telling the readers that
// they are there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transport/arrivals.hpp"
#include "transport/buffers.hpp"
#include "transport/mpi/mpi_remains.hpp"
#include "transport/mpi/mpi_requests.hpp"
#include "transport/mpi/rma/mpi_window.hpp"

namespace shardfft {

/// What the writer says about a message that is there.
struct RmaNotice {
  std::int64_t use = 0, bytes = 0;
};

/// In the order of chunks, those of a chunk around the ring of ranks.
class RmaPuts {
 public:
  /// `targets`: where the messages out go in the windows of their readers.
  RmaPuts(const Traffic& traffic, std::size_t round, const MessageBuffers& buffers, std::span<const Index> targets,
          int me, int ranks);
  /// `tag`: of the notices.
  void make_requests(MPI_Comm comm, int tag);

  /// A new use of the round, once the last one is all_there().
  void begin(std::int64_t use);
  /// Those of `chunk` and of the chunks before it are stored, and may be put.
  void allow(int chunk) { given_ = end_of_chunk_[static_cast<std::size_t>(chunk)]; }
  /// Begins the next puts of those that may be, tells of those that are there. Does not wait, but for the flush of what
  /// has left. `memory`: where the send buffers are.
  void advance(const MpiWindow& window, const std::byte* memory, const MessageSizes& sizes);
  [[nodiscard]] bool all_there() const { return finished_ == puts_.size() && told_.idle(); }

  /// For a run that broke off: whether MPI is still reading the send buffers, after it was let work.
  [[nodiscard]] bool still_reads() {
    data_.test();
    return !data_.idle();
  }
  void give_up(MpiLeftovers& left) {
    told_.give_up(left.sends);
    data_.give_up(left.sends);
  }

 private:
  struct Put {
    std::size_t message = 0;
    int peer = 0, chunk = 0;
    Index from = 0, at = 0;  ///< in the memory of the send buffers, in the window of the peer
    Index most = 0;          ///< bytes
  };
  void put_some(const MpiWindow& window, const std::byte* memory, const MessageSizes& sizes);
  void tell(const MpiWindow& window, const MessageSizes& sizes);

  std::vector<Put> puts_;
  std::vector<std::size_t> end_of_chunk_;  ///< in puts
  std::vector<RmaNotice> notices_;         ///< of each put
  MpiRequests told_, data_;
  std::size_t given_ = 0, begun_ = 0, finished_ = 0;  ///< puts that may be begun, are under way or more, are there
  std::int64_t use_ = 0;
};

}  // namespace shardfft
