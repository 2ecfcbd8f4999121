#include "sweep/memory_order.hpp"

#include <algorithm>
#include <numeric>

namespace shardfft {
namespace {

// Whether no axis is slower than one before it; axes of one element lie anywhere.
bool lies_in(const Patch& patch, const std::vector<int>& order) {
  Index slower = 0;
  for (const int axis : order) {
    if (patch.box.extent(axis) == 1) continue;
    if (slower != 0 && patch.strides[axis] > slower) return false;
    slower = patch.strides[axis];
  }
  return true;
}

bool all_lie_in(const SweepSpec& spec, const std::vector<int>& order) {
  const auto lies = [&](const Patch& patch) { return patch.box.empty() || lies_in(patch, order); };
  return std::all_of(spec.from.begin(), spec.from.end(), lies) && std::all_of(spec.to.begin(), spec.to.end(), lies);
}

// Slowest first, of the patch with the most elements.
std::vector<int> order_of(const std::vector<Patch>& patches) {
  const Patch& largest = *std::max_element(
      patches.begin(), patches.end(), [](const Patch& a, const Patch& b) { return a.box.count() < b.box.count(); });
  std::vector<int> order(static_cast<std::size_t>(largest.box.dims()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return largest.strides[a] > largest.strides[b]; });
  return order;
}

Coord renamed(const Coord& c, const std::vector<int>& order) {
  Coord result = c;
  for (int a = 0; a < c.dims(); ++a) result[a] = c[order[static_cast<std::size_t>(a)]];
  return result;
}

}  // namespace

SweepSpec with_axes_in_memory_order(SweepSpec spec) {
  if (spec.from.empty() || spec.to.empty()) return spec;
  const std::vector<int> order = order_of(spec.to);
  if (std::is_sorted(order.begin(), order.end()) || !all_lie_in(spec, order)) return spec;
  const auto rename_box = [&](Box& box) { box = {renamed(box.lo, order), renamed(box.hi, order)}; };
  for (auto& chunk : spec.chunks) std::for_each(chunk.begin(), chunk.end(), rename_box);
  for (auto* patches : {&spec.from, &spec.to})
    for (Patch& patch : *patches) {
      rename_box(patch.box);
      patch.strides = renamed(patch.strides, order);
    }
  const auto rename = [&](int& axis) {
    if (axis >= 0) axis = static_cast<int>(std::find(order.begin(), order.end(), axis) - order.begin());
  };
  for (SweepAxis& s : spec.axes) {
    rename(s.axis);
    rename(s.other);
    rename(s.weights.other);
    rename(s.chirp_rows);
  }
  return spec;
}

}  // namespace shardfft
