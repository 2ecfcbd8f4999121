// Rows of neighbours in an array without gaps, shared among threads.
#pragma once

#include <utility>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/programs/team.hpp"

namespace shardfft {

/// Calls visit(thread, first, axis, count, place) for every row of elements that `rank` owns: `count` neighbours along
/// `axis` from the global position `first` on, which begin at element `place` of the array. Threads take shares of the
/// rows of each box. Along a cyclic axis of several ranks neighbours in memory are none of the array: rows have 1.
template <class Visit>
void for_each_owned_row(const Layout& layout, int rank, int threads, const Visit& visit) {
  const std::vector<int>& order = layout.order();
  const int dims = layout.global().dims(), row_axis = order.back();
  std::vector<Box> boxes = layout.boxes(rank);
  // Boxes of a cyclic layout lie in each other as one local array.
  std::vector<Index> own;
  int cyclic_axis = -1;
  if (layout.spec().kind == LayoutSpec::Kind::cyclic && !boxes.empty()) {
    cyclic_axis = layout.spec().axis < 0 ? layout.spec().axis + dims : layout.spec().axis;
    for (const Box& box : boxes)
      for (Index k = box.lo[cyclic_axis]; k < box.hi[cyclic_axis]; ++k) own.push_back(k);
    boxes.resize(1);
    boxes[0].lo[cyclic_axis] = 0;
    boxes[0].hi[cyclic_axis] = static_cast<Index>(own.size());
  }
  Index before = 0;
  for (const Box& box : boxes) {
    const Index length = cyclic_axis == row_axis ? 1 : box.extent(row_axis), rows = box.count() / length;
    on_team(threads, [&](TeamMember me) {
      for (Index row = me.begin(rows), end = me.end(rows); row < end; ++row) {
        Coord first = box.lo;
        Index rest = row;
        for (int place = dims - 1; place >= 0; --place) {
          const int axis = order[static_cast<std::size_t>(place)];
          if (axis == row_axis && length > 1) continue;
          const Index extent = axis == row_axis && cyclic_axis != row_axis ? 1 : box.extent(axis);
          first[axis] += rest % extent;
          rest /= extent;
        }
        if (cyclic_axis >= 0) first[cyclic_axis] = own[static_cast<std::size_t>(first[cyclic_axis])];
        visit(me.thread, std::as_const(first), row_axis, length, before + row * length);
      }
    });
    before += box.count();
  }
}

}  // namespace shardfft
