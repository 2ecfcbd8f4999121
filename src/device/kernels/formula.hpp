// The kernel that evaluates a formula: each thread follows the same steps for its elements, whose values are in shared
// memory, for registers have no addresses.
#pragma once

#include <cmath>
#include <limits>

#include "device/formula.hpp"
#include "device/kernels/divisor.hpp"
#include "device/kernels/hd.hpp"

namespace shardfft::kernels {

/// `lanes`: elements of a thread that each step does together.
template <class T, int block_threads = 64, int lanes = 2>
struct FormulaKernel {
  static constexpr int threads = block_threads, phases = 2;
  static constexpr int width = threads * lanes;
  static constexpr T lowest = -std::numeric_limits<T>::infinity();
  static_assert(formula_block % width == 0);
  struct Shared {
    T value[RunFormula::most_values][width];
    T largest[width];
  };

  RunFormula task{};
  Divisor by_last{}, by_middle{};

  explicit FormulaKernel(const RunFormula& formula)
      : task(formula), by_last(formula.extent[2]), by_middle(formula.extent[1]) {}

  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (count() + formula_block - 1) / formula_block; }

  SHARDFFT_HD void operator()(int phase, Index block, int thread, Shared& shared) const {
    if (phase == 1) return gather_largest(block, thread, shared);
    SHARDFFT_UNROLL
    for (int lane = 0; lane < lanes; ++lane) shared.largest[at(thread, lane)] = lowest;
    SHARDFFT_NO_UNROLL
    for (Index first = block * formula_block; first < (block + 1) * formula_block && first < count(); first += width)
      run_steps(first, thread, shared);
  }

 private:
  [[nodiscard]] SHARDFFT_HD Index count() const { return Index{task.extent[0]} * task.extent[1] * task.extent[2]; }
  [[nodiscard]] static SHARDFFT_HD int at(int thread, int lane) { return lane * threads + thread; }
  // NaN stays.
  [[nodiscard]] static SHARDFFT_HD T larger(T a, T b) { return a > b ? a : b >= a ? b : a + b; }

  /// Where an element is along each axis, and among all.
  struct Place {
    std::uint32_t of[RunFormula::axes], all;
    bool exists;
    [[nodiscard]] SHARDFFT_HD std::uint32_t along(int axis) const {
      return axis < 0 ? all : axis == 0 ? of[0] : axis == 1 ? of[1] : of[2];
    }
  };
  [[nodiscard]] SHARDFFT_HD Place place(Index element) const {
    Place p{};
    p.exists = element < count();
    p.all = static_cast<std::uint32_t>(p.exists ? element : 0);
    const std::uint32_t row = by_last(p.all);
    p.of[2] = p.all - row * task.extent[2];
    p.of[0] = by_middle(row);
    p.of[1] = row - p.of[0] * task.extent[1];
    return p;
  }
  [[nodiscard]] SHARDFFT_HD T* number_of(const RunFormula::Array& array, const Place& p) const {
    return reinterpret_cast<T*>(array.data) + static_cast<Index>(p.along(array.axis)) * array.step;
  }

  SHARDFFT_HD void run_steps(Index first, int thread, Shared& shared) const {
    Place places[lanes];
    SHARDFFT_UNROLL
    for (int lane = 0; lane < lanes; ++lane) places[lane] = place(first + at(thread, lane));
    SHARDFFT_NO_UNROLL
    for (int s = 0; s < task.steps; ++s) run_step(task.step[s], places, thread, shared);
  }

  SHARDFFT_HD void run_step(const FormulaStep& step, const Place* places, int thread, Shared& shared) const {
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
          if (places[lane].exists) shared.value[step.to][i] = *number_of(task.array[step.a], places[lane]);
        });
      case FormulaOperation::write:
        return each([&](int lane, int i) {
          if (places[lane].exists) *number_of(task.array[step.to], places[lane]) = shared.value[step.a][i];
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
