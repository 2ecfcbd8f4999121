// A machine of many nodes as the model sees it.
#pragma once

#include "planner/model/machine.hpp"
#include "shardfft/programs/predict.hpp"

namespace shardfft {

/// The part of a link's rate that exchanges among all nodes reach: published ones 0.4 to 0.8.
inline constexpr double usual_efficiency = 0.65, least_efficiency = 0.4, most_efficiency = 0.8;

/// How a run differs from what the file says, and which costs are left out. Factors on rates and times.
struct Circumstances {
  double efficiency = usual_efficiency;
  double gap = 1, latency = 1;                    ///< on times
  double copies = 1, compute = 1, bandwidth = 1;  ///< on rates
  bool taper = true;
};

/// For `nodes` nodes with `ranks_per_node` ranks on each.
[[nodiscard]] Machine machine_of(const Cluster& cluster, int nodes, int ranks_per_node, const Circumstances& now);

}  // namespace shardfft
