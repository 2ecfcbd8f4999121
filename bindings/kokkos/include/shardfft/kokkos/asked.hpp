// From Views and arguments, in the order of KokkosFFT, to a Problem and Options.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "shardfft/error.hpp"
#include "shardfft/kokkos/views.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::kokkos {

using shardfft::Direction;
/// Which direction is divided by the number of points: ortho both, by its root; none neither.
enum class Normalization { forward, backward, ortho, none };
/// Transformed axes, negative ones counted from the end; of reals the last one is halved.
template <std::size_t Count>
using axis_type = std::array<int, Count>;
/// Lengths along these axes of the reals, or of the complex output; 0: that of the View.
template <std::size_t Count>
using shape_type = std::array<std::size_t, Count>;

[[nodiscard]] inline Direction reverse(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

/// A plan's arguments, and how its two sides lie: `space` before a forward transform, `spectrum` after it.
struct Asked {
  Problem problem{};
  Options options{};
  Direction direction{};  ///< from the input to the output
  Strided space{}, spectrum{};

  [[nodiscard]] Strided& input() { return direction == Direction::forward ? space : spectrum; }
  [[nodiscard]] Strided& output() { return direction == Direction::forward ? spectrum : space; }
  /// Whether there are no pencils, all of them with points: as in NumPy, nothing is transformed.
  [[nodiscard]] bool is_empty_batch() const {
    bool none = false;
    for (int a = 0; a < problem.shape.dims(); ++a) {
      if (problem.shape[a] > 0) continue;
      if (std::find(problem.axes.begin(), problem.axes.end(), a) != problem.axes.end()) return false;
      none = true;
    }
    return none;
  }
  [[nodiscard]] double points() const {
    double n = 1;
    for (const int axis : problem.axes) n *= static_cast<double>(problem.shape[axis]);
    return n;
  }
};

/// The factor of a run.
[[nodiscard]] inline double factor(Normalization norm, Direction direction, double points) {
  if (norm == Normalization::ortho) return 1 / std::sqrt(points);
  const auto scaled = direction == Direction::forward ? Normalization::forward : Normalization::backward;
  return norm == scaled ? 1 / points : 1;
}

/// Axes counted from the front. Throws Error(invalid_problem) for one that there is not, or that is named twice.
inline std::vector<int> checked_axes(const std::vector<int>& axes, int dims) {
  std::vector<int> checked;
  for (const int axis : axes) {
    const int a = axis < 0 ? axis + dims : axis;
    if (a < 0 || a >= dims || std::find(checked.begin(), checked.end(), a) != checked.end())
      throw Error(Status::invalid_problem, "axes of a View of rank " + std::to_string(dims) + " are from " +
                                               std::to_string(-dims) + " to " + std::to_string(dims - 1) +
                                               ", each once; got " + std::to_string(axis) + "; name others");
    checked.push_back(a);
  }
  return checked;
}

/// The transform that takes views of these types from one to the other; `shape` is still to be said.
template <class In, class Out>
[[nodiscard]] Problem problem_of(const std::vector<int>& axes) {
  return {.kind = number_of<In>::complex && number_of<Out>::complex ? Kind::c2c : Kind::r2c,
          .precision = number_of<In>::size == sizeof(float) ? Precision::f32 : Precision::f64,
          .axes = checked_axes(axes, rank_of<In>),
          .forward = Scaling::none,
          .backward = Scaling::none};
}

/// Extents of the spectrum of `problem`.
[[nodiscard]] inline Shape spectrum_shape(const Problem& problem) {
  Shape shape = problem.shape;
  if (problem.kind == Kind::r2c) shape[problem.axes.back()] = shape[problem.axes.back()] / 2 + 1;
  return shape;
}

/// Throws Error(invalid_problem) unless the View called `side` has the extents that the other side asks for.
inline void require_extents(const std::string& side, const Shape& got, const Shape& wanted) {
  if (!(got == wanted))
    throw Error(Status::invalid_problem, "the " + side + " View has the extents that follow from the other View, " +
                                             to_string(wanted) + "; got " + to_string(got) + "; allocate it so");
}

/// Throws Error(invalid_argument) for reals that would go the wrong way.
template <class In, class Out>
void require_direction(Direction direction) {
  const bool wrong = direction == Direction::forward ? !number_of<Out>::complex : !number_of<In>::complex;
  if (wrong)
    throw Error(Status::invalid_argument,
                "forward transforms end at complex numbers and backward ones begin there; got reals; ask for the "
                "other direction, or swap the Views");
}

}  // namespace shardfft::kokkos
