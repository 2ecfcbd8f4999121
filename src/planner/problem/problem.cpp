#include "planner/problem/problem.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

std::vector<int> checked_axes(const Problem& problem) {
  const int dims = problem.shape.dims();
  std::vector<int> axes = problem.axes;
  if (problem.kind == Kind::move) {
    if (!axes.empty())
      refuse_problem(fmt::format("a plan that only moves transforms no axes; got axes {}; leave them empty",
                                 fmt::join(axes, ",")));
    return axes;
  }
  if (axes.empty())
    for (int a = 0; a < dims; ++a) axes.push_back(a);
  for (int& axis : axes) {
    if (axis < -dims || axis >= dims)
      refuse_problem(
          fmt::format("an axis lies between {} and {} for {} dimensions, got {}", -dims, dims - 1, dims, axis));
    if (axis < 0) axis += dims;
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (std::find(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, axes.end(), axes[i]) != axes.end())
      refuse_problem(
          fmt::format("an axis is transformed once, got axes {}; name each axis once", fmt::join(problem.axes, ",")));
  return axes;
}

// Numbers from another language may be none of the enumerators.
void check_words(const Problem& problem) {
  const auto check_one = [](const char* what, int value, int count, const char* words) {
    if (value < 0 || value >= count)
      refuse_problem(fmt::format("{} is one of {}; got the number {}", what, words, value));
  };
  check_one("kind", static_cast<int>(problem.kind), 5, "c2c, r2c, c2r, move, r2r");
  check_one("precision", static_cast<int>(problem.precision), 2, "f32, f64");
  for (const Scaling scaling : {problem.forward, problem.backward})
    check_one("a scaling", static_cast<int>(scaling), 4, "none, by_sqrt_n, by_n, orthonormal");
  for (const AxisKind kind : problem.kinds)
    check_one("the kind of an axis", static_cast<int>(kind), 10, "fourier, cosine1 to 4, sine1 to 4, hartley");
}

void check_element(const Problem& problem) {
  const int bytes = problem.element_bytes;
  if (bytes == 0) return;
  if (problem.kind != Kind::move)
    refuse_problem(fmt::format("element_bytes is of plans that only move; got {} for {}; leave it 0", bytes,
                               to_string(problem.kind)));
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
    refuse_problem(
        fmt::format("elements that are moved have 1, 2, 4, 8 or 16 bytes; got {}; move the parts of larger ones along "
                    "one more axis",
                    bytes));
}

void check_shape(const Problem& problem) {
  if (problem.shape.dims() < 1) refuse_problem("a shape has 1 to 8 dimensions, got none");
  for (const Index n : problem.shape)
    if (n < 1)
      refuse_problem(
          fmt::format("extents are at least 1, got {}; leave out arrays without elements", to_string(problem.shape)));
  const Index elements = product(problem.shape);
  if (elements > (Index{1} << 62) / 16)
    refuse_problem(fmt::format("an array has at most 2^58 elements, got {}{}; use a smaller shape",
                               to_string(problem.shape),
                               problem.shape.dims() > 1 ? fmt::format(" = {}", elements) : ""));
}

}  // namespace

CheckedProblem check(const Problem& problem) {
  check_words(problem);
  check_shape(problem);
  check_element(problem);
  CheckedProblem p{.asked = problem,
                   .axes = checked_axes(problem),
                   .real = problem.kind == Kind::r2c || problem.kind == Kind::c2r,
                   .points = problem.shape};
  p.scalar = problem.precision == Precision::f32 ? Scalar::f32 : Scalar::f64;
  if (p.moves()) {
    const int bytes = problem.element_bytes > 0 ? problem.element_bytes : 2 * static_cast<int>(size_of(p.scalar));
    p.scalar = bytes == 1 ? Scalar::b8 : bytes == 2 ? Scalar::b16 : bytes == 4 ? Scalar::f32 : Scalar::f64;
    p.complex_space = p.complex_spectrum = bytes == 16;
  }
  if (problem.kind == Kind::r2r) p.complex_spectrum = false;
  p.complex_space &= !p.real && p.complex_spectrum;
  check_axes(problem, p);
  return p;
}

double CheckedProblem::scale(bool forward) const {
  double n = 1;
  for (const int axis : axes) n *= static_cast<double>(analysis(axis).logical_length());
  return scale_of(scaling(forward), n);
}

AxisKind CheckedProblem::kind(int axis) const {
  return kinds[static_cast<std::size_t>(std::find(axes.begin(), axes.end(), axis) - axes.begin())];
}

bool CheckedProblem::has_fourier_only() const {
  return std::all_of(kinds.begin(), kinds.end(), [](AxisKind k) { return k == AxisKind::fourier; });
}

bool CheckedProblem::is_pruned() const { return support != points || modes != points; }

double CheckedProblem::largest_array() const {
  double elements = 1;
  for (int a = 0; a < dims(); ++a)
    elements *= static_cast<double>(std::max(spectrum[a], a == real_axis ? space[a] / 2 + 1 : space[a]));
  return elements;
}

AxisTransform CheckedProblem::analysis(int axis) const {
  constexpr Index lanes = 8;
  const bool forward = analysis_is_forward();
  return {.axis = axis,
          .n = points[axis],
          .transform = axis == real_axis                 ? Transform1d::r2c
                       : kind(axis) == AxisKind::fourier ? Transform1d::forward
                                                         : transform_of(kind(axis)),
          .few_pencils = product(points) / points[axis] < lanes,
          .strided = axis == 0 && points.dims() > 1,
          .kept = {.support = support[axis] == points[axis] ? 0 : support[axis],
                   .modes = modes[axis] == points[axis] ? 0 : modes[axis]},
          .complex = complex_spectrum,
          .orthonormal = scaling(forward) == Scaling::orthonormal,
          .inverse_orthonormal = scaling(!forward) == Scaling::orthonormal};
}

std::string to_string(const Problem& problem) {
  constexpr const char* scalings[] = {"none", "by_sqrt_n", "by_n", "orthonormal"};
  if (problem.kind == Kind::move)
    return fmt::format("{} move, {} bytes each", to_string(problem.shape),
                       problem.element_bytes > 0  ? problem.element_bytes
                       : problem.precision == f32 ? 8
                                                  : 16);
  std::string text =
      fmt::format("{} {} {}, axes", to_string(problem.shape), to_string(problem.kind), to_string(problem.precision));
  if (problem.axes.empty()) text += " all";
  for (const int axis : problem.axes) text += fmt::format(" {}", axis);
  if (!problem.kinds.empty()) text += ", kinds";
  for (const AxisKind kind : problem.kinds) text += fmt::format(" {}", to_string(kind));
  if (problem.modes.dims() > 0) text += ", modes " + to_string(problem.modes);
  if (problem.support.dims() > 0) text += ", support " + to_string(problem.support);
  if (problem.forward != Scaling::none)
    text += fmt::format(", forward scaled {}", scalings[static_cast<int>(problem.forward)]);
  if (problem.backward != Scaling::by_n)
    text += fmt::format(", backward scaled {}", scalings[static_cast<int>(problem.backward)]);
  return text;
}

}  // namespace shardfft
