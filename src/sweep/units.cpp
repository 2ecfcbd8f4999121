#include "sweep/units.hpp"

#include <algorithm>

#include "grid/patch_index.hpp"

namespace shardfft {
namespace {

constexpr Index plane_target = 1 << 18;  // bytes of small planes that are worth doing together
constexpr Index move_target = 1 << 20;   // bytes that a thread moves at once

// The first one that meets the box.
const Patch& meeting(const PatchIndex& patches, const Box& box) {
  const auto numbers = patches.meeting(box);
  return patches.patch(numbers.empty() ? 0 : numbers.front());
}

constexpr Index whole_lines = 16;  // of elements

// Threads that so many elements are worth. Waking one takes as long as transforming `least` elements.
Index worthwhile_threads(const SweepSpec& spec, Index elements) {
  constexpr Index least = 1024;
  return std::clamp<Index>(elements / least, 1, spec.tuning.threads);
}

// Cuts an axis in parts of about `wanted` elements, none of them much shorter.
Index even_parts(Index extent, Index wanted) {
  const Index parts = (extent + wanted - 1) / wanted, length = (extent + parts - 1) / parts;
  return std::min(extent, (length + whole_lines - 1) / whole_lines * whole_lines);
}

// Bytes of the largest array between the transforms of a unit that has `whole` extents; the operator may widen it.
Index most_between(const SweepSpec& spec, Coord whole) {
  Index most = 0;
  for (std::size_t i = 0; i + 1 < spec.axes.size(); ++i) {
    whole[spec.axes[i].axis] = spec.axes[i].length_out();
    if (const OperatorPass& f = *spec.operates; f.before == i + 1 && f.axis >= 0)
      whole[f.axis] = std::max(f.components_in, f.components_out);
    most = std::max(most, product(whole) * (spec.axes[i].complex_out() ? 2 : 1));
  }
  return most * static_cast<Index>(size_of(spec.scalar));
}

// Extent of a unit: all of the fused axes, and of the other axes, innermost first, as much as the target allows. There
// is a unit for each thread.
Coord unit_steps(const Box& box, const SweepSpec& spec) {
  Coord steps = Coord::filled(box.dims(), 1);
  Index bytes = static_cast<Index>((spec.complex_in || spec.complex_out ? 2 : 1) * size_of(spec.scalar));
  const auto take_whole = [&](int axis) {
    if (steps[axis] == 1) bytes *= steps[axis] = box.extent(axis);
  };
  for (const SweepAxis& axis : spec.axes) take_whole(axis.axis);
  if (spec.operates && spec.operates->axis >= 0) take_whole(spec.operates->axis);
  if (spec.operates) bytes = most_between(spec, steps);
  const int fast = box.dims() - 1;
  if (spec.operates && steps[fast] == 1)  // operators want long rows
    bytes *= steps[fast] = even_parts(box.extent(fast), std::max(planes_together, plane_target / bytes));
  else if (!spec.axes.empty() && steps[fast] == 1)
    bytes *= steps[fast] = std::min(planes_together, box.extent(fast));
  const Index of_a_thread = box.count() / worthwhile_threads(spec, box.count()) * (bytes / product(steps));
  const Index target = spec.axes.empty() ? move_target : std::min(plane_target, of_a_thread);
  for (int a = box.dims() - 1; a >= 0 && bytes < target; --a) {
    if (steps[a] > 1 || box.extent(a) == 1) continue;
    steps[a] = std::clamp<Index>(target / bytes, 1, box.extent(a));
    bytes *= steps[a];
  }
  return steps;
}

Coord counts_of(const Box& box, const Coord& steps) {
  Coord n = steps;
  for (int a = 0; a < box.dims(); ++a) n[a] = (box.extent(a) + steps[a] - 1) / steps[a];
  return n;
}

}  // namespace

Units::Units(std::size_t chunk, const SweepSpec& spec, const std::vector<TilePass>& passes, const SweepSpec* stored) {
  const PatchIndex sources(spec.from), targets(stored ? stored->to : spec.to);
  for (std::size_t b = 0; b < spec.chunks[chunk].size(); ++b) {
    const Box& box = spec.chunks[chunk][b];
    if (box.empty()) continue;
    UnitsOfBox part{.box = box, .first = total_};
    elements_ += box.count();
    if (spec.staged()) {
      part.cells.emplace(box, spec.steps);
      part.steps = part.cells->largest();
      total_ += part.cells->count();
    } else if (passes.size() == 1) {
      const int axis = passes[0].axis(), pencils = passes[0].kernel_pencils();
      const auto along_last = [&](const Box& any) { return walk_along(any, axis, any.dims() - 1, pencils); };
      if (stored) part.stored = WalkedBox{stored->chunks[chunk][b], along_last(stored->chunks[chunk][b])};
      const Patch& to = meeting(targets, passes[0].after(part.cut_box()));
      const Index element = static_cast<Index>(size_of(spec.scalar)) * (spec.complex_out ? 2 : 1);
      part.walk = stored ? along_last(box)
                         : choose_walk(box, axis, pencils, meeting(sources, box).strides, to.strides,
                                       spec.non_temporal() ? element : 0);
      if (spec.non_temporal())
        part.starts = RowStarts(part.cut_box(), part.cut_walk(), passes[0].pencils(), to, element);
      part.tiling.emplace_back(part.cut_box(), part.cut_walk(), passes[0].pencils(), part.starts.most());
      total_ += part.tiling.front().count();
    } else {
      part.steps = unit_steps(box, spec);
      total_ += product(counts_of(box, part.steps));
    }
    parts_.push_back(std::move(part));
  }
  threads_ = static_cast<int>(std::min(worthwhile_threads(spec, elements_), std::max<Index>(total_, 1)));
}

const Units::UnitsOfBox& Units::part_of(Index u) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), u,
                                      [](Index number, const UnitsOfBox& p) { return number < p.first; });
  return *(after - 1);
}

TileOf Units::tile(Index u, const Bases& bases) const {
  const UnitsOfBox& part = part_of(u);
  const Tiling& tiling = part.tiling.front();
  const Index t = u - part.first;
  const Index ahead = part.starts.of(tiling.row(t), part.cut_box(), part.cut_walk(), bases);
  return {&part.box, &part.walk, tiling.first(t, ahead), tiling.size(t, ahead), part.stored ? &*part.stored : nullptr};
}

Box Units::unit(Index u) const {
  const UnitsOfBox& part = part_of(u);
  if (part.cells) return part.cells->cell(u - part.first);
  const Coord counts = counts_of(part.box, part.steps);
  Index rest = u - part.first;
  Box box = part.box;
  for (int a = box.dims() - 1; a >= 0; --a) {
    box.lo[a] = part.box.lo[a] + rest % counts[a] * part.steps[a];
    box.hi[a] = std::min(part.box.hi[a], box.lo[a] + part.steps[a]);
    rest /= counts[a];
  }
  return box;
}

Shape Units::largest_unit(Shape so_far) const {
  for (const UnitsOfBox& part : parts_) {
    if (so_far.dims() == 0) so_far = Coord::filled(part.box.dims(), 0);
    for (int a = 0; a < so_far.dims(); ++a)
      so_far[a] = std::max(so_far[a], std::min(part.steps[a], part.box.extent(a)));
  }
  return so_far;
}

}  // namespace shardfft
