// Arrays as most libraries keep them: one box, C order or another order of the axes, without gaps or with padded rows.
#pragma once

#include <vector>

#include "peer.hpp"

namespace shardfft::peers {

/// `box` at `data` in memory of `extents` elements (at least those of the box), axis order[0] slowest; an empty order
/// means 0, 1, 2, ...
[[nodiscard]] inline LocalPart dense(const Box& box, const Shape& extents, std::byte* data, Index element,
                                     const std::vector<int>& order = {}) {
  LocalPart part{box, data, Coord::filled(box.dims(), element)};
  Index stride = element;
  for (int i = box.dims() - 1; i >= 0; --i) {
    const int axis = order.empty() ? i : order[static_cast<std::size_t>(i)];
    part.strides[axis] = stride;
    stride *= extents[axis];
  }
  return part;
}
[[nodiscard]] inline LocalPart dense(const Box& box, std::byte* data, Index element,
                                     const std::vector<int>& order = {}) {
  return dense(box, box.shape(), data, element, order);
}

/// A part of all fields of a batch, which lie so many bytes apart; `one` if there is only one field.
[[nodiscard]] inline LocalPart all_fields(const LocalPart& one, const Task& task, Index bytes_apart) {
  return {{task.behind_batch(one.box.lo, 0), task.behind_batch(one.box.hi, task.batch)},
          one.data,
          task.behind_batch(one.strides, bytes_apart)};
}

/// What a library for one process serves: there, every layout is the whole array in C order.
inline const std::vector<std::string> every_layout{"natural", "transposed", "pencils", "bricks"};
inline constexpr const char* in_one_process = "the whole array in C order";

}  // namespace shardfft::peers
