// The kernel that evaluates a formula: each thread follows the same steps for its elements, whose values are in shared
// memory, for registers have no addresses.
#pragma once

#include <cmath>
#include <limits>

#include "device/kernels/divisor.hpp"
#include "support/formula/run_formula.hpp"
#include "support/hd.hpp"

namespace shardfft::kernels {

/// `lanes`: elements of a thread that each step does together.
template <class T, int block_threads = 64, int lanes = 2>
struct FormulaKernel {
  static constexpr int threads = block_threads, phases = 2;
  static constexpr int width = threads * lanes;
  static constexpr T lowest = -std::numeric_limits<T>::infinity();
  static_assert(formula_block % width == 0);
  struct ElementValues {
    T value[RunFormula::most_values][width];
    T largest[width];
  };
  using Shared = ElementValues;

  static constexpr int axes = RunFormula::axes;

  RunFormula task{};
  Divisor by[axes]{};
  Index elements;
  int outermost = 0;  // axis: those before it have one index
  bool strided = false;

  explicit FormulaKernel(const RunFormula& formula) : task(formula), elements(formula.elements()) {
    for (int a = 0; a < axes; ++a) by[a] = Divisor(task.extent[a] > 0 ? task.extent[a] : 1);
    while (outermost < axes - 1 && task.extent[outermost] == 1) ++outermost;
    for (int a = 0; a < task.arrays; ++a) strided |= task.array[a].axis == FormulaOperand::strided;
  }

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (elements + formula_block - 1) / formula_block; }

  SHARDFFT_HD void operator()(int phase, Index block, int thread, Shared& shared) const {
    if (phase == 1) return gather_largest(block, thread, shared);
    SHARDFFT_UNROLL
    for (int lane = 0; lane < lanes; ++lane) shared.largest[at(thread, lane)] = lowest;
    SHARDFFT_NO_UNROLL
    for (Index first = block * formula_block; first < (block + 1) * formula_block && first < elements; first += width)
      run_steps(first, thread, shared);
  }

 private:
  [[nodiscard]] static SHARDFFT_HD int at(int thread, int lane) { return lane * threads + thread; }
  // NaN stays.
  [[nodiscard]] static SHARDFFT_HD T larger(T a, T b) { return a > b ? a : b >= a ? b : a + b; }

  /// Coordinates of an element, its number among all, and its number with gaps.
  struct ElementPlace {
    std::uint32_t of[axes], all;
    Index with_gaps;
    bool exists;
    [[nodiscard]] SHARDFFT_HD Index along(int axis) const {
      if (axis == FormulaOperand::strided) return with_gaps;
      std::uint32_t at = all;
      SHARDFFT_UNROLL
      for (int a = 0; a < axes; ++a) at = axis == a ? of[a] : at;
      return at;
    }
  };
  [[nodiscard]] SHARDFFT_HD ElementPlace place(Index element) const {
    ElementPlace p{};
    p.exists = element < elements;
    p.all = static_cast<std::uint32_t>(p.exists ? element : 0);
    std::uint32_t rest = p.all;
    SHARDFFT_UNROLL
    for (int a = axes - 1; a >= 0; --a) {
      const std::uint32_t row = a > outermost ? by[a](rest) : 0;
      p.of[a] = a < outermost ? 0 : rest - row * task.extent[a];
      rest = a < outermost ? 0 : row;
      if (strided) p.with_gaps += static_cast<Index>(p.of[a]) * task.strides[a];
    }
    return p;
  }
  template <class Number>
  [[nodiscard]] static SHARDFFT_HD Number& number_of(const FormulaOperand& array, const ElementPlace& p) {
    return reinterpret_cast<Number*>(array.data)[p.along(array.axis) * array.step];
  }
  [[nodiscard]] static SHARDFFT_HD T read(const FormulaOperand& array, const ElementPlace& p) {
    if (sizeof(T) > sizeof(float) && array.narrow) return static_cast<T>(number_of<float>(array, p));
    return number_of<T>(array, p);
  }
  static SHARDFFT_HD void write(const FormulaOperand& array, const ElementPlace& p, T number) {
    if (sizeof(T) > sizeof(float) && array.narrow)
      number_of<float>(array, p) = static_cast<float>(number);
    else
      number_of<T>(array, p) = number;
  }

  SHARDFFT_HD void run_steps(Index first, int thread, Shared& shared) const {
    ElementPlace places[lanes];
    SHARDFFT_UNROLL
    for (int lane = 0; lane < lanes; ++lane) places[lane] = place(first + at(thread, lane));
    SHARDFFT_NO_UNROLL
    for (int s = 0; s < task.steps; ++s) run_step(task.step[s], places, thread, shared);
  }

  SHARDFFT_HD void run_step(const FormulaStep& step, const ElementPlace* places, int thread, Shared& shared) const {
    const auto each = [&](const auto& f) {
      SHARDFFT_UNROLL
      for (int lane = 0; lane < lanes; ++lane) f(lane, at(thread, lane));
    };
    const auto set = [&](const auto& f) {
      each([&](int, int i) { shared.value[step.to][i] = f(shared.value[step.a][i], shared.value[step.b][i]); });
    };
    switch (step.operation) {
      case FormulaOperation::read:
        return each([&](int lane, int i) {
          if (places[lane].exists) shared.value[step.to][i] = read(task.array[step.a], places[lane]);
        });
      case FormulaOperation::write:
        return each([&](int lane, int i) {
          if (places[lane].exists) write(task.array[step.to], places[lane], shared.value[step.a][i]);
        });
      case FormulaOperation::number: {
        const T number = static_cast<T>(task.number[step.a]);
        return each([&](int, int i) { shared.value[step.to][i] = number; });
      }
      case FormulaOperation::add:
        return set([](T a, T b) { return a + b; });
      case FormulaOperation::subtract:
        return set([](T a, T b) { return a - b; });
      case FormulaOperation::multiply:
        return set([](T a, T b) { return a * b; });
      case FormulaOperation::divide:
        return set([](T a, T b) { return a / b; });
      case FormulaOperation::root:
        return set([](T a, T) { return std::sqrt(a); });
      case FormulaOperation::replace:
        return set([](T a, T b) { return a == 0 ? b : a; });
      case FormulaOperation::at_most:
        return set([](T a, T b) { return static_cast<T>(a <= b); });
      case FormulaOperation::largest:
        return each([&](int lane, int i) {
          if (places[lane].exists) shared.largest[i] = larger(shared.largest[i], shared.value[step.a][i]);
        });
    }
  }

  SHARDFFT_HD void gather_largest(Index block, int thread, const Shared& shared) const {
    if (thread != 0 || task.largest == nullptr) return;
    T most = lowest;
    SHARDFFT_NO_UNROLL
    for (int i = 0; i < width; ++i) most = larger(most, shared.largest[i]);
    task.largest[block] = static_cast<double>(most);
  }
};

}  // namespace shardfft::kernels
