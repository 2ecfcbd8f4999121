// How many processes along each axis.
#pragma once

#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// All divisors of n, ascending.
[[nodiscard]] std::vector<Index> divisors(Index n);

/// Whether `grid` has at most `ranks` processes, however large its numbers are; one with numbers below 1 has no sense,
/// and so never.
[[nodiscard]] bool holds_at_most(const Coord& grid, Index ranks);

/// Grid for pencils whole along `axis`: `ranks` processes over the two longest other axes (the lower axis first on a
/// tie), as square as the extents allow; the first factor is the smaller one.
[[nodiscard]] Coord pencil_grid(const Shape& global, int axis, int ranks);

/// Grid whose largest box has the smallest surface, `ranks` processes over all axes; axes shorter than their factor
/// only where nothing else is left.
[[nodiscard]] Coord brick_grid(const Shape& global, int ranks);

}  // namespace shardfft
