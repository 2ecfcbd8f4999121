// Random boxes that move inside two buffers, and the loop that says what must come out.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "device/moves.hpp"
#include "support/problems/between.hpp"

namespace shardfft::testing {

/// Steps of a place in which no two elements meet: axes in random order, each stepping over all that the ones before it
/// cover, and sometimes over some more. Returns the bytes that are covered.
inline Index random_steps(Random& random, const BoxMove& box, Index element_bytes, Index scalar_bytes, Index* steps) {
  std::vector<int> order(static_cast<std::size_t>(box.axes));
  std::iota(order.begin(), order.end(), 0);
  if (random() % 3) std::shuffle(order.begin(), order.end(), random);
  if (random() % 3 == 0) std::reverse(order.begin(), order.end());
  const bool gaps = random() % 2;
  Index covered = element_bytes;
  for (const int axis : order) {
    steps[axis] = covered;
    if (gaps && random() % 3 == 0) steps[axis] += scalar_bytes * between(random, 1, 40);
    covered = steps[axis] * box.extent[axis];
  }
  return covered;
}

/// Some steps become negative: the box begins at its last element along that axis.
inline void reverse_some(Random& random, const BoxMove& box, Index* steps, Index& at) {
  for (int a = 0; a < box.axes; ++a)
    if (random() % 12 == 0) at += (box.extent[a] - 1) * steps[a], steps[a] = -steps[a];
}

/// A box of up to 8 axes and about `most` elements, from and to the offsets that are given; both grow by what it
/// covers.
inline BoxMove random_box(Random& random, const MoveSpec& spec, Index most, Index& from, Index& to) {
  const Index element = spec.element_bytes(), scalar = static_cast<Index>(size_of(spec.scalar));
  BoxMove box{.axes = static_cast<int>(between(random, 0, BoxMove::most_axes))};
  for (int a = 0; a < box.axes; ++a) {
    box.extent[a] =
        random() % 6 == 0 ? 1 : between(random, 1, std::max<Index>(1, std::min<Index>(most, random() % 3 ? 12 : most)));
    most = std::max<Index>(1, most / box.extent[a]);
  }
  box.from = from + scalar * between(random, 0, 5), box.to = to + scalar * between(random, 0, 5);
  from = box.from + random_steps(random, box, element, scalar, box.from_step);
  to = box.to + random_steps(random, box, element, scalar, box.to_step);
  reverse_some(random, box, box.from_step, box.from);
  reverse_some(random, box, box.to_step, box.to);
  box.conjugates = spec.complex && random() % 3 == 0;
  return box;
}

/// Boxes from the input to the output, and the bytes that they cover there.
struct RandomList {
  std::vector<BoxMove> boxes{};
  Index from_bytes = 0, to_bytes = 0;
};
inline RandomList random_list(Random& random, const MoveSpec& spec, Index boxes, Index most_elements) {
  RandomList list;
  for (Index b = 0; b < boxes; ++b) {
    list.boxes.push_back(random_box(random, spec, most_elements, list.from_bytes, list.to_bytes));
    list.boxes.back().from_base = MoveBase::input, list.boxes.back().to_base = MoveBase::output;
  }
  return list;
}

/// Scalars of `T`, complex or not, scaled or not.
template <class T>
MoveSpec random_spec(Random& random) {
  return {
      .scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex = random() % 2 == 0, .scales = random() % 2 == 0};
}

/// visit(from, to) for the offsets of every element.
template <class Visit>
void for_elements(const BoxMove& box, Visit visit, int axis = 0, Index from = 0, Index to = 0) {
  if (axis == box.axes) return visit(box.from + from, box.to + to);
  for (Index i = 0; i < box.extent[axis]; ++i)
    for_elements(box, visit, axis + 1, from + i * box.from_step[axis], to + i * box.to_step[axis]);
}

inline std::string text(const BoxMove& box) {
  std::string line = fmt::format("from {} to {}:", box.from, box.to);
  for (int a = 0; a < box.axes; ++a)
    line += fmt::format(" {} ({}, {})", box.extent[a], box.from_step[a], box.to_step[a]);
  return box.conjugates ? line + ", conjugated" : line;
}

}  // namespace shardfft::testing
