// Loops over the modes of a rank: what is done to a right-hand side before it changes the flow, and sums.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::solvers {

/// The modes of a rank. Arrays have components one after the other, each in C order.
struct ModeGrid {
  Box box{};                                ///< along x, y, z
  std::array<std::vector<double>, 3> wave;  ///< wave numbers of the box, in its order
  double shell = 1;                         ///< wave numbers to numbers of shells
  std::vector<double> wave_z_twice;         ///< of real and imaginary parts
  int threads = 1;

  [[nodiscard]] Index component() const { return box.count(); }  ///< modes of a component
};
/// `shape` and `kept`: points and modes along each axis; `box`: of this rank.
[[nodiscard]] ModeGrid make_modes(const FlowProblem& problem, const Box& box, const Coord& kept, int threads);
/// Length of the longest wave vector.
[[nodiscard]] double longest_wave(const FlowProblem& problem, const Coord& kept);

/// Complex arrays of three components each; `rate` of six in divergence form: what it is made of.
template <class T>
struct FlowArrays {
  T* state = nullptr;  ///< behind its three components: the curl, in rotational form
  T* rate = nullptr;
  T* before = nullptr;  ///< the state when the step began
  T* sum = nullptr;
};

/// Stage 1, 2, 3 or 4 of a Runge-Kutta step: completes the right-hand side that began as `rate`, and goes on to the
/// state whose right-hand side is next.
template <class T>
void run_stage(const ModeGrid& grid, const FlowProblem& problem, const FlowArrays<T>& arrays, int stage, double dt);

/// Leaves the part without divergence.
template <class T>
void project(const ModeGrid& grid, T* state);
template <class T>
void curl(const ModeGrid& grid, const T* state, T* result);
/// Derivatives of three components along `axis`.
template <class T>
void derive(const ModeGrid& grid, const T* state, int axis, T* result);

template <class T>
[[nodiscard]] FlowSums sums_of(const ModeGrid& grid, const Comm& comm, const T* state);
template <class T>
[[nodiscard]] std::vector<double> spectrum_of(const ModeGrid& grid, const Comm& comm, const T* state, double longest);
/// `kept`: modes of the whole array along x, y, z.
template <class T>
[[nodiscard]] std::uint64_t hash_of(const ModeGrid& grid, const Comm& comm, const T* state, const Coord& kept);

}  // namespace shardfft::solvers
