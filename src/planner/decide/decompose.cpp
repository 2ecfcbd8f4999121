#include "planner/decide/decompose.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "pipeline/route/stages.hpp"
#include "planner/model/busiest.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {
namespace {

// One way to share the array that stages may have: its layout before each of them and after the last one, while
// extents change from points to modes. Any of them may be missing.
using Candidate = std::vector<std::optional<Layout>>;

// Between equals, the first axes (the fast ones, forward) are done together.
constexpr double later_is_dearer = 1e-6;

// A path that can be gone has a price: where the model's numbers are absurd, no sense can be had from its seconds, and
// the first path is as good as another.
double payable(double cost) {
  constexpr double most = 1e300;
  return cost <= most ? cost : most;  // not a number either
}

// Best way to have done the axes up to some stage, ending on a candidate with `fused` axes in the last sweep.
struct BestWay {
  double cost = std::numeric_limits<double>::infinity();
  int from = -1, from_fused = 0;
};

// Stages lie in memory as both of the caller's arrays do, so that sweeps read and write whole lines; empty: in natural
// order.
std::vector<int> order_between(const std::optional<Layout>& space, const std::optional<Layout>& spectrum) {
  if (!space || !spectrum || space->order() != spectrum->order() || std::ranges::is_sorted(space->order())) return {};
  return space->order();
}

// Before each stage and after the last one.
std::vector<Shape> extents_of(const CheckedProblem& p, const std::vector<AxisTransform>& order) {
  std::vector<Shape> all{p.space};
  for (const AxisTransform& axis : order) {
    all.push_back(all.back());
    all.back()[axis.axis] = p.spectrum[axis.axis];
  }
  return all;
}

// With the owners of `layout`, where along all axes of another extent it is whole.
std::optional<Layout> with_extents(std::optional<Layout> layout, const Shape& wanted) {
  for (int a = 0; a < wanted.dims() && layout; ++a) {
    if (layout->global()[a] == wanted[a]) continue;
    if (!layout->is_whole_along(a)) return std::nullopt;
    layout = with_extent(*layout, a, wanted[a]);
  }
  return layout;
}

class Search {
 public:
  Search(const CheckedProblem& p, const std::vector<AxisTransform>& order, const LayoutSpec& space,
         const LayoutSpec& spectrum, int ranks, const GridRules& rules, const Costs& costs)
      : p_(p), order_(order), costs_(costs), ranks_(ranks), whole_(rules.whole), extents_(extents_of(p, order)) {
    if (space.kind != LayoutSpec::Kind::any) space_ = Layout(space, p.space, ranks);
    if (spectrum.kind != LayoutSpec::Kind::any) spectrum_ = Layout(spectrum, p.spectrum, ranks);
    memory_order_ = order_between(space_, spectrum_);
    add_callers();
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const Coord& grid : stage_grids(extents_[i], order[i].axis, ranks, rules)) add_grid(grid);
  }

  Decomposition best() {
    const int last = static_cast<int>(order_.size()) - 1;
    first_stage();
    for (int i = 1; i <= last; ++i) next_stage(i);
    double least = std::numeric_limits<double>::infinity();
    int end = -1, end_fused = 1;
    for (int j = 0; j < size(); ++j)
      for (int f = 1; f <= costs_.fuse; ++f)
        if (const double before = at(last, j, f).cost; before < least && payable(before + leave(j)) < least) {
          least = payable(before + leave(j));
          end = j;
          end_fused = f;
        }
    return trace(end, end_fused, least);
  }

 private:
  int size() const { return static_cast<int>(candidates_.size()); }
  BestWay& at(int stage, int candidate, int fused) {
    return states_[static_cast<std::size_t>((stage * size() + candidate) * costs_.fuse + fused - 1)];
  }
  const std::optional<Layout>& before_stage(int stage, int j) const {
    return candidates_[static_cast<std::size_t>(j)][static_cast<std::size_t>(stage)];
  }
  const Layout& after_all(int j) const { return *candidates_[static_cast<std::size_t>(j)].back(); }

  // The caller's own layouts come first, so that equal cost keeps them.
  void add_callers() {
    const auto from = [&](const Layout& end) {
      const Layout own(end.spec().ordered(memory_order_), end.global(), ranks_);
      Candidate c;
      for (const Shape& extents : extents_) c.push_back(with_extents(own, extents));
      return c;
    };
    if (space_) candidates_.push_back(from(*space_));
    if (!spectrum_) return;
    Candidate c = from(*spectrum_);
    if (candidates_.empty() || !candidates_[0].back() || !c.back()->same_owners(*candidates_[0].back()))
      candidates_.push_back(std::move(c));
  }

  void add_grid(const Coord& grid) {
    const auto has_it = [&](const std::optional<Layout>& layout) {
      return layout && is_block_grid(*layout) && layout->grid() == grid;
    };
    for (const Candidate& c : candidates_)
      if (std::all_of(c.begin(), c.end(), has_it)) return;
    Candidate& made = candidates_.emplace_back();
    const LayoutSpec spec = process_grid(grid).ordered(memory_order_);
    for (const Shape& extents : extents_) made.emplace_back(Layout(spec, extents, ranks_));
  }

  bool fits(int stage, int j) const {
    const auto &before = before_stage(stage, j), &after = before_stage(stage + 1, j);
    const int axis = order_[static_cast<std::size_t>(stage)].axis;
    if (!before || !after || (whole_ >= 0 && !after->is_whole_along(whole_))) return false;
    return before->is_whole_along(axis) && after->is_whole_along(axis);
  }

  int fast_axis() const { return memory_order_.empty() ? p_.dims() - 1 : memory_order_.back(); }
  double bytes() const { return p_.element_bytes(); }
  double elements(int stage, int j) const { return largest_part(*before_stage(stage + 1, j)); }
  const AxisTransform& axis(int stage) const { return order_[static_cast<std::size_t>(stage)]; }
  // Cost of axes first ... last in one sweep.
  double on_device(int first, int last, int j) const {
    return costs_.device->sweep(
        std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)),
        elements(last, j), bytes(), first == 0 && enters_as_it_is(j));
  }
  double pass(int stage, int j) const {
    if (costs_.device) return on_device(stage, stage, j);
    return costs_.model ? costs_.model->sweep(axis(stage), elements(stage, j), bytes()) : 0;
  }
  // One more axis in a plane that is in cache already; planes without the fast axis are read and written in shorter
  // lines.
  double more_of_pass(int stage, int j, int before) const {
    if (costs_.device) return on_device(stage - before, stage, j) - on_device(stage - before, stage - 1, j);
    if (costs_.on_device)
      return costs_.model->computed(axis(stage), elements(stage, j));  // its library does several axes at once
    return costs_.model ? costs_.model->more_of_sweep(axis(stage), elements(stage, j), bytes(), !holds_fast_axis(stage))
                        : 0;
  }
  double copy(const Layout& layout, double bytes) const {
    if (costs_.device) return costs_.device->copy(largest_part(layout), bytes);
    return costs_.model ? costs_.model->copy(largest_part(layout), bytes) : 0;
  }
  double exchange(const Layout& from, const Layout& to, double bytes) const {
    if (costs_.device) return costs_.device->exchange(from, to, bytes);
    return costs_.model ? costs_.model->exchange(from, to, bytes) : 1;
  }
  // Between two sweeps on the same layout.
  double go_on() const { return costs_.model && !costs_.device ? costs_.model->machine.stores.epoch_s : 0; }

  bool enters_as_it_is(int j) const { return !space_ || space_->same_owners(*before_stage(0, j)); }
  double enter(int j) const {
    if (enters_as_it_is(j)) return 0;
    return copy(*space_, p_.space_bytes()) + exchange(*space_, *before_stage(0, j), p_.space_bytes());
  }
  double leave(int j) const {
    if (!spectrum_ || after_all(j).same_owners(*spectrum_)) return 0;
    return exchange(after_all(j), *spectrum_, bytes()) + copy(*spectrum_, bytes());
  }

  // Whether it is among the axis of `stage` and the `before` axes before it.
  bool holds_fast_axis(int stage, int before = 1) const {
    const auto last = order_.begin() + stage;
    return std::any_of(last - before, last + 1, [&](const AxisTransform& a) { return a.axis == fast_axis(); });
  }

  // Whether one of the `before` axes before it is the other half of a split axis.
  bool has_other_half(int stage, int before) const {
    const auto last = order_.begin() + stage;
    return std::any_of(last - before, last, [&](const AxisTransform& a) { return a.axis == last->other; });
  }

  // Whether it or one of the `before` axes before it has kernels around the transform of a device's library: by
  // cosines, sines or Hartley's kernel, or of an even number of modes.
  bool has_kernels_around(int stage, int before) const {
    const auto last = order_.begin() + stage;
    return std::any_of(last - before, last + 1,
                       [](const AxisTransform& a) { return is_r2r(a.transform) || a.kept_modes().folds(); });
  }

  // A plane of the two axes stays in cache, and there are enough of them for all threads. A fast axis that is short has
  // a sweep of its own: the axis before it takes both as rows then. Without the fast axis, as many planes as fill cache
  // lines go together. A device does planes, and with three axes volumes, one after the other: it must have room for
  // one.
  bool fusible(int stage, int j, int fused) const {
    if (costs_.on_device && has_other_half(stage, fused))
      return false;  // which the library would transform without the twiddles between
    if (costs_.on_device && has_kernels_around(stage, fused)) return false;  // which are of one axis
    const int before = costs_.on_device ? fused : 1;
    double plane = 1;
    for (int s = stage - before; s <= stage; ++s)
      plane *= static_cast<double>(extents_[static_cast<std::size_t>(std::min(s + 1, stage))][axis(s).axis]);
    const Index fast = p_.spectrum[fast_axis()];
    if (!costs_.on_device && holds_fast_axis(stage, before) && is_short_row(fast, p_.scalar)) return false;
    const bool narrow = !holds_fast_axis(stage, before);
    if (narrow) plane *= static_cast<double>(std::min(fast, planes_together));
    if (!costs_.model) return true;
    if (costs_.on_device) return plane * bytes() <= static_cast<double>(costs_.plane_limit);
    return plane * bytes() <= static_cast<double>(narrow ? costs_.narrow_plane_limit : costs_.plane_limit) &&
           largest_part(*before_stage(stage, j)) / plane >= costs_.model->tuning.threads;
  }

  void first_stage() {
    states_.assign(order_.size() * candidates_.size() * static_cast<std::size_t>(costs_.fuse), BestWay{});
    for (int j = 0; j < size(); ++j)
      if (fits(0, j)) at(0, j, 1).cost = payable(enter(j) + pass(0, j));
  }

  void improve(BestWay& state, double seconds, int from, int fused) {
    const double cost = payable(seconds);
    if (cost < state.cost) state = {cost, from, fused};
  }

  void next_stage(int i) {
    for (int j = 0; j < size(); ++j) {
      if (!fits(i, j)) continue;
      const double own_pass = pass(i, j);
      for (int k = 0; k < size(); ++k) {
        double moved = -1;
        for (int f = 1; f <= costs_.fuse; ++f) {
          const BestWay before = at(i - 1, k, f);
          if (before.cost == std::numeric_limits<double>::infinity()) continue;
          if (k == j && f < costs_.fuse && fusible(i, j, f))
            improve(at(i, j, f + 1), before.cost + more_of_pass(i, j, f) * (1 + later_is_dearer * i), k, f);
          if (payable(before.cost + own_pass) >= at(i, j, 1).cost) continue;  // however little is moved
          if (moved < 0) moved = k == j ? go_on() : exchange(*before_stage(i, k), *before_stage(i, j), bytes());
          improve(at(i, j, 1), before.cost + moved + own_pass, k, f);
        }
      }
    }
  }

  Decomposition trace(int j, int fused, double cost) {
    Decomposition d{.cost = cost};
    d.spectrum = spectrum_ ? *spectrum_ : after_all(j);
    int first = j;
    for (int i = static_cast<int>(order_.size()) - 1; i >= 0;) {
      Stage stage{.in = *before_stage(i - fused + 1, j), .out = *before_stage(i + 1, j)};
      for (int a = i - fused + 1; a <= i; ++a) stage.axes.push_back(order_[static_cast<std::size_t>(a)]);
      d.stages.insert(d.stages.begin(), stage);
      first = j;
      const BestWay head = at(i - fused + 1, j, 1);
      i -= fused;
      j = head.from;
      fused = head.from_fused;
    }
    d.space = space_ ? *space_ : *before_stage(0, first);
    return d;
  }

  const CheckedProblem& p_;
  const std::vector<AxisTransform>& order_;
  const Costs& costs_;
  int ranks_;
  int whole_;  // an axis, or -1
  std::vector<Shape> extents_;
  std::optional<Layout> space_{}, spectrum_{};
  std::vector<int> memory_order_{};  // of stages, slowest first; empty: natural
  std::vector<Candidate> candidates_{};
  std::vector<BestWay> states_{};
};

}  // namespace

Decomposition decompose(const CheckedProblem& problem, const std::vector<AxisTransform>& order, const LayoutSpec& space,
                        const LayoutSpec& spectrum, int ranks, const GridRules& rules, const Costs& costs) {
  return Search(problem, order, space, spectrum, ranks, rules, costs).best();
}

}  // namespace shardfft
