// Lengths other than those of the input: it is cut off or continued by zeros, without a copy.
#pragma once

#include <algorithm>
#include <string>

#include "shardfft/kokkos/asked.hpp"

namespace shardfft::kokkos {

/// What becomes of one axis of the input that has `got` elements where the transform wants `wanted`. Cut off, it keeps
/// its strides. Zeros in space are Problem::support; zeros behind a half spectrum are Problem::modes.
inline void fit_axis(Asked& asked, int axis, Index got, Index wanted) {
  asked.input().extents[axis] = std::min(got, wanted);
  if (got >= wanted) return;
  Problem& problem = asked.problem;
  const bool is_halved = problem.kind == Kind::r2c && axis == problem.axes.back();
  Coord& fewer = asked.direction == Direction::forward ? problem.support : problem.modes;
  if (asked.direction == Direction::backward && !is_halved)
    throw Error(Status::unsupported, "a spectrum is continued by zeros along the halved axis alone; got " +
                                         std::to_string(got) + " of " + std::to_string(wanted) +
                                         " elements along axis " + std::to_string(axis) +
                                         "; copy it into a View of zeros");
  if (fewer.dims() == 0) fewer = Coord::filled(problem.shape.dims(), 0);
  fewer[axis] = is_halved && asked.direction == Direction::backward ? 2 * got - 1 : got;
}

/// Sets the problem's shape from both Views and `lengths`, one for each of its axes, 0 for that of the View.
/// Throws Error(invalid_problem) if the Views do not fit each other.
inline void find_shape(Asked& asked, const std::vector<Index>& lengths) {
  Problem& problem = asked.problem;
  const Shape in = asked.input().extents, out = asked.output().extents;
  const bool from_reals = problem.kind == Kind::r2c && asked.direction == Direction::forward;
  problem.shape = from_reals ? in : out;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] > 0) problem.shape[problem.axes[i]] = lengths[i];
  const bool is_forward = asked.direction == Direction::forward;
  require_extents("output", out, is_forward ? spectrum_shape(problem) : problem.shape);
  const Shape wanted = is_forward ? problem.shape : spectrum_shape(problem);
  Shape fitting = in;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] > 0) fitting[problem.axes[i]] = wanted[problem.axes[i]];
  require_extents("input", fitting, wanted);
  for (const int axis : problem.axes) fit_axis(asked, axis, in[axis], wanted[axis]);
}

}  // namespace shardfft::kokkos
