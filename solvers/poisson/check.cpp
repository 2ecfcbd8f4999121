#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "poisson/axis.hpp"
#include "shardfft/error.hpp"

namespace shardfft::solvers {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw Error(Status::invalid_problem, text); }

void check_numbers(const char* name, const std::vector<double>& numbers, int axes) {
  const auto right = [](double x) { return std::isfinite(x) && x > 0; };
  if (!numbers.empty() && (static_cast<int>(numbers.size()) != axes || !std::ranges::all_of(numbers, right)))
    refuse(fmt::format("{} are one positive number for each of {} axes; got {}; give {} of them", name, axes,
                       fmt::join(numbers, ", "), axes));
}

void check_ends(const PoissonProblem& problem) {
  const int axes = problem.shape.dims();
  if (!problem.ends.empty() && static_cast<int>(problem.ends.size()) != axes)
    refuse(
        fmt::format("boundaries are given for each axis, or for none, which is periodic; got {} for {} axes; give {}",
                    problem.ends.size(), axes, axes));
  for (std::size_t a = 0; a < problem.ends.size(); ++a) {
    const auto [low, high] = problem.ends[a];
    if ((low == Boundary::periodic) != (high == Boundary::periodic))
      refuse(
          fmt::format("an axis is periodic at both ends or at none; got one periodic end of axis {}; say what holds at "
                      "its other end",
                      a));
    if (problem.points == Points::nodes && low == Boundary::even && high == Boundary::even &&
        problem.shape[static_cast<int>(a)] < 2)
      refuse(
          fmt::format("nodes between two Neumann ends are at least 2, both ends; got 1 along axis {}; take cells, or "
                      "more points",
                      a));
  }
}

void check_values(const PoissonProblem& problem) {
  if (problem.values.empty()) return;
  const int axes = problem.shape.dims();
  if (static_cast<int>(problem.values.size()) != axes)
    refuse(fmt::format("values at the ends are given for each axis, or for none; got {} for {} axes; give {}",
                       problem.values.size(), axes, axes));
  for (std::size_t a = 0; a < problem.values.size(); ++a) {
    const bool given = problem.values[a].low || problem.values[a].high;
    if (given && (problem.ends.empty() || problem.ends[a].low == Boundary::periodic))
      refuse(
          fmt::format("values are given at Dirichlet and Neumann ends; got some for axis {}, which is periodic; leave "
                      "them out",
                      a));
    if (given && problem.scheme != Scheme::second_order)
      refuse(
          "values other than zero at the ends go with second order; got another scheme; take second_order, or "
          "subtract a function that has these values from u first");
  }
}

void check_stretched(const PoissonProblem& problem) {
  const int axes = problem.shape.dims(), a = problem.stretched;
  if (a == -1) {
    if (!problem.faces.empty())
      refuse(fmt::format("faces belong to the stretched axis; got {} of them and no such axis; name it",
                         problem.faces.size()));
    return;
  }
  if (axes < 2 || a < 0 || a >= axes)
    refuse(fmt::format("one of 2 or 3 axes may be stretched; got axis {} of {}; name one of them", a, axes));
  if (problem.points != Points::cells || problem.scheme == Scheme::compact)
    refuse(
        "a stretched axis has points in cells and no compact scheme; got another choice; take Points::cells and "
        "second order, or one of the other schemes along the other axes");
  if (problem.ends.empty() || problem.ends[static_cast<std::size_t>(a)].low == Boundary::periodic)
    refuse(
        fmt::format("a stretched axis has Dirichlet or Neumann ends; got a periodic axis {}; say what holds there", a));
  if (static_cast<Index>(problem.faces.size()) != problem.shape[a] + 1)
    refuse(fmt::format("a stretched axis of {} cells has {} faces; got {}; give one for each side of a cell",
                       problem.shape[a], problem.shape[a] + 1, problem.faces.size()));
  for (std::size_t i = 0; i + 1 < problem.faces.size(); ++i)
    if (!(problem.faces[i] < problem.faces[i + 1]) || !std::isfinite(problem.faces[i + 1] - problem.faces[i]))
      refuse(fmt::format("faces ascend; got {} before {}; sort them", problem.faces[i], problem.faces[i + 1]));
}

}  // namespace

void check(const PoissonProblem& problem) {
  const int axes = problem.shape.dims();
  if (axes < 1 || axes > 3) refuse(fmt::format("a box has 1 to 3 axes; got {}; leave out the others", axes));
  for (const Index n : problem.shape)
    if (n < 1) refuse(fmt::format("a box has at least 1 point along each axis; got {}", to_string(problem.shape)));
  check_numbers("lengths", problem.lengths, axes);
  check_numbers("spacing", problem.spacing, axes);
  if (!problem.lengths.empty() && !problem.spacing.empty())
    refuse("the size of a box is said once; got lengths and spacing; leave out one of them");
  if (!std::isfinite(problem.shift) || problem.shift < 0)
    refuse(
        fmt::format("shift is at least 0, for -laplacian(u) has no negative eigenvalues; got {}; a negative one may "
                    "make the equation singular",
                    problem.shift));
  if (!(problem.compatible >= 0))
    refuse(fmt::format("compatible is at least 0; got {}; 0 leaves it to the solver", problem.compatible));
  check_ends(problem);
  check_values(problem);
  check_stretched(problem);
}

}  // namespace shardfft::solvers
