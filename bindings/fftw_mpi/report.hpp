// SHARDFFT_FFTW_REPORT=1: which plans were ours, which were passed on, and the time in each.
#pragma once

#include <string>

#include "request.hpp"

namespace shardfft::fftw_mpi {

enum class Whose { ours, theirs };

[[nodiscard]] bool is_reporting();
/// Counts a plan of rank 0's MPI_COMM_WORLD, and prints all of it when MPI_Finalize begins.
void count_plan(Whose whose, What what, double seconds);
void count_run(Whose whose, What what, double seconds);

/// Seconds of a clock that only goes forward.
[[nodiscard]] double now();

/// Runs `work`, and counts it if somebody wants to know.
template <class Work>
void counted_run(Whose whose, What what, Work work) {
  if (!is_reporting()) return work();
  const double begin = now();
  work();
  count_run(whose, what, now() - begin);
}

}  // namespace shardfft::fftw_mpi
