// What Plan::apply does between two transforms: any function of modes.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "shardfft/box.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Neighbouring elements of the array in the middle of apply(), all their components, in cache: a view.
struct Modes {
  Coord first{};  ///< global index of the first one; `count` of them follow along `axis`
  int axis = 0;
  Index count = 0;
  int components_in = 1, components_out = 1;
  Precision precision = f64;
  bool complex = true;
  /// wave[a][i] of global index i along axis a: the frequency, ... -2, -1, 0, 1, 2 ..., that belongs to it (times 2 pi
  /// over the length: its wave number); of cosines and sines 0, 1/2, 1 ..., half periods between the ends (times pi
  /// over the length). Of points their place, from 0 to 1. 0 along axes that are not transformed.
  std::array<const double*, max_dims> wave{};
  /// In elements: the place of the first mode in an array of Plan::make_middle(), the step to its neighbour, and the
  /// step from component to component.
  Index place = 0, step = 1, component_step = 0;
  std::byte* data = nullptr;
  Index component_bytes = 0;

  /// Component c, read and written in place: those of components_in are there, those of components_out are to be left.
  /// T is of the plan's precision.
  template <class T>
  [[nodiscard]] std::span<std::complex<T>> values(int c = 0) const {
    return {reinterpret_cast<std::complex<T>*>(data + c * component_bytes), static_cast<std::size_t>(count)};
  }
  /// Component c of real elements.
  template <class T>
  [[nodiscard]] std::span<T> reals(int c = 0) const {
    return {reinterpret_cast<T*>(data + c * component_bytes), static_cast<std::size_t>(count)};
  }
  /// Frequency of mode i along axis a.
  [[nodiscard]] double frequency(int a, Index i) const {
    return wave[static_cast<std::size_t>(a)][first[a] + (a == axis ? i : 0)];
  }
};

struct OperatorFormula;

/// A function of modes. It gets each mode once, and several threads call it at the same time. Its result must depend on
/// the mode and its values alone. It must not throw. If the points are real, f(-k) must be the conjugate of f(k).
struct Operator {
  void (*run)(const void* self, const Modes& modes) = nullptr;
  std::shared_ptr<const void> self{};
  /// That it takes and leaves; 0: any number. components_out -1: as many as it takes.
  int components_in = 0, components_out = 0;
  /// What plans whose arrays are on a device run instead: of ready operators, and of Plan::make_operator.
  std::shared_ptr<const OperatorFormula> formula{};

  Operator() = default;
  Operator(void (*function)(const void*, const Modes&), std::shared_ptr<const void> state)
      : run(function), self(std::move(state)) {}
  /// Makes an operator from anything that can be called with modes.
  template <class F>
    requires(std::invocable<const F&, const Modes&> && !std::same_as<F, Operator>)
  Operator(F f)
      : run([](const void* state, const Modes& modes) { (*static_cast<const F*>(state))(modes); }),
        self(std::make_shared<const F>(std::move(f))) {}
};

}  // namespace shardfft
