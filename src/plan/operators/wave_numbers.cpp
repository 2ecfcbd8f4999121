#include "plan/operators/wave_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "shardfft/operators/elementary.hpp"
#include "support/refuse.hpp"
#include "support/waves.hpp"

namespace shardfft {
namespace {

Shape modes_of(const Problem& problem) {
  Shape modes = problem.shape;
  for (int a = 0; a < problem.modes.dims(); ++a)
    if (problem.modes[a] > 0) modes[a] = problem.modes[a];
  return modes;
}

// The kind of each axis of the array; nothing for an axis that is not transformed.
std::vector<std::optional<AxisKind>> kinds_of(const Problem& problem) {
  const int dims = problem.shape.dims();
  std::vector<std::optional<AxisKind>> kinds(static_cast<std::size_t>(dims));
  const auto count = problem.axes.empty() ? static_cast<std::size_t>(dims) : problem.axes.size();
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = problem.axes.empty() ? static_cast<int>(i) : problem.axes[i];
    kinds[static_cast<std::size_t>(axis < 0 ? axis + dims : axis)] =
        problem.kinds.empty() ? AxisKind::fourier : problem.kinds[i];
  }
  return kinds;
}

void require_one_for_each(const Shape& shape, const char* what, std::span<const double> numbers) {
  if (static_cast<int>(numbers.size()) != shape.dims())
    refuse_argument(
        fmt::format("an operator has one {} for each axis of the array, {}; got {}; give any number for axes that "
                    "are not transformed",
                    what, shape.dims(), numbers.size()));
}

void require_positive(const char* what, double number, int axis) {
  if (!(number > 0 && std::isfinite(number)))
    refuse_argument(fmt::format("the {} is positive and finite; got {} along axis {}", what, number, axis));
}

double boxes_in_period(AxisKind kind) { return is_periodic(kind) ? 1 : 2; }

// The last fourier one.
int half_axis_of(const Problem& problem) {
  if (problem.kind != r2c && problem.kind != c2r) return -1;
  const int dims = problem.shape.dims();
  for (int i = problem.axes.empty() ? dims : static_cast<int>(problem.axes.size()); i-- > 0;) {
    const auto at = static_cast<std::size_t>(i);
    if (!problem.kinds.empty() && problem.kinds[at] != AxisKind::fourier) continue;
    const int axis = problem.axes.empty() ? i : problem.axes[at];
    return axis < 0 ? axis + dims : axis;
  }
  return -1;
}

}  // namespace

WaveNumbers::WaveNumbers(const Problem& problem, std::span<const double> lengths)
    : kinds_(kinds_of(problem)),
      precision_(problem.precision),
      complex_(problem.kind != r2r),
      half_axis_(half_axis_of(problem)),
      modes_(modes_of(problem)),
      lengths_(lengths.begin(), lengths.end()) {
  const int dims = modes_.dims();
  require_one_for_each(modes_, "length", lengths_);
  for (int a = 0; a < dims; ++a) {
    const bool half = a == half_axis_;
    const Index count = half ? modes_[a] / 2 + 1 : modes_[a];
    const auto& kind = kinds_[static_cast<std::size_t>(a)];
    if (!kind) {
      k_.emplace_back(static_cast<std::size_t>(count), 0.0);
      spacings_.push_back(0);
      periods_.push_back(0);
      continue;
    }
    const double length = lengths_[static_cast<std::size_t>(a)], period = boxes_in_period(*kind) * length;
    require_positive("length of a box", length, a);
    axes_.push_back(a);
    spacings_.push_back(period / static_cast<double>(logical_length(*kind, problem.shape[a])));
    periods_.push_back(period);
    AxisTable& k = k_.emplace_back(frequencies(*kind, count, half));
    for (double& number : k) number *= 2 * std::numbers::pi / period;
  }
}

WaveNumbers::WaveNumbers(const Plan& plan, std::span<const double> lengths) : WaveNumbers(plan.problem(), lengths) {
  if (!plan.middle_is_spectrum())
    refuse_argument(
        "ready operators act on spectra; got a plan whose operators see points; make it with the other value of "
        "options.apply");
}

bool WaveNumbers::transforms(int axis) const { return kinds_[static_cast<std::size_t>(axis)].has_value(); }

bool WaveNumbers::is_fourier(int axis) const { return kinds_[static_cast<std::size_t>(axis)] == AxisKind::fourier; }

void WaveNumbers::require_fourier(int axis, const char* what) const {
  if (transforms(axis) && !is_fourier(axis))
    refuse_argument(
        fmt::format("{} changes the kind of an axis that is not fourier: a cosine has sines; got {} along axis {}; "
                    "go forward and back with two plans, the second one of the other kind",
                    what, to_string(*kinds_[static_cast<std::size_t>(axis)]), axis));
}

AxisTable WaveNumbers::periods_in_box(int axis) const {
  const auto& kind = kinds_[static_cast<std::size_t>(axis)];
  const auto count = static_cast<Index>(k(axis).size());
  return kind ? frequencies(*kind, count, axis == half_axis_) : AxisTable(k(axis).size(), 0.0);
}

double WaveNumbers::extreme_period(bool longest) const {
  double found = 0;
  for (const int a : axes_)
    if (k(a).size() > 1 && (found == 0 || (period(a) > found) == longest)) found = period(a);
  return found > 0 ? found : 2 * std::numbers::pi;
}

AxisTable WaveNumbers::odd(int axis) const {
  AxisTable table = k(axis);
  for (std::size_t i = 0; i < table.size(); ++i)
    if (is_middle(axis, static_cast<Index>(i))) table[i] = 0;
  return table;
}

// In powers of s = sin(k h / 2)^2, which lose nothing where k is small.
AxisTable WaveNumbers::laplace(int axis, Stencil stencil) const {
  AxisTable table = k(axis);
  const double h = spacings_[static_cast<std::size_t>(axis)];
  for (double& value : table) {
    const double sine = nearest_sin(value * h / 2), s = sine * sine;
    value = stencil == Stencil::spectral       ? value * value
            : stencil == Stencil::second_order ? 4 * s / (h * h)
            : stencil == Stencil::fourth_order ? 4 * s * (1 + s / 3) / (h * h)
                                               : 4 * s * (1 + s / 3 + 8 * s * s / 45) / (h * h);
  }
  return table;
}

std::vector<double> spectral::lengths_from(const Plan& plan, std::span<const double> spacing) {
  const Problem& problem = plan.problem();
  require_one_for_each(problem.shape, "spacing", spacing);
  const auto kinds = kinds_of(problem);
  std::vector<double> lengths(spacing.begin(), spacing.end());
  for (int a = 0; a < problem.shape.dims(); ++a) {
    const auto at = static_cast<std::size_t>(a);
    if (!kinds[at]) continue;
    require_positive("spacing of points", spacing[at], a);
    lengths[at] *= static_cast<double>(logical_length(*kinds[at], problem.shape[a])) / boxes_in_period(*kinds[at]);
  }
  return lengths;
}

}  // namespace shardfft
