// Counts what ranks and nodes send between a block grid and a layout whose axis is seen as two. There a rank has a few
// boxes.
#pragma once

#include <optional>

#include "planner/model/busiest.hpp"

namespace shardfft {

/// Counts like busiest() if one layout has a rule for its boxes and the other one is a block grid. Looks at every rank
/// once, and at pairs of ranks of a node that share elements. Returns nothing if boxes of a rank differ along more than
/// one axis that the grid cuts, or are many.
[[nodiscard]] std::optional<BusiestTraffic> busiest_split(const Layout& from, const Layout& to, int per_node);

}  // namespace shardfft
