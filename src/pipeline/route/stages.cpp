#include "pipeline/route/stages.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft {

bool Stage::spans(int axis) const {
  return (operates && operates->axis == axis) ||
         std::any_of(axes.begin(), axes.end(), [&](const AxisTransform& a) { return a.axis == axis; });
}

double scale_of(Scaling scaling, double n) {
  switch (scaling) {
    case Scaling::by_n:
      return 1 / n;
    case Scaling::by_sqrt_n:
    case Scaling::orthonormal:
      return 1 / std::sqrt(n);
    default:
      return 1;
  }
}

bool is_pruned(const std::vector<Stage>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const Stage& stage) {
    return std::any_of(stage.axes.begin(), stage.axes.end(), [](const AxisTransform& a) { return a.is_pruned(); });
  });
}

bool are_operated(const std::vector<Stage>& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const Stage& stage) { return stage.operates.has_value(); });
}

Layout with_extent(const Layout& layout, int axis, Index n) {
  Shape global = layout.global();
  const Index before = global[axis];
  global[axis] = n;
  LayoutSpec spec = layout.spec();
  if (spec.kind == LayoutSpec::Kind::boxes) {
    spec = custom({}).ordered(spec.order);
    for (int rank = 0; rank < layout.ranks(); ++rank)
      for (Box& box : spec.boxes.emplace_back(layout.boxes(rank)))
        if (box.hi[axis] == before) box.hi[axis] = n;
  } else if (spec.kind != LayoutSpec::Kind::cyclic && layout.block() == 0) {
    // Along `axis` the grid is 1, or the extent is 1 and stays 1.
    spec = process_grid(layout.grid()).ordered(spec.order);
  }
  return Layout(spec, global, layout.ranks());
}

std::vector<Stage> inverted(std::vector<Stage> stages) {
  for (Stage& stage : stages) {
    std::swap(stage.in, stage.out);
    for (AxisTransform& axis : stage.axes) axis = axis.inverted();
  }
  return stages;
}

std::vector<Stage> reversed(const std::vector<Stage>& stages) {
  std::vector<Stage> result(stages.rbegin(), stages.rend());
  for (Stage& stage : result) std::reverse(stage.axes.begin(), stage.axes.end());
  return inverted(std::move(result));
}

std::vector<Stage> there_and_back(std::vector<Stage> stages, Stage::Operated operated) {
  std::vector<Stage> back = reversed(stages);
  if (operated.in != operated.out)
    for (Stage& stage : back) {
      stage.in = with_extent(stage.in, operated.axis, operated.out);
      stage.out = with_extent(stage.out, operated.axis, operated.out);
    }
  Stage& middle = stages.back();
  operated.before = middle.axes.size();
  middle.operates = operated;
  middle.axes.insert(middle.axes.end(), back.front().axes.begin(), back.front().axes.end());
  middle.out = back.front().out;
  stages.insert(stages.end(), back.begin() + 1, back.end());
  return stages;
}

}  // namespace shardfft
