#include "device/moves.hpp"

#include <algorithm>
#include <cstdlib>

namespace shardfft {
namespace {

// Axis `outer` goes on where `inner` ends, in both places.
[[nodiscard]] bool continues(const MoveAxis& outer, const MoveAxis& inner) {
  return outer.from_step == inner.extent * inner.from_step && outer.to_step == inner.extent * inner.to_step;
}

[[nodiscard]] std::vector<MoveAxis> joined_axes(const BoxMove& box) {
  std::vector<MoveAxis> axes;
  for (int a = 0; a < box.axes; ++a)
    if (box.extent[a] != 1) axes.push_back({box.extent[a], box.from_step[a], box.to_step[a]});
  std::ranges::stable_sort(
      axes, [](const MoveAxis& a, const MoveAxis& b) { return std::abs(a.to_step) > std::abs(b.to_step); });
  std::vector<MoveAxis> joined;
  for (const MoveAxis& axis : axes)
    if (!joined.empty() && continues(joined.back(), axis))
      joined.back() = {joined.back().extent * axis.extent, axis.from_step, axis.to_step};
    else
      joined.push_back(axis);
  return joined;
}

}  // namespace

std::vector<BoxMove> simplified(const std::vector<BoxMove>& boxes, Index element_bytes) {
  std::vector<BoxMove> all;
  for (const BoxMove& box : boxes) {
    if (std::any_of(box.extent, box.extent + box.axes, [](Index extent) { return extent < 1; })) continue;
    auto axes = joined_axes(box);
    if (axes.empty()) axes.push_back({1, element_bytes, element_bytes});
    BoxMove simple{.axes = static_cast<int>(axes.size()),
                   .from_base = box.from_base,
                   .to_base = box.to_base,
                   .conjugates = box.conjugates,
                   .from = box.from,
                   .to = box.to};
    for (std::size_t a = 0; a < axes.size(); ++a)
      simple.extent[a] = axes[a].extent, simple.from_step[a] = axes[a].from_step, simple.to_step[a] = axes[a].to_step;
    all.push_back(simple);
  }
  return all;
}

}  // namespace shardfft
