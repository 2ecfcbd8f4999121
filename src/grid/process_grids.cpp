#include "grid/process_grids.hpp"

#include <algorithm>
#include <limits>

namespace shardfft {

std::vector<Index> divisors(Index n) {
  std::vector<Index> low, high;
  for (Index d = 1; d <= n / d; ++d)
    if (n % d == 0) {
      low.push_back(d);
      if (d != n / d) high.push_back(n / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool holds_at_most(const Coord& grid, Index ranks) {
  Index left = ranks;  // that each process so far may be multiplied by
  for (const Index p : grid) {
    if (p < 1 || p > left) return false;
    left /= p;
  }
  return true;
}

namespace {

Index largest_part(Index n, Index p) { return (n + p - 1) / p; }

// Surface of the largest box, the lower the better; volume first, so that no rank idles where that can be helped.
std::pair<Index, Index> badness(const Shape& global, const Coord& grid) {
  Index volume = 1, surface = 0;
  for (int a = 0; a < global.dims(); ++a) volume *= largest_part(global[a], grid[a]);
  for (int a = 0; a < global.dims(); ++a) surface += 2 * (volume / largest_part(global[a], grid[a]));
  return {volume, surface};
}

// Tries every way to write `ranks` as a product over `axes` from position `i` on.
void try_factors(const Shape& global, const std::vector<int>& axes, std::size_t i, Index ranks, Coord& grid,
                 Coord& best, std::pair<Index, Index>& least) {
  if (i + 1 == axes.size()) {
    grid[axes[i]] = ranks;
    if (const auto b = badness(global, grid); b < least) {
      least = b;
      best = grid;
    }
    return;
  }
  for (const Index p : divisors(ranks)) {
    grid[axes[i]] = p;
    try_factors(global, axes, i + 1, ranks / p, grid, best, least);
  }
}

Coord best_grid(const Shape& global, const std::vector<int>& axes, Index ranks) {
  Coord grid = Coord::filled(global.dims(), 1), best = grid;
  std::pair<Index, Index> least{std::numeric_limits<Index>::max(), std::numeric_limits<Index>::max()};
  try_factors(global, axes, 0, ranks, grid, best, least);
  return best;
}

}  // namespace

Coord pencil_grid(const Shape& global, int axis, int ranks) {
  std::vector<int> others;
  for (int a = 0; a < global.dims(); ++a)
    if (a != axis) others.push_back(a);
  if (others.empty()) {  // one dimension: nothing to cut but the axis itself; the first rank holds it
    return Coord::filled(global.dims(), 1);
  }
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return global[a] > global[b]; });
  if (others.size() > 2) others.resize(2);
  std::sort(others.begin(), others.end());
  return best_grid(global, others, ranks);
}

Coord brick_grid(const Shape& global, int ranks) {
  std::vector<int> axes;
  for (int a = 0; a < global.dims(); ++a)
    if (global[a] > 1) axes.push_back(a);
  if (axes.empty()) return Coord::filled(global.dims(), 1);
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return global[a] > global[b]; });
  if (axes.size() > 4) axes.resize(4);
  std::sort(axes.begin(), axes.end());
  return best_grid(global, axes, ranks);
}

}  // namespace shardfft
