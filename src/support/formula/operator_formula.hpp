// What an operator of Plan::apply is on a device: a formula, and where it finds its arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "shardfft/view.hpp"
#include "support/formula/run_formula.hpp"

namespace shardfft {

/// An array of an operator's formula, as a rule that gives its place for each tile.
struct OperatorArray {
  enum class Of : std::uint8_t {
    component,  ///< of the elements themselves
    axis,       ///< a table along an axis of the array, in the order in which it is swept
    beside      ///< an array as Plan::make_middle() makes it
  };
  Of of = Of::component;
  int number = 0;                   ///< of the component, of the axis
  int part = 0;                     ///< of complex elements: 1 of imaginary parts
  const std::byte* data = nullptr;  ///< of an axis and beside: the first number
  std::int32_t step = 1;            ///< beside: numbers from element to element
};

/// A formula on the elements that an operator sees (Plan::apply). Where its arrays are follows from those elements.
struct OperatorFormula {
  RunFormula run{};  ///< its steps and numbers
  OperatorArray array[RunFormula::most_arrays] = {};
  bool each = false;  ///< of one component, and done for every one of them by itself
  Scalar scalar = Scalar::f64;
  bool complex = true;  ///< elements are
  Space space = Space::host;
  std::shared_ptr<const void> tables{};

  /// The array of one component, for formulas with `each`. `first`: the element in the plane; components are
  /// `component_bytes` apart.
  [[nodiscard]] FormulaOperand component(const OperatorArray& of, std::byte* first, Index component_bytes,
                                         int component) const {
    return {.data = first + (of.number + component) * component_bytes + of.part * static_cast<Index>(size_of(scalar)),
            .step = complex ? 2 : 1,
            .narrow = scalar != run.scalar};
  }
  /// From index `first` on; `axis` of the run, -1: along it there is no other one.
  [[nodiscard]] FormulaOperand along(const OperatorArray& of, Index first, int axis) const {
    return {.data = const_cast<std::byte*>(of.data) + first * static_cast<Index>(size_of(run.scalar)),
            .step = axis < 0 ? 0 : 1,
            .axis = static_cast<std::int16_t>(axis)};
  }
  /// `place`: of the element in the array, components `component_step` apart.
  [[nodiscard]] FormulaOperand beside(const OperatorArray& of, Index place, Index component_step, int component) const {
    return {.data = const_cast<std::byte*>(of.data) +
                    (place + component * component_step) * of.step * static_cast<Index>(size_of(scalar)),
            .step = of.step,
            .axis = FormulaOperand::strided,
            .narrow = scalar != run.scalar};
  }
};

}  // namespace shardfft
