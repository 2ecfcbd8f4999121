#include "planner/decide/chirped_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/native/factors.hpp"
#include "planner/options/choices.hpp"

namespace shardfft {
namespace {

// Bits depend on these, so they are not the machine's. One rank takes up to twice as long as for the whole axis, so the
// default is for arrays that are shared because of their size: 2 GiB of f64.
constexpr Index long_axis = 1 << 27, least_forced = 11;
// Chirps are made of exact roots of unity, as kernels are; beyond this they refuse such a length.
constexpr Index longest = Index{1} << 40;
// The halves that a four-step axis has at least (four_step_axis.cpp), by default and with split = always.
constexpr Index least_factor = 8, least_factor_forced = 2;
// Costs of an element, beside its transforms: it is loaded and stored.
constexpr double moved = 20;

/// Products of 2, 3, 5 and 7 up to `most`, in order.
std::vector<Index> smooth_lengths(Index most) {
  std::vector<Index> list{1};
  for (const Index prime : {2, 3, 5, 7})
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] <= most / prime) list.push_back(list[i] * prime);
  std::ranges::sort(list);
  return list;
}

double cost_of(const ChirpedAxis& a) {
  const double rows = static_cast<double>(a.rows) * static_cast<double>(a.wide),
               all = static_cast<double>(a.tall) * static_cast<double>(a.wide);
  return rows * (native::decompose(a.wide).cost + moved) + all * (native::decompose(a.tall).cost + moved);
}

// Rows of about the square root of n. Twice as many as there may be, and a power of two, are among the lengths.
ChirpedAxis cheapest(int axis, Index n) {
  ChirpedAxis best;
  double least = std::numeric_limits<double>::infinity();
  const auto root = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  const std::vector<Index> lengths = smooth_lengths(8 * root + 32);
  for (const Index wide : lengths) {
    if (wide < std::max<Index>(root, 3) || wide > 4 * root + 4) continue;
    ChirpedAxis a{.axis = axis, .n = n, .row = (wide + 1) / 2, .wide = wide};
    a.rows = (n + a.row - 1) / a.row;
    a.tall = *std::ranges::lower_bound(lengths, 2 * a.rows - 1);
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
  if (n < (forced ? least_forced : long_axis) || n > longest) return std::nullopt;
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
