#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/decide/decompose.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

// The order may not depend on how many ranks there are, so it is decided for a made-up machine and shape.
constexpr int nominal_ranks = 16;
constexpr Index nominal_extent = 64;

// Axes whose transform changes nothing are left out, as long as an axis is left.
std::vector<AxisTransform> spell_out(const CheckedProblem& p, const std::vector<int>& axes) {
  std::vector<AxisTransform> order;
  for (const int axis : axes)
    if (const AxisTransform a = p.analysis(axis); !a.is_nothing()) order.push_back(a);
  if (order.empty()) order.push_back(p.analysis(axes.front()));
  return order;
}

// A half spectrum is made first, of reals.
std::vector<int> real_first(const CheckedProblem& p, std::vector<int> axes) {
  const auto real = std::find(axes.begin(), axes.end(), p.real_axis);
  if (real != axes.end()) std::rotate(axes.begin(), real, real + 1);
  return axes;
}

std::vector<int> last_first(const CheckedProblem& p) { return real_first(p, {p.axes.rbegin(), p.axes.rend()}); }

std::vector<int> opposite(const CheckedProblem& p) { return real_first(p, p.axes); }

bool in_words(const LayoutSpec& spec) {
  return spec.kind != LayoutSpec::Kind::boxes && spec.kind != LayoutSpec::Kind::grid;
}

// Whatever their memory order. Only of such layouts, and of two cuts into slabs, does the made-up machine know which
// order needs fewest exchanges on all others.
bool are_cut_alike(const LayoutSpec& a, const LayoutSpec& b) {
  if (a.kind != b.kind) return false;
  return a.kind == LayoutSpec::Kind::slabs || a.kind == LayoutSpec::Kind::bricks ||
         (a.kind == LayoutSpec::Kind::pencils && a.axis == b.axis);
}

// Axes in the memory order of that layout.
std::vector<int> fastest_first(const CheckedProblem& p, const LayoutSpec& spec) {
  std::vector<int> axes = p.axes;
  const auto place = [&](int axis) {
    return spec.order.empty() ? std::ptrdiff_t{axis}
                              : std::find(spec.order.begin(), spec.order.end(), axis) - spec.order.begin();
  };
  std::sort(axes.begin(), axes.end(), [&](int a, int b) { return place(a) > place(b); });
  return axes;
}

std::vector<int> axes_of(const std::vector<AxisTransform>& order) {
  std::vector<int> axes;
  for (const AxisTransform& a : order) axes.push_back(a.axis);
  return axes;
}

LayoutSpec without_block(LayoutSpec spec) {
  spec.block = 0;
  return spec;
}

double exchanges(const CheckedProblem& p, const std::vector<int>& axes, const LayoutSpec& space,
                 const LayoutSpec& spectrum) {
  CheckedProblem nominal = p;
  nominal.points = nominal.space = nominal.spectrum = nominal.support = nominal.modes =
      Coord::filled(p.dims(), nominal_extent);
  nominal.real = false;
  nominal.real_axis = -1;
  return decompose(nominal, spell_out(nominal, axes), without_block(space), without_block(spectrum), nominal_ranks, {},
                   {})
      .cost;
}

std::vector<int> checked(const CheckedProblem& p, std::vector<int> forced) {
  for (int& axis : forced)
    if (axis < 0) axis += p.dims();
  std::vector<int> a = forced, b = p.axes;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a != b)
    throw Error(Status::invalid_argument, fmt::format("axis_order names every transformed axis once: {}; got {}",
                                                      fmt::join(p.axes, ","), fmt::join(forced, ",")));
  if (!p.analysis_is_forward()) std::reverse(forced.begin(), forced.end());
  if (p.real && forced.front() != p.real_axis)
    throw Error(Status::invalid_argument,
                fmt::format("axis_order has the real axis, {}, {}; got {}", p.real_axis,
                            p.analysis_is_forward() ? "first (r2c)" : "last (c2r)", fmt::join(forced, ",")));
  return forced;
}

}  // namespace

std::vector<AxisTransform> axis_order(const CheckedProblem& p, const LayoutSpec& space, const LayoutSpec& spectrum,
                                      const std::vector<int>& forced) {
  if (!forced.empty()) return spell_out(p, checked(p, forced));
  std::vector<int> axes = last_first(p);
  if (in_words(space) && in_words(spectrum) && axes.size() > 1)
    if (const std::vector<int> other = opposite(p);
        exchanges(p, other, space, spectrum) < exchanges(p, axes, space, spectrum))
      axes = other;
  return spell_out(p, axes);
}

std::vector<AxisTransform> synthesis_order(const CheckedProblem& p, const LayoutSpec& space, const LayoutSpec& spectrum,
                                           const std::vector<AxisTransform>& analysis) {
  if (p.real || p.dims() < 3 || !are_cut_alike(space, spectrum)) return {};
  const int fastest = spectrum.order.empty() ? p.dims() - 1 : spectrum.order.back();
  if (std::find(p.axes.begin(), p.axes.end(), fastest) == p.axes.end()) return {};
  const auto order = spell_out(p, fastest_first(p, spectrum)),
             reverse = std::vector(analysis.rbegin(), analysis.rend());
  const bool same = std::equal(order.begin(), order.end(), reverse.begin(),
                               [](const AxisTransform& a, const AxisTransform& b) { return a.axis == b.axis; });
  return same || exchanges(p, axes_of(order), spectrum, space) > exchanges(p, axes_of(reverse), spectrum, space)
             ? std::vector<AxisTransform>{}
             : order;
}

}  // namespace shardfft
