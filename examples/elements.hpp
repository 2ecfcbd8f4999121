// Walks over the elements that a rank owns, in the order in which they lie in its memory.
#pragma once

#include <vector>

#include "shardfft/shardfft.hpp"

/// Calls visit(position) for every position in `box`, the last axis of `order` fastest.
template <class Visit>
void for_each_in(const shardfft::Box& box, const std::vector<int>& order, Visit&& visit) {
  shardfft::Coord at = box.lo;
  for (shardfft::Index left = box.count(); left > 0; --left) {
    visit(at);
    for (auto axis = order.rbegin(); axis != order.rend() && ++at[*axis] == box.hi[*axis]; ++axis) at[*axis] = box.lo[*axis];
  }
}

/// Calls visit(position, i) for every element of `rank`: its global position, and its index in an array made by plan.make_input() or
/// make_output().
template <class Visit>
void for_each_element(const shardfft::Layout& layout, int rank, Visit&& visit) {
  std::size_t i = 0;
  const std::vector<shardfft::Box> boxes = layout.boxes(rank);
  if (layout.spec().kind != shardfft::LayoutSpec::Kind::cyclic) {
    for (const shardfft::Box& box : boxes) for_each_in(box, layout.order(), [&](const shardfft::Coord& at) { visit(at, i++); });
    return;
  }
  if (boxes.empty()) return;
  // One local array: along the dealt axis, this rank's indices lie beside each other.
  const int axis = layout.spec().axis;
  std::vector<shardfft::Index> dealt;
  for (const shardfft::Box& box : boxes)
    for (shardfft::Index k = box.lo[axis]; k < box.hi[axis]; ++k) dealt.push_back(k);
  shardfft::Box local = boxes.front();
  local.lo[axis] = 0;
  local.hi[axis] = static_cast<shardfft::Index>(dealt.size());
  for_each_in(local, layout.order(), [&](shardfft::Coord at) {
    at[axis] = dealt[static_cast<std::size_t>(at[axis])];
    visit(at, i++);
  });
}

/// Frequency of index k among n: 0, 1, ..., then the negative ones, as numpy.fft.fftfreq(n) * n.
inline double frequency(shardfft::Index k, shardfft::Index n) { return static_cast<double>(2 * k <= n ? k : k - n); }
