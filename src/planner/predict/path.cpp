#include "planner/predict/path.hpp"

#include <algorithm>

namespace shardfft {
namespace {

using What = PathStep::What;

class PathFinder {
 public:
  explicit PathFinder(const Recipe& r) : r_(r) {}

  std::vector<PathStep> path() {
    const auto seen = [](const SweptSide& side, const Layout& layout) {
      return side.is_callers() ? layout : side.seen(layout);
    };
    const Layout space = seen(r_.space_side, r_.space), spectrum = seen(r_.spectrum_side, r_.spectrum);
    if (r_.problem.moves()) return move(space, spectrum);
    if (!space.same_owners(r_.analysis.front().in)) {
      copy(space);
      hand_on(space, r_.analysis.front().in);
    }
    bytes_ = r_.problem.element_bytes();
    for (std::size_t i = 0; i < r_.analysis.size(); ++i) {
      if (i > 0) hand_on(r_.analysis[i - 1].out, r_.analysis[i].in);
      sweep(r_.analysis[i]);
    }
    if (!spectrum.same_owners(r_.analysis.back().out)) {
      hand_on(r_.analysis.back().out, spectrum);
      copy(spectrum);
    }
    return std::move(steps_);
  }

 private:
  std::vector<PathStep> move(const Layout& from, const Layout& to) {
    copy(from);
    if (from.same_owners(to)) return std::move(steps_);
    hand_on(from, to);
    copy(to);
    return std::move(steps_);
  }

  PathStep& add(What what) { return steps_.emplace_back(PathStep{.what = what, .bytes = bytes_}); }
  void copy(const Layout& layout) { add(What::copy).elements = largest_part(layout); }
  void hand_on(const Layout& from, const Layout& to) {
    const bool stays = from.same_owners(to);
    PathStep& step = add(stays ? What::stays : What::exchange);
    if (!stays) step.from = from, step.to = to;
  }

  // Extents change from points to modes with each axis.
  void sweep(const Stage& stage) {
    const int fast = stage.in.order().back();
    Layout after = stage.in;
    for (std::size_t a = 0; a < stage.axes.size(); ++a) {
      const AxisTransform& axis = stage.axes[a];
      after = with_extent(after, axis.axis, stage.out.global()[axis.axis]);
      PathStep& step = add(a == 0 ? What::sweep : What::more_of_sweep);
      step.axis = axis;
      step.elements = largest_part(after);
      step.short_lines = a > 0 && axis.axis != fast && stage.axes[a - 1].axis != fast;
    }
  }

  const Recipe& r_;
  double bytes_ = r_.problem.space_bytes();  // of an element, at this point of the path
  std::vector<PathStep> steps_{};
};

}  // namespace

std::vector<PathStep> path_steps(const Recipe& recipe) { return PathFinder(recipe).path(); }

double seconds_of(const PathStep& step, const Model& model, const Sent* sent) {
  switch (step.what) {
    case What::sweep:
      return model.sweep(step.axis, step.elements, step.bytes);
    case What::more_of_sweep:
      return model.more_of_sweep(step.axis, step.elements, step.bytes, step.short_lines);
    case What::copy:
      return model.copy(step.elements, step.bytes);
    case What::exchange:
      return sent ? model.exchange(*sent) : model.exchange(step.from, step.to, step.bytes);
    case What::stays:
      break;
  }
  return model.machine.stores.epoch_s;
}

}  // namespace shardfft
