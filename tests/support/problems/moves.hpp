// What a sweep moves, element by element.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/problems/layouts.hpp"
#include "sweep/sweep.hpp"

namespace shardfft::testing {

/// Bytes from the base to the element at `at`.
inline Index place(const Patch& patch, const Coord& at) {
  Index offset = patch.offset;
  for (int a = 0; a < at.dims(); ++a) offset += (at[a] - patch.box.lo[a]) * patch.strides[a];
  return offset;
}

// Each element of the chunks: its index along the swept axis, and its places before and after.
inline std::vector<std::tuple<Index, Index, Index>> moves(const SweepSpec& spec) {
  std::vector<std::tuple<Index, Index, Index>> all;
  for (const auto& chunk : spec.chunks)
    for (const Box& box : chunk)
      for_each(box, [&](const Coord& at) {
        for (const Patch& from : spec.from)
          for (const Patch& to : spec.to)
            if (from.box.contains(at) && to.box.contains(at))
              all.emplace_back(at[spec.axes.front().axis], place(from, at), place(to, at));
      });
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace shardfft::testing
