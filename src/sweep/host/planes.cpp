#include "sweep/host/planes.hpp"

#include <algorithm>

#include "support/memory/copy_box.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

Plane plane_of(const Shape& largest, Scalar scalar, bool complex, std::vector<int> order) {
  if (order.empty())
    for (int a = 0; a < largest.dims(); ++a) order.push_back(a);
  const Index element = static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1);
  Plane plane{.strides = packed_strides(largest, order, element, true)};
  plane.bytes = round_up(static_cast<std::size_t>(packed_bytes(largest, plane.strides, element)), cache_line);
  return plane;
}

}  // namespace

std::vector<Patch> Plane::beside(std::vector<Patch> others, const std::vector<Box>& boxes) const {
  for (const Box& box : boxes) others.push_back({.box = box, .base = Base::plane, .strides = strides});
  return others;
}

void Plane::place(std::span<Patch> boxes, const Box& unit) const {
  for (Patch& patch : boxes)
    patch.offset = static_cast<Index>(at) + offset_between(unit.lo, patch.box.lo, patch.strides);
}

Planes::Planes(const SweepSpec& spec, const std::vector<TilePass>& passes, Shape largest, std::size_t begin) {
  if (largest.dims() == 0) return;
  if (!spec.source_boxes.empty()) coming = plane_of(largest, spec.scalar, spec.complex_in, spec.source_order);
  if (passes.size() > 1) place_between(spec, passes, largest, begin);
  for (const TilePass& pass : passes) largest[pass.axis()] = pass.length_out();
  if (spec.operates && spec.operates->axis >= 0) largest[spec.operates->axis] = spec.operates->components_out;
  if (!spec.sink_boxes.empty()) leaving = plane_of(largest, spec.scalar, spec.complex_out, spec.sink_order);
  if (spec.source) stage_bytes = round_up(spec.source->scratch_bytes(), cache_line);
  if (spec.sink) stage_bytes = std::max(stage_bytes, round_up(spec.sink->scratch_bytes(), cache_line));
  coming.at = begin + between_bytes;
  leaving.at = coming.at + coming.bytes;
}

// Transforms from plane to plane work in place where elements keep their places; else two planes take turns.
void Planes::place_between(const SweepSpec& spec, const std::vector<TilePass>& passes, Shape extents,
                           std::size_t begin) {
  const auto& operates = spec.operates;
  std::size_t bytes = 0, turns = 0;
  for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
    extents[passes[i].axis()] = passes[i].length_out();
    if (operates && operates->before == i + 1 && operates->axis >= 0)
      extents[operates->axis] = std::max(operates->components_in, operates->components_out);
    between.push_back(plane_of(extents, spec.scalar, spec.axes[i].complex_out(),
                               operates ? operates->plane_order(extents.dims()) : std::vector<int>{}));
    if (i > 0 && between[i].strides != between[i - 1].strides) ++turns;
    between[i].at = turns % 2;
    bytes = std::max(bytes, between[i].bytes);
  }
  for (Plane& plane : between) plane.at = begin + plane.at * bytes;
  between_bytes = bytes * (turns > 0 ? 2 : 1);
}

}  // namespace shardfft
