// The MPI requests of one round, and how far they are.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <span>
#include <vector>

#include "support/comm_mpi.hpp"
#include "support/patience.hpp"

namespace shardfft {

/// Whether this node has more ranks than cores. Only there a rank that waits for MPI should sleep: elsewhere that would only slow down MPI's own work.
[[nodiscard]] inline bool is_crowded(const Comm& comm) {
  int ranks_here = 0;
  for (int r = 0; r < comm.size(); ++r) ranks_here += comm.node(r) == comm.node(comm.rank());
  return ranks_here > sysconf(_SC_NPROCESSORS_ONLN);
}

class MpiRequests {
 public:
  /// All requests of the round, active or not; none may be added once the first was started.
  std::vector<MPI_Request> all;

  void started(std::size_t n) { active_ += n; }
  [[nodiscard]] bool idle() const { return active_ == 0; }

  /// Lets MPI work, without waiting.
  void test() {
    if (active_ == 0) return;
    done_.resize(all.size());  // allocates the first time only; reserve() does it ahead
    int n = 0;
    check_mpi(MPI_Testsome(static_cast<int>(all.size()), all.data(), &n, done_.data(), MPI_STATUSES_IGNORE), "MPI_Testsome");
    if (n != MPI_UNDEFINED) active_ -= static_cast<std::size_t>(n);
  }
  /// Until idle, leaving the core to others: some MPIs never do, and the awaited rank may need it.
  void finish(bool may_sleep) {
    Patience patience(may_sleep);
    for (test(); !idle(); test()) patience.pause();
  }
  void reserve() { done_.resize(all.size()); }

 private:
  std::size_t active_ = 0;
  std::vector<int> done_;
};

}  // namespace shardfft
