// A number of each mode of a row, made of one number from each axis.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "shardfft/operators/modes.hpp"

namespace shardfft {

/// row[i] becomes the number of element begin + i of `m`: the axes' numbers, combined from left to right in the order
/// of the axes, whichever axis the row lies along. So a mode's number has the same bits in every layout.
///   tables   of each axis, by global index; an empty one has no part in it
///   neutral  the number if all tables are empty
///   combine  (row, number): combines each number of a row with one; the order of the two must not matter to the bits
template <class N, class Combine>
void combine_along_row(const std::vector<std::vector<N>>& tables, const Modes& m, Index begin, std::span<N> row,
                       N neutral, const Combine& combine) {
  std::optional<N> before;
  for (int a = 0; a < m.axis; ++a)
    if (const auto& table = tables[static_cast<std::size_t>(a)]; !table.empty()) {
      const N own = table[static_cast<std::size_t>(m.first[a])];
      if (before)
        combine(std::span(&*before, 1), own);
      else
        before = own;
    }
  const auto& along = tables[static_cast<std::size_t>(m.axis)];
  const N* from = along.empty() ? nullptr : along.data() + m.first[m.axis] + begin;
  bool begun = before.has_value() || from;
  if (from)
    std::copy_n(from, row.size(), row.begin());
  else
    std::fill(row.begin(), row.end(), before.value_or(neutral));
  if (from && before) combine(row, *before);
  for (int a = m.axis + 1; a < m.first.dims(); ++a)
    if (const auto& table = tables[static_cast<std::size_t>(a)]; !table.empty()) {
      const N own = table[static_cast<std::size_t>(m.first[a])];
      if (begun)
        combine(row, own);
      else
        std::fill(row.begin(), row.end(), own);
      begun = true;
    }
}

}  // namespace shardfft
