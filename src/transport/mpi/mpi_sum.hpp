// A sum over all ranks that nobody waits for.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "support/comm/backoff.hpp"
#include "support/comm/comm_mpi.hpp"
#include "transport/mpi/mpi_remains.hpp"

namespace shardfft {

/// One sum at a time. Destroyed before its communicator.
class MpiSum {
 public:
  MpiSum() = default;
  MpiSum(const MpiSum&) = delete;

  ~MpiSum() {
    if (request_ != MPI_REQUEST_NULL) keep_for_ever(numbers_);
  }

  /// Before it is destroyed: waits a moment for a sum that is under way. False when another rank does not begin it (a
  /// run broke off there): then it is left behind with its communicator.
  [[nodiscard]] bool settle() {
    Backoff backoff(/*sleeps=*/true);
    for (int milliseconds = 0; request_ != MPI_REQUEST_NULL && milliseconds < 100; milliseconds += backoff.pause()) {
      int done = 0;
      if (MPI_Test(&request_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    }
    return request_ == MPI_REQUEST_NULL;
  }

  /// A sum that is under way cannot be cancelled, and MPI writes to its numbers until it is done.
  void give_up(MpiLeftovers& left) {
    if (request_ == MPI_REQUEST_NULL) return;
    left.sends.push_back(std::exchange(request_, MPI_REQUEST_NULL));
    left.memory.push_back(numbers_);
  }

  void start(MPI_Comm comm, std::span<const double> mine) {
    std::copy(mine.begin(), mine.end(), numbers_->mine.begin());
    check_mpi(MPI_Iallreduce(numbers_->mine.data(), numbers_->total.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                             MPI_SUM, comm, &request_),
              "MPI_Iallreduce");
  }
  /// True when the sum of start() is known. Lets MPI work, without waiting.
  [[nodiscard]] bool done(std::span<double> total) {
    int known = 0;
    check_mpi(MPI_Test(&request_, &known, MPI_STATUS_IGNORE), "MPI_Iallreduce");
    if (known) std::copy_n(numbers_->total.begin(), total.size(), total.begin());
    return known != 0;
  }

 private:
  struct Summands {
    std::array<double, 8> mine{}, total{};
  };
  std::shared_ptr<Summands> numbers_ = std::make_shared<Summands>();
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace shardfft
