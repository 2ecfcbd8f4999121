// What an operator does on a device, to a tile between two transforms.
#pragma once

#include <vector>

#include "device/device.hpp"
#include "support/formula/operator_formula.hpp"
#include "sweep/operator_pass.hpp"

namespace shardfft {

/// Elements of a plane that are done by one launch.
class OperatorTile {
 public:
  /// `box`: in the middle's index space, with one of the components. `order`: of its elements in the plane, slowest
  /// axis first, without gaps. `at`: bytes from the scratch to the first one; components are `component_bytes` apart.
  OperatorTile(const OperatorPass& pass, const Box& box, const std::vector<int>& order, Index at,
               Index component_bytes);
  void run(Queue& queue, const OperatorFormula& formula, std::byte* scratch) const;

 private:
  [[nodiscard]] FormulaOperand placed(const OperatorFormula& f, const OperatorArray& array, std::byte* scratch,
                                      int component) const;

  std::uint32_t extent_[RunFormula::axes] = {1, 1, 1, 1, 1, 1, 1, 1};
  Index strides_[RunFormula::axes] = {};  // of arrays beside it, elements
  int axis_of_[max_dims] = {};            // of each axis of the array; -1: it has one index
  Coord first_;
  Index at_, component_bytes_;
  Index place_ = 0, component_step_ = 0;  // of arrays beside it, elements
  int components_;
};

/// All of a plane: in few parts.
[[nodiscard]] std::vector<OperatorTile> operator_tiles(const OperatorPass& pass, Box box, const std::vector<int>& order,
                                                       Index at, Index component_bytes);

}  // namespace shardfft
