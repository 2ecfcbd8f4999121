// Times a transform.
#pragma once

#include <optional>

#include "peers/common/arguments.hpp"

namespace shardfft::peers {

struct Times {
  double first_call_s = 0;                        ///< the first forward
  std::vector<double> forward_s{}, backward_s{};  ///< of the slowest rank, each iteration
  std::vector<RunFacts> facts{};  ///< of each forward: phases of the slowest rank, bytes and messages of all ranks
  std::optional<double> energy_j{}, energy_gpus_j{};  ///< of one forward and one backward, on average over the
                                                      ///< iterations: of the processors; of the GPUs
};

/// Collective. Every iteration begins with fresh data in the input, written outside of what is timed; backward takes
/// what forward gave.
[[nodiscard]] Times measure(const Comm& comm, const Arguments& arguments, Transform& transform);

}  // namespace shardfft::peers
