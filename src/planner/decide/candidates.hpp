// Which layouts a stage may have.
#pragma once

#include <string>
#include <vector>

#include "planner/problem/problem.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// Limits on the process grids of the inner stages.
struct GridRules {
  std::string decomposition{};  ///< "", slab (1 cut axis), pencil (2) or brick (as many as there are)
  Coord ranks_grid{};           ///< the factors to be used, in axis order; empty: all factorisations
  int whole = -1;               ///< an axis that all stages leave whole, beside their own
  std::vector<int> fewer{};     ///< ranks, the first ones, for which grids are found, too; the others own nothing
};

/// Numbers of ranks that may be faster than all of them, since messages of small arrays cost more than work: a quarter
/// and so on, the ranks of a node, and halves of these. None for large arrays, nor on one node, whose messages are
/// cheap.
[[nodiscard]] std::vector<int> fewer_ranks(const CheckedProblem& problem, int ranks, int node);

/// Process grids over at most two axes (three or more for brick) that leave `axis` and rules.whole whole; never empty.
/// Factors never exceed extents, so that with more ranks than pencils some ranks own nothing. Without rules: slabs and
/// pencils.
[[nodiscard]] std::vector<Coord> stage_grids(const Shape& shape, int axis, int ranks, const GridRules& rules);

}  // namespace shardfft
