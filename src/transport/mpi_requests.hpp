// MPI requests that are started together, and how far they are.
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
  /// Persistent requests, active or not, and places for others, null or active; none may be added once the first was started.
  std::vector<MPI_Request> all;

  /// All of them, which are persistent.
  void start() {
    for (MPI_Request& request : all) {
      check_mpi(MPI_Start(&request), "MPI_Start");
      started(1);
    }
  }
  void started(std::size_t n) { active_ += n; }
  [[nodiscard]] bool idle() const { return active_ == 0; }

  /// Lets MPI work, without waiting; done(number of the request, its status) for each that is complete now.
  template <class Done>
  void test(Done done) {
    if (active_ == 0) return;
    reserve();  // allocates only where nobody did it ahead
    int n = 0;
    check_mpi(MPI_Testsome(static_cast<int>(all.size()), all.data(), &n, done_.data(), statuses_.data()), "MPI_Testsome");
    if (n == MPI_UNDEFINED) return;
    active_ -= static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) done(static_cast<std::size_t>(done_[i]), statuses_[i]);
  }
  void test() {
    test([](std::size_t, const MPI_Status&) {});
  }
  /// Until idle, leaving the core to others: some MPIs never do, and the awaited rank may need it.
  void finish(bool may_sleep) {
    Patience patience(may_sleep);
    for (test(); !idle(); test()) {
      help_all();
      patience.pause();
    }
  }
  void reserve() {
    done_.resize(all.size());
    statuses_.resize(all.size());
  }

  /// Gives up what is under way. Receives that never came (a run broke off) are cancelled: MPI must not write to the memory any more.
  void free(bool receives) {
    for (MPI_Request& request : all) {
      int done = 1;
      if (receives && !idle() && MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    active_ = 0;
  }

 private:
  std::size_t active_ = 0;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace shardfft
