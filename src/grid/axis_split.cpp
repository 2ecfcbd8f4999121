#include "grid/axis_split.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft {
namespace {

// Which of the two new axes counts whole rows of `row` indices, and which one counts within them.
struct Order {
  int rows, within;
  Index row;
};

Order order_of(const AxisSplit& s, Digits digits) {
  return digits == Digits::before ? Order{s.axis, s.axis + 1, s.fast} : Order{s.axis + 1, s.axis, s.slow};
}

Coord widened(const AxisSplit& s, const Coord& c) {
  Coord result = Coord::filled(c.dims() + 1, 0);
  for (int a = 0; a < c.dims(); ++a) result[s.inner(a)] = c[a];
  return result;
}

// visit(first index along the caller's axis, box of the two axes) for a part of a row, whole rows, a part of a row.
template <class Visit>
void for_parts(const AxisSplit& s, Digits digits, const Box& box, Visit visit) {
  const Order o = order_of(s, digits);
  const Index end = box.hi[s.axis];
  for (Index at = box.lo[s.axis]; at < end;) {
    const Index row = at / o.row, within = at % o.row;
    const bool whole = within == 0 && at + o.row <= end;
    const Index next = whole ? end / o.row * o.row : std::min(end, (row + 1) * o.row);
    Box part{.lo = widened(s, box.lo), .hi = widened(s, box.hi)};
    part.lo[o.rows] = row;
    part.hi[o.rows] = whole ? next / o.row : row + 1;
    part.lo[o.within] = whole ? 0 : within;
    part.hi[o.within] = whole ? o.row : within + next - at;
    visit(at, part);
    at = next;
  }
}

}  // namespace

Shape split(const AxisSplit& s, const Shape& shape) {
  Shape result = widened(s, shape);
  result[s.axis] = s.slow;
  result[s.axis + 1] = s.fast;
  return result;
}

std::vector<Box> split(const AxisSplit& s, Digits digits, const Box& box) {
  std::vector<Box> parts;
  if (!box.empty()) for_parts(s, digits, box, [&](Index, const Box& part) { parts.push_back(part); });
  return parts;
}

std::vector<Patch> split(const AxisSplit& s, Digits digits, const std::vector<Patch>& patches) {
  const Order o = order_of(s, digits);
  std::vector<Patch> result;
  for (const Patch& patch : patches) {
    if (patch.box.empty()) continue;
    const Index stride = patch.strides[s.axis];
    for_parts(s, digits, patch.box, [&](Index at, const Box& part) {
      Patch p = patch;
      p.box = part;
      p.offset += (at - patch.box.lo[s.axis]) * stride;
      p.strides = widened(s, patch.strides);
      p.strides[o.within] = stride;
      p.strides[o.rows] = o.row * stride;
      result.push_back(p);
    });
  }
  return result;
}

Layout split(const AxisSplit& s, Digits digits, const Layout& layout) {
  const Shape shape = split(s, layout.global());
  std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(layout.ranks()));
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Box& box : layout.boxes(rank))
      for (const Box& part : split(s, digits, box)) boxes[static_cast<std::size_t>(rank)].push_back(part);
  const LayoutSpec::Kind kind = layout.spec().kind;
  if (kind != LayoutSpec::Kind::boxes && (kind != LayoutSpec::Kind::cyclic || layout.ranks() == 1)) {
    Coord grid = widened(s, layout.grid());
    grid[s.axis] = grid[s.axis + 1] = 1;
    grid[order_of(s, digits).rows] = layout.grid()[s.axis];
    Layout alike(process_grid(grid), shape, layout.ranks());
    int rank = 0;
    while (rank < layout.ranks() && alike.boxes(rank) == boxes[static_cast<std::size_t>(rank)]) ++rank;
    if (rank == layout.ranks()) return alike;
  }
  return Layout(custom(std::move(boxes)), shape, layout.ranks());
}

std::optional<AxisSplit> balanced_split(int axis, Index n, Index least) {
  auto fast = static_cast<Index>(std::sqrt(static_cast<double>(n)));
  while (fast * fast > n) --fast;
  for (; fast >= least; --fast)
    if (n % fast == 0) return AxisSplit{.axis = axis, .slow = n / fast, .fast = fast};
  return std::nullopt;
}

}  // namespace shardfft
