// A formula (operators/formula.hpp) as a device runs it: steps over a few numbers of each element.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

enum class FormulaOperation : std::uint8_t {
  read,
  write,
  number,
  add,
  subtract,
  multiply,
  divide,
  root,
  replace,
  at_most,
  largest
};

/// `to`, `a`, `b`: which of an element's values. Of read `a`, of write `to` is an array, of number `a` one of these.
struct FormulaStep {
  FormulaOperation operation{};
  std::uint8_t to = 0, a = 0, b = 0;
};

/// An array that a formula reads or writes.
struct FormulaOperand {
  /// Instead of an axis: the element's place among all elements, or the sum of its places times RunFormula::strides.
  static constexpr int all = -1, strided = -2;
  std::byte* data = nullptr;
  std::int32_t step = 1;  ///< numbers
  std::int16_t axis = all;
  bool narrow = false;  ///< f32, where the formula computes in f64
};

/// All of it is in the arguments of one launch.
struct RunFormula {
  static constexpr int most_steps = 320, most_values = 24, most_arrays = 48, most_numbers = 24, axes = max_dims;
  static constexpr Index most_elements = (Index{1} << 31) - 1;
  Scalar scalar = Scalar::f64;
  int steps = 0, arrays = 0;
  std::uint32_t extent[axes] = {1, 1, 1, 1, 1, 1, 1, 1};  ///< of the elements, slowest first
  Index strides[axes] = {};                               ///< of arrays with gaps
  FormulaStep step[most_steps] = {};
  FormulaOperand array[most_arrays] = {};
  double number[most_numbers] = {};
  double* largest = nullptr;  ///< [formula_blocks()], of each block; nullptr: nobody asks

  [[nodiscard]] Index elements() const {
    Index count = 1;
    for (const std::uint32_t n : extent) count *= n;
    return count;
  }
  /// The place of an array's last number.
  [[nodiscard]] Index last_of(const FormulaOperand& array) const {
    if (array.axis == FormulaOperand::all) return (elements() - 1) * array.step;
    if (array.axis >= 0) return (Index{extent[array.axis]} - 1) * array.step;
    Index last = 0;
    for (int a = 0; a < axes; ++a) last += (Index{extent[a]} - 1) * strides[a];
    return last * array.step;
  }
};

/// Elements of a block of a device; blocks.
inline constexpr Index formula_block = 512;
[[nodiscard]] inline Index formula_blocks(const RunFormula& task) {
  return (task.elements() + formula_block - 1) / formula_block;
}

/// Runs the formula on the processor, with so many threads; `largest` as above.
void run_formula_on_host(const RunFormula& task, int threads);
/// By the calling thread alone.
void run_formula_here(const RunFormula& task);

}  // namespace shardfft
