#include "planner/decide/four_step_axis.hpp"

#include <algorithm>

#include "engine/native/factors.hpp"
#include "planner/options/choices.hpp"

namespace shardfft {
namespace {

// Bits depend on these, so they are not the machine's. Eight or sixteen pencils of so many elements leave a
// second-level cache of today; one that is alone in its tile wastes the other lanes.
constexpr Index long_pencil = 1 << 17, four_step_lonely_pencil = 1 << 6, lonely = 8;
// A lone pencil that is contiguous in memory and fills vectors by itself is faster whole up to this length
// (docs/performance/results.md, "One long axis").
constexpr Index longest_whole = 1 << 11;
// Between these the engine takes four steps within the pencil, in a core's cache, if its halves have similar lengths.
// That is faster than two sweeps.
constexpr Index least_four_step_whole = 1 << 12, most_four_step_whole = 1 << 15, most_apart = 4;
// Rows of a half spectrum do not begin with cache lines, and half of a hermitian one is stored downwards: less is
// gained.
constexpr Index four_step_real_pencil = 1 << 20, lonely_reals = 4;
constexpr Index least_half = 8;
constexpr Index long_on_devices = 1 << 10;  // what is shorter takes less time than the launches

// Numbers in a storage format, on the way to a device, do not tell that elements of a hermitian spectrum stand for
// others.
bool encodes(const Options& o) { return has_tolerance(o) || !(o.expert.codec.empty() || o.expert.codec == "none"); }

bool has_similar_halves(const CheckedProblem& p, int axis) {
  const std::optional<AxisSplit> halves = balanced_split(axis, p.space[axis], least_half, p.real);
  return halves && std::max(halves->slow, halves->fast) <= most_apart * std::min(halves->slow, halves->fast);
}

// Whether the engine computes such pencils with vectors along them: they are contiguous in memory.
bool is_faster_whole(const CheckedProblem& p, int axis) {
  for (int a = axis + 1; a < p.dims(); ++a)
    if (p.space[a] > 1) return false;
  const Index n = p.space[axis], lanes = p.scalar == Scalar::f32 ? native::widest<float> : native::widest<double>;
  if (n >= least_four_step_whole && n < most_four_step_whole && has_similar_halves(p, axis)) return true;
  if (n > longest_whole * (p.scalar == Scalar::f32 ? 2 : 1) || (p.real && n % 2 != 0)) return false;
  return native::fills_vectors(p.real ? n / 2 : n, lanes);
}

std::optional<AxisSplit> split_of_long(const CheckedProblem& p, int axis, bool on_device) {
  const Index n = p.space[axis], others = product(p.space) / n;
  const bool alone = others < (p.real ? lonely_reals : lonely);
  if (alone && !on_device && is_faster_whole(p, axis)) return std::nullopt;
  if (n < (alone ? four_step_lonely_pencil : p.real ? four_step_real_pencil : long_pencil)) return std::nullopt;
  return balanced_split(axis, n, least_half, p.real);
}

// Slabs along the longest other axis, so that nothing moves, or else along this one.
LayoutSpec slabs_beside(const CheckedProblem& p, int axis) {
  int best = axis;
  for (int a = p.dims() - 1; a >= 0; --a)
    if (a != axis && p.space[a] > 1 && (best == axis || p.space[a] >= p.space[best])) best = a;
  return slabs(best);
}

// A device's library does long pencils well; but one that is alone would be all on one rank. The bits are not the
// host's anyway.
bool suits_device(const CheckedProblem& p, const std::vector<int>& axes, bool forced, int ranks) {
  if (forced) return true;
  if (axes.size() != 1 || ranks == 1) return false;
  const Index n = p.space[axes.front()];
  return n >= long_on_devices && product(p.space) / n < lonely;
}

}  // namespace

std::optional<AxisSplit> choose_split(const CheckedProblem& p, const Options& o, CallersLayouts& ends, int ranks) {
  if (p.is_pruned()) return std::nullopt;  // frequencies of both halves together say what is kept
  const bool forced = o.expert.split == SplitAxis::always;
  if (o.apply != Apply::none) return std::nullopt;  // operators see whole axes
  if (o.expert.split == SplitAxis::never || p.dims() == max_dims || !o.expert.axis_order.empty()) return std::nullopt;
  std::vector<int> axes(p.axes.rbegin(), p.axes.rend());
  std::erase_if(axes, [&](int axis) { return p.analysis(axis).is_nothing(); });
  if (!p.has_fourier_only()) return std::nullopt;  // pencils of other kinds stay whole
  if (!o.device.empty() && !suits_device(p, axes, forced, ranks)) return std::nullopt;
  std::optional<AxisSplit> found;
  if (axes.size() == 1 && !(p.real && encodes(o) && !o.device.empty()))
    found = forced ? balanced_split(axes.front(), p.space[axes.front()], 2, p.real)
                   : split_of_long(p, axes.front(), !o.device.empty());
  else if (forced && axes.size() > 1)
    found = balanced_split(axes[1], p.space[axes[1]], 2);
  if (!found) return std::nullopt;
  for (const auto& [end, other] : {std::pair(&ends.space, &ends.spectrum), {&ends.spectrum, &ends.space}})
    if (end->kind == LayoutSpec::Kind::any)
      *end = other->kind == LayoutSpec::Kind::cyclic ? cyclic(other->axis)
                                                     : slabs_beside(p, found->axis).ordered(end->order);
  return found;
}

CheckedProblem split(const AxisSplit& s, const CheckedProblem& problem) {
  CheckedProblem p = problem;
  p.axes.clear();
  for (const int axis : problem.axes) {
    if (axis == s.axis) p.axes.push_back(axis + 1);
    p.axes.push_back(s.inner(axis));
  }
  p.kinds.assign(p.axes.size(), AxisKind::fourier);
  if (p.real) p.real_axis = s.inner(problem.real_axis);
  p.points = p.support = p.modes = p.space = split(s, Digits::before, problem.space);
  p.spectrum = split(s, digits_after(s, problem), problem.spectrum);
  return p;
}

std::vector<AxisTransform> split(const AxisSplit& s, const CheckedProblem& halved,
                                 const std::vector<AxisTransform>& order) {
  std::vector<AxisTransform> result;
  for (const AxisTransform& axis : order) result.push_back(halved.analysis(s.inner(axis.axis)));
  result.push_back(halved.analysis(s.axis + 1));
  for (AxisTransform& axis : result)
    if (axis.axis == s.axis || axis.axis == s.axis + 1) {
      axis.other = 2 * s.axis + 1 - axis.axis;
      axis.whole = s.length();
    }
  return result;
}

}  // namespace shardfft
