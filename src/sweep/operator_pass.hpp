// An operator between two transforms of a sweep, on the plane that lies in cache (docs/theory/apply.md).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "grid/patch.hpp"
#include "shardfft/operators/modes.hpp"

namespace shardfft {

/// The array that operators see: what is the same in all runs and tiles.
struct MiddleArray {
  Precision precision = f64;
  bool complex = true;
  std::vector<std::vector<double>> wave{};  ///< of each axis, by global index
  Coord owners{};                           ///< by which an axis that is not transformed is ordered, where it is cyclic
  std::vector<Patch> places{};              ///< of this rank's boxes in its array, in elements
};

/// Plain data.
struct OperatorPass {
  std::size_t before = 0;  ///< number of the transform that follows
  int axis = -1;           ///< of the components that are seen together; -1: elements are single
  Index components_in = 1, components_out = 1;
  std::shared_ptr<const MiddleArray> middle{};

  /// Axes of a plane, slowest first. Neighbours along the last axis are contiguous rows, one for each component.
  [[nodiscard]] std::vector<int> plane_order(int dims) const;
  /// Bytes of an element.
  [[nodiscard]] Index element() const;
  /// All elements of `box`, whose first one is at `plane`.
  void run(const Operator& f, const Box& box, std::byte* plane, const Coord& strides) const;

 private:
  [[nodiscard]] int row_axis(const Box& box, const Coord& strides) const;
};

}  // namespace shardfft
