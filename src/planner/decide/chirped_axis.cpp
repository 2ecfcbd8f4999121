#include "planner/decide/chirped_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/native/factors.hpp"
#include "planner/options/choices.hpp"

namespace shardfft {
namespace {

// Bits depend on these, so they are not the machine's. Below, one rank takes a few milliseconds.
constexpr Index long_axis = 1 << 20, least_forced = 11;
// The halves that a four-step axis has at least (four_step_axis.cpp), by default and with split = always.
constexpr Index least_factor = 8, least_factor_forced = 2;
// Costs of an element, beside its transforms: it is loaded and stored.
constexpr double moved = 20;

bool is_smooth(Index n) {
  for (const Index prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

Index smooth_at_least(Index n) {
  while (!is_smooth(n)) ++n;
  return n;
}

double cost_of(const ChirpedAxis& a) {
  const double rows = static_cast<double>(a.rows) * static_cast<double>(a.wide),
               all = static_cast<double>(a.tall) * static_cast<double>(a.wide);
  return rows * (native::decompose(a.wide).cost + moved) + all * (native::decompose(a.tall).cost + moved);
}

// Rows of about the square root of n.
ChirpedAxis cheapest(int axis, Index n) {
  ChirpedAxis best;
  double least = std::numeric_limits<double>::infinity();
  Index root = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  for (Index wide = std::max<Index>(root, 3); wide <= 4 * root + 4; ++wide) {
    if (!is_smooth(wide)) continue;
    ChirpedAxis a{.axis = axis, .n = n, .row = (wide + 1) / 2, .wide = wide};
    a.rows = (n + a.row - 1) / a.row;
    a.tall = smooth_at_least(2 * a.rows - 1);
    if (const double cost = cost_of(a); cost < least) best = a, least = cost;
  }
  return best;
}

}  // namespace

std::optional<ChirpedAxis> choose_chirped(const CheckedProblem& p, const Options& o, CallersLayouts& ends) {
  const SplitAxis wanted = o.expert.split;
  if (wanted == SplitAxis::never || p.is_pruned() || p.dims() == max_dims || !p.has_fourier_only()) return std::nullopt;
  if (p.asked.kind != Kind::c2c || o.apply != Apply::none || !o.device.empty() || !o.expert.axis_order.empty())
    return std::nullopt;
  if (has_tolerance(o) || !(o.expert.codec.empty() || o.expert.codec == "none")) return std::nullopt;
  for (const LayoutSpec* end : {&ends.space, &ends.spectrum})
    if (end->kind == LayoutSpec::Kind::cyclic) return std::nullopt;
  const auto axis = std::ranges::find_if(p.axes, [&](int a) { return p.space[a] == product(p.space); });
  if (axis == p.axes.end()) return std::nullopt;
  const Index n = p.space[*axis];
  const bool forced = wanted == SplitAxis::always;
  if (n < (forced ? least_forced : long_axis)) return std::nullopt;
  if (balanced_split(*axis, n, forced ? least_factor_forced : least_factor)) return std::nullopt;
  for (LayoutSpec* end : {&ends.space, &ends.spectrum})
    if (end->kind == LayoutSpec::Kind::any) *end = slabs(*axis).ordered(end->order);
  return cheapest(*axis, n);
}

CheckedProblem chirped(const ChirpedAxis& a, const CheckedProblem& problem) {
  CheckedProblem p = problem;
  p.asked.forward = p.asked.backward = Scaling::none;
  p.axes = {a.axis, a.axis + 1};
  p.kinds.assign(2, AxisKind::fourier);
  p.support = p.space = split(a.halves(), Digits::before, problem.space);
  p.points = p.space;
  p.points[a.axis] = a.tall, p.points[a.axis + 1] = a.wide;
  p.modes = p.spectrum = p.points;
  return p;
}

}  // namespace shardfft
