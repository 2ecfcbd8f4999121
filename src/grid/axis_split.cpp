#include "grid/axis_split.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "grid/rules/split_boxes.hpp"

namespace shardfft {
namespace {

// Which of the two new axes counts whole rows of `row` indices, and which one counts within them.
struct RowAxes {
  int rows, within;
  Index row;
};

RowAxes order_of(const AxisSplit& s, Digits digits) {
  return digits == Digits::before ? RowAxes{s.axis, s.axis + 1, s.fast} : RowAxes{s.axis + 1, s.axis, s.slow};
}

Coord widened(const AxisSplit& s, const Coord& c) {
  Coord result = Coord::filled(c.dims() + 1, 0);
  for (int a = 0; a < c.dims(); ++a) result[s.inner(a)] = c[a];
  return result;
}

using Range = IndexRange;
Range common(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }
// The range of last - i for all i in r.
Range mirrored(Range r, Index last) { return {last - r.hi + 1, last - r.lo + 1}; }

// visit(rows, places within them) for a part of a row, whole rows, a part of a row.
template <class Visit>
void for_rows(Index row_length, Index begin, Index end, Visit visit) {
  for (Index at = begin; at < end;) {
    const Index row = at / row_length, within = at % row_length;
    const bool whole = within == 0 && at + row_length <= end;
    const Index next = whole ? end / row_length * row_length : std::min(end, (row + 1) * row_length);
    visit(Range{row, whole ? next / row_length : row + 1}, Range{within, whole ? row_length : within + next - at});
    at = next;
  }
}

/// The caller's cyclic axis and its two factors. The owner of an index is the index modulo the owners. It follows from
/// the row and the place within the row, and along the rows it recurs.
struct CyclicMaps {
  CyclicMap callers, rows, within;
  Index steps_of_row;  // of the caller's memory, from one row to the next of the same owner
};
CyclicMaps cyclic_maps_of(const AxisSplit& s, Digits digits, Index owners) {
  const RowAxes o = order_of(s, digits);
  Shape all = Coord::filled(s.axis + 1, 1);
  all[s.axis] = s.length();
  const Shape halves = split(s, digits, all);
  const Index recur = owners / std::gcd(owners, o.row);
  return {{digits == Digits::hermitian ? s.length() / 2 + 1 : s.length(), owners},
          {halves[o.rows], recur},
          {halves[o.within], owners},
          o.row * recur / owners};
}

/// A part of a caller's box in the array that is swept.
struct SplitBox {
  Box box{};
  bool conjugated = false;
  bool spare = false;  // computed, too, for an element that has another part
};

// All indices between the owner's index before this box and its index after it.
Range around(const CyclicMap& map, Index lo, Index hi) {
  return {std::max<Index>(0, map.index(lo) - map.owners + 1), std::min(map.n, map.index(hi - 1) + map.owners)};
}

template <class Visit>
void for_parts(const AxisSplit& s, Digits digits, const Box& box, const CyclicMaps& maps, Visit visit) {
  const RowAxes o = order_of(s, digits);
  const Index index = maps.callers.index(box.lo[s.axis]);
  SplitBox part{.box = {.lo = widened(s, box.lo), .hi = widened(s, box.hi)}};
  const auto give = [&](Range rows, Range within, bool conjugated, bool spare) {
    if (rows.empty() || within.empty()) return;
    const Index owners = maps.within.owners, all_rows = std::min(maps.rows.owners, rows.hi - rows.lo);
    for (Index row = rows.lo; row < rows.lo + all_rows; ++row) {  // one of each owner
      const Index wanted = (conjugated ? s.length() - index : index) - row * o.row;
      const Range r = maps.rows.part(row % maps.rows.owners, rows),
                  w = maps.within.part((wanted % owners + owners) % owners, within);
      if (w.empty()) continue;
      part.box.lo[o.rows] = r.lo, part.box.hi[o.rows] = r.hi;
      part.box.lo[o.within] = w.lo, part.box.hi[o.within] = w.hi;
      part.conjugated = conjugated, part.spare = spare;
      visit(part);
    }
  };
  const Range indices = around(maps.callers, box.lo[s.axis], box.hi[s.axis]);
  for_rows(o.row, indices.lo, indices.hi, [&](Range rows, Range within) {
    if (digits != Digits::hermitian) return give(rows, within, false, false);
    const Index half = s.slow / 2;  // n - k_fast * slow - k_slow = (fast - 1 - k_fast) * slow + slow - k_slow
    give(rows, common(within, {0, half + 1}), false, false);
    give(mirrored(rows, s.fast - 1), mirrored(common(within, {half + 1, s.slow}), s.slow), true, false);
    if (within.lo == 0) give(mirrored(common(rows, {1, (s.fast + 1) / 2}), s.fast), {0, 1}, true, true);
    if (s.slow % 2 == 0 && within.lo <= half && half < within.hi)
      give(mirrored(common(rows, {0, s.fast / 2}), s.fast - 1), {half, half + 1}, true, true);
  });
}

}  // namespace

Shape split(const AxisSplit& s, Digits digits, const Shape& shape) {
  Shape result = widened(s, shape);
  result[s.axis] = digits == Digits::hermitian ? s.slow / 2 + 1 : s.slow;
  result[s.axis + 1] = s.fast;
  return result;
}

Coord owners_of(const AxisSplit& s, Digits digits, const Coord& owners) {
  const RowAxes o = order_of(s, digits);
  const CyclicMaps maps = cyclic_maps_of(s, digits, owners[s.axis]);
  Coord result = widened(s, owners);
  result[o.rows] = maps.rows.owners;
  result[o.within] = maps.within.owners;
  return result;
}

std::vector<Box> split(const AxisSplit& s, Digits digits, const Box& box, Index owners) {
  std::vector<Box> parts;
  if (!box.empty())
    for_parts(s, digits, box, cyclic_maps_of(s, digits, owners),
              [&](const SplitBox& part) { parts.push_back(part.box); });
  return parts;
}

std::vector<Patch> split(const AxisSplit& s, Digits digits, const std::vector<Patch>& patches, Index owners,
                         bool reads) {
  const RowAxes o = order_of(s, digits);
  const CyclicMaps maps = cyclic_maps_of(s, digits, owners);
  std::vector<Patch> result;
  for (const Patch& patch : patches) {
    if (patch.box.empty()) continue;
    for_parts(s, digits, patch.box, maps, [&](const SplitBox& part) {
      if (part.spare && !reads) return;
      const Index stride = part.conjugated ? -patch.strides[s.axis] : patch.strides[s.axis];
      const Index computed = maps.rows.index(part.box.lo[o.rows]) * o.row + maps.within.index(part.box.lo[o.within]),
                  first = part.conjugated ? s.length() - computed : computed;
      Patch p = patch;
      p.box = part.box;
      p.offset += (first - maps.callers.index(patch.box.lo[s.axis])) / owners * patch.strides[s.axis];
      p.strides = widened(s, patch.strides);
      p.strides[o.within] = stride;
      p.strides[o.rows] = maps.steps_of_row * stride;
      p.conjugated = part.conjugated;
      result.push_back(p);
    });
  }
  return result;
}

namespace {

// Whether the blocks of the split axis are blocks of whole rows. The caller's blocks may differ by one element, blocks
// of rows by one row.
bool has_blocks_of_rows(const AxisSplit& s, Digits digits, const Layout& layout) {
  if (layout.global()[s.axis] < s.length()) return false;  // the last row ends before
  const Index parts = layout.grid()[s.axis], row = order_of(s, digits).row, rows = s.length() / row;
  if (parts == 1) return true;
  const bool is_even = layout.block() == 0 || layout.spec().axis != s.axis;
  return is_even && (rows % parts == 0 || row == 1);
}

// A process grid that has the same boxes, if there is one. A rank has many boxes of a hermitian axis, unless it has
// the whole axis.
std::optional<Layout> grid_of(const AxisSplit& s, Digits digits, const Layout& layout, const Shape& shape) {
  const LayoutSpec::Kind kind = layout.spec().kind;
  if (kind == LayoutSpec::Kind::boxes || (kind == LayoutSpec::Kind::cyclic && layout.ranks() > 1)) return std::nullopt;
  const Index parts = layout.grid()[s.axis];
  if (digits == Digits::hermitian ? parts > 1 : !has_blocks_of_rows(s, digits, layout)) return std::nullopt;
  Coord grid = widened(s, layout.grid());
  grid[s.axis] = grid[s.axis + 1] = 1;
  grid[order_of(s, digits).rows] = parts;
  const bool keeps_block = layout.block() > 0 && layout.spec().axis != s.axis;
  return Layout(keeps_block ? slabs(s.inner(layout.spec().axis), layout.block()) : process_grid(grid), shape,
                layout.ranks());
}

// Whatever the row, owner h has block h of the places within it.
std::optional<Layout> cyclic_grid_of(const AxisSplit& s, Digits digits, const Shape& shape, int ranks) {
  const RowAxes o = order_of(s, digits);
  if (o.row % ranks != 0 || digits == Digits::hermitian) return std::nullopt;
  Coord grid = Coord::filled(shape.dims(), 1);
  grid[o.within] = ranks;
  return Layout(process_grid(grid), shape, ranks);
}

}  // namespace

bool is_cyclic_along(const Layout& layout, int axis) {
  return layout.spec().kind == LayoutSpec::Kind::cyclic && layout.spec().axis == axis && layout.ranks() > 1;
}

Box rest_of_row(const AxisSplit& s, Index extent, const Box& box) {
  Box rest{.lo = widened(s, box.lo), .hi = widened(s, box.hi)};
  rest.lo[s.axis] = s.slow - 1, rest.hi[s.axis] = s.slow;
  rest.lo[s.axis + 1] = box.empty() || box.hi[s.axis] < extent ? s.fast : extent - (s.slow - 1) * s.fast;
  rest.hi[s.axis + 1] = s.fast;
  return rest;
}

Layout split(const AxisSplit& s, Digits digits, const Layout& layout) {
  const Shape shape = split(s, digits, layout.global());
  auto alike = is_cyclic_along(layout, s.axis) ? cyclic_grid_of(s, digits, shape, layout.ranks())
                                               : grid_of(s, digits, layout, shape);
  if (alike) return *std::move(alike);
  return Layout({.kind = LayoutSpec::Kind::boxes, .rule = std::make_shared<SplitBoxes>(s, digits, layout)}, shape,
                layout.ranks());
}

std::optional<AxisSplit> balanced_split(int axis, Index n, Index least, bool even) {
  auto fast = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (fast * fast > n) --fast;
  for (; fast >= least; --fast)
    if (n % fast == 0 && (!even || n % 2 != 0 || n / fast % 2 == 0))
      return AxisSplit{.axis = axis, .slow = n / fast, .fast = fast};
  return std::nullopt;
}

}  // namespace shardfft
