#include "pipeline/bind/memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "grid/cyclic_axis.hpp"
#include "grid/patch_index.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

void check_placement(const Box& box, const Placement& p, std::size_t number, const char* name) {
  if (p.strides.dims() != box.dims())
    throw Error(Status::invalid_layout, fmt::format("options.{}[{}] has one stride per axis: {}; got {}", name, number,
                                                    box.dims(), p.strides.dims()));
  if (p.offset < 0)
    throw Error(Status::invalid_layout,
                fmt::format("options.{}[{}].offset is not negative; got {}", name, number, p.offset));
  Index last =
      p.offset;  // element of the buffer; what a shape may have at most bounds it, so that no count of bytes overflows
  constexpr Index most = (Index{1} << 62) / 16;
  bool fits = last < most;
  for (int a = 0; a < box.dims() && fits; ++a) {
    Index step = 0;
    fits = p.strides[a] < most && !__builtin_mul_overflow(p.strides[a], box.extent(a) - 1, &step) && step < most - last;
    last += fits && step > 0 ? step : 0;
  }
  if (!fits)
    throw Error(Status::invalid_layout,
                fmt::format("options.{}[{}] lies within the first 2^58 elements of a buffer: a box of {} does not with "
                            "offset {} and strides {}",
                            name, number, to_string(box.shape()), p.offset, to_string(p.strides)));
  std::vector<std::pair<Index, Index>> axes;  // stride, extent
  for (int a = 0; a < box.dims(); ++a)
    if (box.extent(a) > 1) axes.emplace_back(p.strides[a], box.extent(a));
  std::sort(axes.begin(), axes.end());
  Index least = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride < least)
      throw Error(
          Status::invalid_layout,
          fmt::format("options.{}[{}].strides give every element its own place: a box of {} cannot have strides {}",
                      name, number, to_string(box.shape()), to_string(p.strides)));
    least = stride * extent;
  }
}

namespace {

bool is_cyclic(const Layout& layout) { return layout.spec().kind == LayoutSpec::Kind::cyclic && layout.ranks() > 1; }

// All that `me` has, in the order by owner; may be empty.
Box cyclic_box(const Layout& layout, int me) {
  const int axis = layout.spec().axis;
  const IndexRange mine = CyclicMap{layout.global()[axis], layout.ranks()}.part(me, {0, layout.global()[axis]});
  Box box = whole(layout.global());
  box.lo[axis] = mine.lo, box.hi[axis] = mine.hi;
  return box;
}

std::vector<Placement> cyclic_placements(const Layout& layout, const std::vector<Box>& boxes) {
  const int axis = layout.spec().axis;
  Shape local = boxes.front().shape();
  local[axis] = static_cast<Index>(boxes.size());
  const Coord strides = packed_strides(local, layout.order(), 1, false);
  std::vector<Placement> result;
  for (Index i = 0; i < local[axis]; ++i) result.push_back({i * strides[axis], strides});
  return result;
}

bool same_beside(const Coord& a, const Coord& b, int axis) {
  Coord other = b;
  other[axis] = a[axis];
  return a == other;
}

// Indices whose boxes lie upwards at equal distances go together.
OwnPart evenly_spaced(const Box& all, int axis, const std::vector<Placement>& given) {
  OwnPart part;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (i > 0) {
      Box& box = part.boxes.back();
      Placement& place = part.placements.back();
      const Index step = given[i].offset - given[i - 1].offset;
      const bool goes_on = box.extent(axis) == 1 || step == place.strides[axis];
      if (step > 0 && goes_on && same_beside(place.strides, given[i].strides, axis)) {
        ++box.hi[axis];
        place.strides[axis] = step;
        continue;
      }
    }
    Box& box = part.boxes.emplace_back(all);
    box.lo[axis] += static_cast<Index>(i);
    box.hi[axis] = box.lo[axis] + 1;
    part.placements.push_back(given[i]);
  }
  return part;
}

}  // namespace

OwnPart own_part(const Layout& layout, int me, const std::vector<Placement>& given, const char* name) {
  if (!is_cyclic(layout)) return {layout.boxes(me), placements(layout, me, given, name)};
  const Box all = cyclic_box(layout, me);
  if (!given.empty()) return evenly_spaced(all, layout.spec().axis, placements(layout, me, given, name));
  if (all.empty()) return {};
  return {{all}, {{0, packed_strides(all.shape(), layout.order(), 1, false)}}};
}

std::vector<Placement> placements(const Layout& layout, int me, const std::vector<Placement>& given, const char* name) {
  const std::vector<Box> boxes = layout.boxes(me);
  if (!given.empty()) {
    if (given.size() != boxes.size())
      throw Error(Status::invalid_layout,
                  fmt::format("options.{} places every box of this rank: {} boxes, got {} placements", name,
                              boxes.size(), given.size()));
    for (std::size_t i = 0; i < boxes.size(); ++i) check_placement(boxes[i], given[i], i, name);
    return given;
  }
  if (boxes.empty()) return {};
  if (is_cyclic(layout)) return cyclic_placements(layout, boxes);
  std::vector<Placement> result;
  Index offset = 0;
  for (const Box& box : boxes) {
    result.push_back({offset, packed_strides(box.shape(), layout.order(), 1, false)});
    offset += box.count();
  }
  return result;
}

std::vector<Placement> padded_placements(const Layout& layout, int me, int real_axis, const char* name) {
  if (layout.order().back() != real_axis || is_cyclic(layout))
    throw Error(Status::invalid_layout, fmt::format("options.padded_reals is for reals whose rows along axis {} lie in "
                                                    "one piece; got {}; say where they lie with options.{}",
                                                    real_axis, layout.describe(), name));
  std::vector<Placement> result;
  Index offset = 0;
  for (const Box& box : layout.boxes(me)) {
    if (box.extent(real_axis) != layout.global()[real_axis])
      throw Error(Status::invalid_layout, fmt::format("options.padded_reals is for rows that are whole on a rank; got "
                                                      "{} of {} numbers; say where they lie with options.{}",
                                                      box.extent(real_axis), layout.global()[real_axis], name));
    Shape room = box.shape();
    room[real_axis] = 2 * (room[real_axis] / 2 + 1);
    result.push_back({offset, packed_strides(room, layout.order(), 1, false)});
    offset += product(room);
  }
  return result;
}

Index extent_of(const std::vector<Box>& boxes, const std::vector<Placement>& placements) {
  Index end = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    end = std::max(end, placements[i].offset + packed_bytes(boxes[i].shape(), placements[i].strides, 1));
  return end;
}

std::vector<Patch> caller_patches(const std::vector<Box>& boxes, const std::vector<Placement>& placements, Base base,
                                  Index element_bytes) {
  std::vector<Patch> patches;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Coord strides = placements[i].strides;
    for (int a = 0; a < strides.dims(); ++a) strides[a] *= element_bytes;
    patches.push_back({boxes[i], base, nullptr, placements[i].offset * element_bytes, strides});
  }
  return patches;
}

std::vector<Patch> cut(const std::vector<Patch>& patches, const std::vector<Box>& regions) {
  std::vector<Patch> wanted, result;
  for (const Box& region : regions) wanted.push_back({.box = region});
  const PatchIndex index(wanted);
  for (const Patch& patch : patches)
    for (const std::size_t number : index.meeting(patch.box)) {
      Patch p = patch;
      p.box = intersect(patch.box, regions[number]);
      p.offset += offset_between(patch.box.lo, p.box.lo, patch.strides);
      result.push_back(p);
    }
  return result;
}

}  // namespace shardfft
