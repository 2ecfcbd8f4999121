#include "planner/decide/candidates.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "grid/process_grids.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

// Up to so many ranks, and axes to cut, factors that do not divide the number of ranks are tried, too. With more there
// are enough grids of divisors, and all others would take seconds.
constexpr int few_ranks = 64;
constexpr std::size_t few_axes = 3;

std::vector<Index> factors(int ranks, std::size_t axes) {
  std::vector<Index> all;
  if (ranks > few_ranks || axes > few_axes) {
    all = divisors(ranks);
    const auto root = static_cast<Index>(std::sqrt(static_cast<double>(ranks)));
    for (Index p = std::max<Index>(1, root - 3); p <= std::min<Index>(ranks, root + 3); ++p)
      all.push_back(p);  // nearly square grids that leave few ranks idle, where the divisors are poor
    return all;
  }
  for (Index p = 1; p <= ranks; ++p)
    if (4 * (ranks / p * p) >= 3 * ranks) all.push_back(p);  // a quarter of the ranks may be idle, not more
  return all;
}

void add(std::vector<Coord>& grids, const Coord& grid) {
  if (std::find(grids.begin(), grids.end(), grid) == grids.end()) grids.push_back(grid);
}

// The given factors over every choice of axes, in axis order; longer lists than axes are an error.
void add_given(std::vector<Coord>& grids, const Coord& given, const std::vector<int>& axes, std::size_t from, int next,
               Coord grid) {
  if (next == given.dims()) return add(grids, grid);
  for (std::size_t i = from; i < axes.size(); ++i) {
    Coord g = grid;
    g[axes[i]] = given[next];
    add_given(grids, given, axes, i + 1, next + 1, g);
  }
}

std::vector<Coord> given_grids(const Shape& shape, const std::vector<int>& axes, int ranks, const Coord& given) {
  Coord cut = given;
  if (!holds_at_most(given, ranks))
    throw Error(Status::invalid_argument,
                fmt::format("ranks_grid holds at most the {} ranks there are; got {}; use more ranks or a smaller grid",
                            ranks, to_string(given)));
  if (given.dims() > static_cast<int>(axes.size())) {  // one number per axis of the array is meant: leave out the ones
    std::vector<Index> real;
    for (const Index p : given)
      if (p > 1) real.push_back(p);
    cut = Coord(real);
  }
  std::vector<Coord> grids;
  add_given(grids, cut, axes, 0, 0, Coord::filled(shape.dims(), 1));
  if (grids.empty())
    throw Error(Status::invalid_argument,
                fmt::format("ranks_grid cuts at most {} axes of {} while one is transformed; got {}", axes.size(),
                            to_string(shape), to_string(given)));
  return grids;
}

// The two factors that are closest to each other.
std::vector<Index> square_factors(int ranks) {
  const std::vector<Index> all = divisors(ranks);
  return {all[(all.size() - 1) / 2], all[all.size() / 2]};
}

// Slabs, and pencils with these factors, that cut `axes` over so many ranks.
void add_found(std::vector<Coord>& grids, const Shape& shape, const std::vector<int>& axes, int ranks,
               const std::vector<Index>& rows, const std::string& decomposition) {
  const Coord one = Coord::filled(shape.dims(), 1);
  const bool slab = decomposition != "pencil", pencil = decomposition != "slab";
  for (const int a : axes) {
    Coord grid = one;
    grid[a] = std::min<Index>(ranks, shape[a]);
    if (slab || axes.size() == 1) add(grids, grid);
    for (const int b : axes) {
      if (b <= a || !pencil) continue;
      for (const Index p : rows) {
        grid = one;
        grid[a] = std::min(p, shape[a]);
        grid[b] = std::min(ranks / grid[a], shape[b]);
        if (slab || (grid[a] > 1 && grid[b] > 1) || ranks < 4) add(grids, grid);
      }
    }
  }
}

}  // namespace

std::vector<int> fewer_ranks(const CheckedProblem& problem, int ranks, int node) {
  constexpr double bytes_of_a_rank = 1 << 18;
  if (node >= ranks) return {};
  if (static_cast<double>(product(problem.space)) * problem.element_bytes() > bytes_of_a_rank * ranks) return {};
  std::vector<int> fewer;
  for (int n = ranks / 4; n > node; n /= 4) fewer.push_back(n);
  for (int n = node; n >= 1; n /= 2) fewer.push_back(n);
  return fewer;
}

std::vector<Coord> stage_grids(const Shape& shape, int axis, int ranks, const GridRules& rules) {
  std::vector<int> axes;
  for (int a = 0; a < shape.dims(); ++a)
    if (a != axis && a != rules.whole) axes.push_back(a);
  if (rules.ranks_grid.dims() > 0 && !axes.empty()) return given_grids(shape, axes, ranks, rules.ranks_grid);
  std::vector<Coord> grids;
  add_found(grids, shape, axes, ranks, factors(ranks, axes.size()), rules.decomposition);
  for (const int fewer : rules.fewer) add_found(grids, shape, axes, fewer, square_factors(fewer), rules.decomposition);
  if (rules.decomposition == "brick" && axes.size() > 2) {
    Shape rest = shape;
    rest[axis] = 1;
    if (rules.whole >= 0) rest[rules.whole] = 1;
    Coord grid = brick_grid(rest, ranks);
    for (int a = 0; a < grid.dims(); ++a) grid[a] = std::min(grid[a], rest[a]);
    add(grids, grid);
  }
  if (grids.empty()) grids.push_back(Coord::filled(shape.dims(), 1));
  return grids;
}

}  // namespace shardfft
