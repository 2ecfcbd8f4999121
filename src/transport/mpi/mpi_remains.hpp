// What is left of channels and windows that this rank has given up, until all their ranks have.
//
// MPI frees a window, and a communicator on which a run broke off, only with all ranks. A rank that destroys a plan
// waits for none: it leaves them behind, and they are freed when the same ranks meet to make their next channel.
#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Identifies something that several ranks share. All of them see one number and one order, whichever thread made it.
struct MpiNumber {
  std::int64_t maker = 0,
               count = 0;  ///< rank 0 of the group, by its number in MPI_COMM_WORLD, and how many it had made
  auto operator<=>(const MpiNumber&) const = default;
};

/// Nonblocking collective calls that a rank has begun on a communicator.
struct MpiCalls {
  std::int64_t count = 0;
  std::int64_t doubles = 0;  ///< how many the last one sums; 0: it gathers a byte of each rank
};

class MpiRemains {
 public:
  MpiRemains() = default;
  MpiRemains(const MpiRemains&) = delete;
  virtual ~MpiRemains() = default;
  [[nodiscard]] virtual MpiCalls calls() const { return {}; }
  /// Whether nothing will happen there any more: then this rank frees it alone. Lets MPI work, without waiting.
  [[nodiscard]] virtual bool is_over() { return false; }
  /// Collective. `least`, `most`: calls of the ranks that have begun the fewest and the most.
  virtual void free_together(const MpiCalls& least, const MpiCalls& most) = 0;
};

/// Collective. Frees what all ranks of the group have left behind; returns the number of what they make next.
[[nodiscard]] MpiNumber meet(const Comm& group);
/// Does not wait. `ranks`: how many have it.
void leave_behind(const MpiNumber& number, int ranks, std::unique_ptr<MpiRemains> remains);
/// What MPI may read and write for ever, because it failed.
void keep_for_ever(std::shared_ptr<const void> memory);
/// The number of groups of which this rank has left something behind; for tests.
[[nodiscard]] std::size_t left_behind();

/// Requests for which nobody waits any more, and the memory that MPI reads and writes until they end.
struct MpiLeftovers {
  std::vector<MPI_Request> sends{}, receives{};  ///< active
  std::vector<std::shared_ptr<const void>> memory{};

  /// Receives that nobody will send for end, too.
  void cancel();
  /// True when all have ended; then the memory is let go. Lets MPI work, without waiting.
  [[nodiscard]] bool ended();
};

}  // namespace shardfft
