#include "plan/operators/wave_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

[[noreturn]] void fail(const std::string& text) { throw Error(Status::invalid_argument, text); }

// Of the array along each axis, that of a spectrum where fewer modes are kept.
Shape modes_of(const Problem& problem) {
  Shape modes = problem.shape;
  for (int a = 0; a < problem.modes.dims(); ++a)
    if (problem.modes[a] > 0) modes[a] = problem.modes[a];
  return modes;
}

std::vector<int> transformed(const Problem& problem) {
  std::vector<int> axes = problem.axes;
  const int dims = problem.shape.dims();
  for (int a = 0; problem.axes.empty() && a < dims; ++a) axes.push_back(a);
  for (int& axis : axes) axis += axis < 0 ? dims : 0;
  std::sort(axes.begin(), axes.end());
  return axes;
}

}  // namespace

WaveNumbers::WaveNumbers(const Plan& plan, std::span<const double> lengths)
    : axes_(transformed(plan.problem())),
      precision_(plan.problem().precision),
      points_(modes_of(plan.problem())),
      lengths_(lengths.begin(), lengths.end()) {
  if (!plan.middle_is_spectrum())
    fail(
        "ready operators act on spectra; got a plan whose operators see points; make it with the other value of "
        "options.apply");
  const int dims = points_.dims();
  if (static_cast<int>(lengths_.size()) != dims)
    fail(
        fmt::format("an operator has one length for each axis of the array, {}; got {}; give any number for axes that "
                    "are not transformed",
                    dims, lengths_.size()));
  for (int a = 0; a < dims; ++a) {
    const double length = lengths_[static_cast<std::size_t>(a)];
    if (transforms(a) && !(length > 0 && std::isfinite(length)))
      fail(fmt::format("the length of a periodic box is positive and finite; got {} along axis {}", length, a));
    AxisTable& k = k_.emplace_back();
    for (const double frequency : plan.wave(a))
      k.push_back(transforms(a) ? 2 * std::numbers::pi / length * frequency : 0);
  }
}

bool WaveNumbers::transforms(int axis) const { return std::find(axes_.begin(), axes_.end(), axis) != axes_.end(); }

AxisTable WaveNumbers::odd(int axis) const {
  AxisTable table = k(axis);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (is_middle(axis, static_cast<Index>(i))) table[i] = 0;
  return table;
}

// In powers of s = sin(k h / 2)^2, which lose nothing where k is small.
AxisTable WaveNumbers::laplace(int axis, Stencil stencil) const {
  AxisTable table = k(axis);
  const double h = lengths_[static_cast<std::size_t>(axis)] / static_cast<double>(points_[axis]);
  for (double& value : table) {
    const double sine = std::sin(value * h / 2), s = sine * sine;
    value = stencil == Stencil::spectral       ? value * value
            : stencil == Stencil::second_order ? 4 * s / (h * h)
            : stencil == Stencil::fourth_order ? 4 * s * (1 + s / 3) / (h * h)
                                               : 4 * s * (1 + s / 3 + 8 * s * s / 45) / (h * h);
  }
  return table;
}

}  // namespace shardfft
