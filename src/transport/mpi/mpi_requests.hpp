// MPI requests that are started together, and how far they are.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "support/comm/backoff.hpp"
#include "support/comm/comm_mpi.hpp"

namespace shardfft {

/// Whether this node has more ranks than cores. Only there a rank that waits for MPI should sleep: elsewhere that would
/// only slow down MPI's own work.
[[nodiscard]] inline bool is_crowded(const Comm& comm) {
  int ranks_here = 0;
  for (int r = 0; r < comm.size(); ++r) ranks_here += comm.node(r) == comm.node(comm.rank());
  return ranks_here > sysconf(_SC_NPROCESSORS_ONLN);
}

class MpiRequests {
 public:
  /// Persistent requests, active or not, and places for others, null or active; none may be added once the first was
  /// started.
  std::vector<MPI_Request> all;

  /// All of them, which are persistent.
  void start() {
    for (std::size_t i = 0; i < all.size(); ++i) start(i);
  }
  void start(std::size_t i) {
    check_mpi(MPI_Start(&all[i]), "MPI_Start");
    started(i);
  }
  void started(std::size_t i) {
    reserve();  // allocates only where nobody did it ahead
    first_ = active_ == 0 ? i : std::min(first_, i);
    end_ = active_ == 0 ? i + 1 : std::max(end_, i + 1);
    is_active_[i] = 1;
    ++active_;
  }
  [[nodiscard]] bool idle() const { return active_ == 0; }
  [[nodiscard]] bool is_active(std::size_t i) const { return active_ > 0 && is_active_[i]; }

  /// Lets MPI work, without waiting; done(number of the request, its status) for each that is complete now, and may
  /// start others. Of those far behind one that is under way nothing is asked until it is complete: MPI would look at
  /// each of them in every call.
  template <class Done>
  void test(Done done) {
    while (active_ > 0) {
      const auto [first, end] = window();
      int n = 0;
      check_mpi(MPI_Testsome(static_cast<int>(end - first), all.data() + first, &n, done_.data(), statuses_.data()),
                "MPI_Testsome");
      n = n == MPI_UNDEFINED ? 0 : n;
      for (int k = 0; k < n; ++k) completed(first + static_cast<std::size_t>(done_[static_cast<std::size_t>(k)]));
      const bool some_are_under_way = first_ < end;
      for (int k = 0; k < n; ++k)
        done(first + static_cast<std::size_t>(done_[static_cast<std::size_t>(k)]),
             statuses_[static_cast<std::size_t>(k)]);
      if (some_are_under_way) return;
    }
  }
  void test() {
    test([](std::size_t, const MPI_Status&) {});
  }
  /// Until idle, leaving the core to others: some MPIs never do, and the awaited rank may need it.
  void finish(bool may_sleep) {
    Backoff backoff(may_sleep);
    for (test(); !idle(); test()) {
      help_all();
      backoff.pause();
    }
  }
  void reserve() {
    is_active_.resize(all.size());
    done_.resize(std::min(all.size(), asked_at_once));
    statuses_.resize(done_.size());
  }

  /// Gives up what is under way, which goes to `left`.
  void give_up(std::vector<MPI_Request>& left) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == MPI_REQUEST_NULL) continue;
      if (active_ > 0 && is_active_[i])
        left.push_back(std::exchange(all[i], MPI_REQUEST_NULL));
      else
        MPI_Request_free(&all[i]);
    }
    active_ = 0;
  }

 private:
  friend class MpiTests;
  static constexpr std::size_t asked_at_once = 128;

  struct Window {
    std::size_t first, end;
  };
  /// Those that MPI is asked about: the first active one and what follows it, active or not.
  [[nodiscard]] Window window() const {
    return active_ == 0 ? Window{0, 0} : Window{first_, std::min(end_, first_ + asked_at_once)};
  }
  void completed(std::size_t i) {
    is_active_[i] = 0;
    --active_;
    while (first_ < end_ && !is_active_[first_]) ++first_;
  }

  std::size_t active_ = 0, first_ = 0,
              end_ = 0;  ///< those that are active are among first_ .. end_ - 1, and the first of these is
  std::vector<char> is_active_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

/// Asks MPI about several sets at once. Every call that finds nothing complete looks for news of all connections (and
/// leaves the core to others, where MPI was told to), which takes longer than to look at the requests.
class MpiTests {
 public:
  /// So that nothing is allocated later, for this many sets at once.
  void reserve(std::size_t sets) {
    const std::size_t most = sets * MpiRequests::asked_at_once;
    asked_.reserve(most);
    from_.reserve(most);
    done_.resize(most);
    statuses_.resize(most);
  }

  /// Calls MpiRequests::test on all `sets`; done(number of the set, number of the request in it, its status).
  template <class Done>
  void test(std::span<MpiRequests* const> sets, Done done) {
    for (bool all = true; all && ask(sets);) {
      const std::size_t n = completed(sets);
      all = n == asked_.size();
      for (std::size_t k = 0; k < n; ++k) {
        const From& from = from_[static_cast<std::size_t>(done_[k])];
        done(from.set, from.number, statuses_[k]);
      }
    }
  }

 private:
  struct From {
    std::size_t set, number;
  };
  bool ask(std::span<MpiRequests* const> sets) {
    asked_.clear();
    from_.clear();
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const auto [first, end] = sets[set]->window();
      for (std::size_t i = first; i < end; ++i) {
        if (!sets[set]->is_active_[i]) continue;
        asked_.push_back(sets[set]->all[i]);
        from_.push_back({set, i});
      }
    }
    return !asked_.empty();
  }
  std::size_t completed(std::span<MpiRequests* const> sets) {
    int n = 0;
    check_mpi(MPI_Testsome(static_cast<int>(asked_.size()), asked_.data(), &n, done_.data(), statuses_.data()),
              "MPI_Testsome");
    if (n == MPI_UNDEFINED) return 0;
    for (int k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(done_[static_cast<std::size_t>(k)]);
      MpiRequests& set = *sets[from_[at].set];
      set.all[from_[at].number] = asked_[at];  // null now, if it was for one use
      set.completed(from_[at].number);
    }
    return static_cast<std::size_t>(n);
  }

  std::vector<MPI_Request> asked_;
  std::vector<From> from_;
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace shardfft
