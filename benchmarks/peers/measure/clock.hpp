// How everything is timed.
#pragma once

#include <chrono>

#include "shardfft/collective.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::peers {

/// Collective. Seconds that `work` takes on the slowest rank, from a barrier on.
template <class Work>
[[nodiscard]] double seconds_of(const Comm& comm, Work&& work) {
  comm.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  return all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace shardfft::peers
