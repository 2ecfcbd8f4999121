// What a process shows of its device to other processes, kept until they have closed it: CUDA leaves it undefined what
// becomes of memory that is freed, or of an event that is destroyed, while another process has it open. But a rank ends
// its channel when it likes, and must not wait for others there.
#pragma once

#include <cstddef>
#include <memory>

#include "shardfft/comm.hpp"
#include "transport/shared/shared_segment.hpp"

namespace shardfft {

class InboxKeeper {
 public:
  /// Collective, of processes of one node. `mine`: what the others open. Throws the same Error on all ranks,
  /// Error(unsupported) where they cannot map each other's memory.
  InboxKeeper(const Comm& comm, std::shared_ptr<const void> mine);
  InboxKeeper(const InboxKeeper&) = delete;
  InboxKeeper& operator=(const InboxKeeper&) = delete;
  /// When this rank has closed what the others show. Lets go of `mine`: now, if all others have closed it or ended,
  /// else as soon as a keeper of this process is made or ends and finds that they have. What is left when the process
  /// ends goes with the process.
  ~InboxKeeper();

 private:
  std::shared_ptr<const void> mine_;
  std::shared_ptr<const Segments>
      words_{};  ///< of each rank: one word for every rank, not 0 when that one has closed what is shown
  int me_, ranks_;
};

/// How many things this process keeps for others behind their keepers.
[[nodiscard]] std::size_t kept_for_others();

}  // namespace shardfft
