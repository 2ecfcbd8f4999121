// Walks over the elements that a rank owns, in the order in which they lie in its memory.
#pragma once

#include <vector>

#include "shardfft/shardfft.hpp"

/// Calls visit(position, i) for every element of `rank`: its global position, and its index in an array made by plan.make_input() or
/// make_output().
template <class Visit>
void for_each_element(const shardfft::Layout& layout, int rank, Visit&& visit) {
  std::size_t i = 0;
  const std::vector<int>& order = layout.order();
  for (const shardfft::Box& box : layout.boxes(rank)) {
    shardfft::Coord at = box.lo;
    for (shardfft::Index left = box.count(); left > 0; --left) {
      visit(at, i++);
      for (auto axis = order.rbegin(); axis != order.rend() && ++at[*axis] == box.hi[*axis]; ++axis) at[*axis] = box.lo[*axis];
    }
  }
}

/// Frequency of index k among n: 0, 1, ..., then the negative ones, as numpy.fft.fftfreq(n) * n.
inline double frequency(shardfft::Index k, shardfft::Index n) { return static_cast<double>(2 * k <= n ? k : k - n); }
