// Kinds, modes and support of a problem: which make sense, and what they mean for each axis.
#include <algorithm>

#include <fmt/format.h>

#include "planner/problem/problem.hpp"
#include "shardfft/error.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

void check_kinds(const Problem& problem, const CheckedProblem& p) {
  const std::vector<AxisKind>& kinds = problem.kinds;
  if (!kinds.empty() && kinds.size() != p.axes.size())
    refuse_problem(
        fmt::format("kinds are one for each transformed axis; got {} for {} axes; give as many, or none for fourier",
                    kinds.size(), p.axes.size()));
  const auto fourier = std::count(p.kinds.begin(), p.kinds.end(), AxisKind::fourier);
  if (problem.kind == Kind::r2r && (kinds.empty() || fourier > 0))
    refuse_problem(
        "r2r takes reals to reals, by cosine, sine or hartley along each axis; got fourier; use r2c, or name kinds");
  if (p.real && fourier == 0)
    refuse_problem(
        fmt::format("{} has a fourier axis, whose half spectrum it makes; got none; use r2r", to_string(problem.kind)));
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (p.kinds[i] == AxisKind::cosine1 && p.points[p.axes[i]] == 1)
      refuse_problem(fmt::format(
          "cosine1 has both ends of an axis, two points at least; got 1 along axis {}; use cosine2", p.axes[i]));
}

// Each number from 1 to the extent, that of axes which are not transformed the extent itself; 0 stands for it.
Coord spelled_out(const char* what, const Coord& asked, const CheckedProblem& p) {
  if (asked.dims() == 0) return p.points;
  if (asked.dims() != p.points.dims())
    refuse_problem(fmt::format("{} are one number for each axis of the array; got {} for {} axes", what,
                               to_string(asked), p.points.dims()));
  Coord all = asked;
  for (int axis = 0; axis < all.dims(); ++axis) {
    const Index n = p.points[axis];
    if (all[axis] == 0) all[axis] = n;
    if (all[axis] < 1 || all[axis] > n)
      refuse_problem(fmt::format("{} along an axis are from 1 to its {} points; got {} along axis {}; 0 means all",
                                 what, n, all[axis], axis));
    if (all[axis] < n && std::find(p.axes.begin(), p.axes.end(), axis) == p.axes.end())
      refuse_problem(
          fmt::format("{} are fewer along transformed axes only; got {} of {} along axis {}; use a smaller shape", what,
                      all[axis], n, axis));
  }
  return all;
}

}  // namespace

void check_axes(const Problem& problem, CheckedProblem& p) {
  p.kinds = problem.kinds.empty() ? std::vector<AxisKind>(p.axes.size(), AxisKind::fourier) : problem.kinds;
  check_kinds(problem, p);
  if (p.real)
    for (std::size_t i = 0; i < p.axes.size(); ++i)
      if (p.kinds[i] == AxisKind::fourier) p.real_axis = p.axes[i];
  p.support = spelled_out("support", problem.support, p);
  p.modes = spelled_out("modes", problem.modes, p);
  p.space = p.support;
  p.spectrum = p.modes;
  if (p.real) p.spectrum[p.real_axis] = p.modes[p.real_axis] / 2 + 1;
  for (std::size_t i = 0; i < p.axes.size(); ++i)
    if (p.kinds[i] == AxisKind::hartley && p.modes[p.axes[i]] < p.points[p.axes[i]])
      throw Error(Status::unsupported,
                  fmt::format("fewer modes of hartley axes are not computed yet; got {} along axis {}; use fourier",
                              p.modes[p.axes[i]], p.axes[i]));
}

AxisKind kind_of(Boundary low, Boundary high, Points points) {
  if ((low == Boundary::periodic) != (high == Boundary::periodic))
    refuse_problem(
        "both ends of an axis are periodic, or neither; got one; name even or odd for the other, or periodic twice");
  if (low == Boundary::periodic) return AxisKind::fourier;
  const bool nodes = points == Points::nodes;
  if (low == high) {
    if (low == Boundary::even) return nodes ? AxisKind::cosine1 : AxisKind::cosine2;
    return nodes ? AxisKind::sine1 : AxisKind::sine2;
  }
  if (low == Boundary::even) return nodes ? AxisKind::cosine3 : AxisKind::cosine4;
  return nodes ? AxisKind::sine3 : AxisKind::sine4;
}

Index dealiased(Index n) { return 2 * ((n - 1) / 3) + 1; }

}  // namespace shardfft
