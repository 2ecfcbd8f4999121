// Layouts of every kind, and who owns what by looking at each element.
#pragma once

#include <random>
#include <vector>

#include "shardfft/layout.hpp"
#include "support/oracles/naive.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {

inline Index pick(std::mt19937_64& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

/// 1 to `max_dims_` axes of 1 to `max_extent` elements.
inline Shape small_shape(std::mt19937_64& random, int max_dims_, Index max_extent) {
  Shape shape = Coord::filled(static_cast<int>(pick(random, 1, max_dims_)), 1);
  for (int a = 0; a < shape.dims(); ++a) shape[a] = pick(random, 1, max_extent);
  return shape;
}

/// A power of two, 1 to 32, along each axis.
inline Coord random_steps(std::mt19937_64& random, int dims) {
  Coord steps = Coord::filled(dims, 1);
  for (int a = 0; a < dims; ++a) steps[a] = Index{1} << pick(random, 0, 5);
  return steps;
}

/// Every kind of layout that an array of this shape can have, along every axis; grids and boxes are random.
inline std::vector<LayoutSpec> layouts_of_every_kind(std::mt19937_64& random, const Shape& shape, int ranks) {
  std::vector<LayoutSpec> specs{bricks(), random_boxes(random, shape, ranks), random_boxes(random, shape, ranks)};
  for (int a = 0; a < shape.dims(); ++a)
    specs.insert(specs.end(), {slabs(a), pencils(a), cyclic(a), slabs(a, random_block(random, shape[a], ranks))});
  for (int i = 0; i < 2; ++i) {
    Coord grid = Coord::filled(shape.dims(), 1);
    Index left = ranks;
    for (int a = 0; a < shape.dims(); ++a) left /= grid[a] = pick(random, 1, left);
    specs.push_back(process_grid(grid));
  }
  return specs;
}

/// The rank that owns each element, row-major; -1 where nobody, -2 where several do.
inline std::vector<int> owner_of_each(const Layout& layout) {
  const Whole frame{layout.global(), {}};
  std::vector<int> owner(static_cast<std::size_t>(product(layout.global())), -1);
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Box& box : layout.boxes(rank))
      for_each(box, [&](const Coord& at) {
        int& o = owner[static_cast<std::size_t>(frame.position(at))];
        o = o == -1 ? rank : -2;
      });
  return owner;
}

}  // namespace shardfft::testing
