// Loops over the elements that a rank owns: where each is in the global array, in the caller's memory, and which
// frequency it has. Standard library only.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// Calls visit(position) for every position in `box`, the last axis of `order` fastest. No order: 0, 1, 2, ...
template <class Visit>
void for_each_position(const Box& box, const std::vector<int>& order, Visit&& visit) {
  const int dims = box.dims();
  const auto axis_of = [&](int place) { return order.empty() ? place : order[static_cast<std::size_t>(place)]; };
  Coord at = box.lo;
  for (Index left = box.count(); left > 0; --left) {
    visit(std::as_const(at));
    for (int place = dims - 1; place >= 0; --place) {
      const int axis = axis_of(place);
      if (++at[axis] < box.hi[axis]) break;
      at[axis] = box.lo[axis];
    }
  }
}

/// Calls visit(position, i) for every element of `rank`, in memory order: its global position, and its index in an
/// array made by plan.make_input() or make_output(), or in any memory without gaps, for which no offsets and strides
/// were given.
template <class Visit>
void for_each_element(const Layout& layout, int rank, Visit&& visit) {
  const std::vector<Box> boxes = layout.boxes(rank);
  std::size_t i = 0;
  if (layout.spec().kind != LayoutSpec::Kind::cyclic || boxes.empty()) {
    for (const Box& box : boxes) for_each_position(box, layout.order(), [&](const Coord& at) { visit(at, i++); });
    return;
  }
  // One local array: along the cyclic axis, the indices of this rank lie beside each other.
  const int axis = layout.spec().axis < 0 ? layout.spec().axis + layout.global().dims() : layout.spec().axis;
  std::vector<Index> own;
  for (const Box& box : boxes)
    for (Index k = box.lo[axis]; k < box.hi[axis]; ++k) own.push_back(k);
  Box local = boxes.front();
  local.lo[axis] = 0;
  local.hi[axis] = static_cast<Index>(own.size());
  for_each_position(local, layout.order(), [&](Coord at) {
    at[axis] = own[static_cast<std::size_t>(at[axis])];
    visit(std::as_const(at), i++);
  });
}

/// Visits elements in memory with strides and padding. `memory` is Options::input_memory or output_memory, one place
/// per box. If it is empty, boxes follow each other, each in the layout's order. Throws Error(invalid_argument) for a
/// wrong number of places.
template <class Visit>
void for_each_element(const Layout& layout, int rank, std::span<const Placement> memory, Visit&& visit) {
  if (memory.empty()) return for_each_element(layout, rank, visit);
  const std::vector<Box> boxes = layout.boxes(rank);
  if (memory.size() != boxes.size())
    throw Error(Status::invalid_argument, "memory has a place for each of this rank's " + std::to_string(boxes.size()) +
                                              " boxes; got " + std::to_string(memory.size()) +
                                              "; give those of the plan's options");
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for_each_position(boxes[b], layout.order(), [&](const Coord& at) {
      Index i = memory[b].offset;
      for (int axis = 0; axis < at.dims(); ++axis) i += (at[axis] - boxes[b].lo[axis]) * memory[b].strides[axis];
      visit(at, static_cast<std::size_t>(i));
    });
}

/// Places of rows of reals as Options::padded_reals has them: rows of n numbers along the fastest axis have room for 2
/// (n/2 + 1).
[[nodiscard]] inline std::vector<Placement> padded_rows(const Layout& layout, int rank) {
  std::vector<Placement> memory;
  Index offset = 0;
  for (const Box& box : layout.boxes(rank)) {
    Placement place{offset, Coord::filled(box.dims(), 1)};
    Index stride = 1;
    for (auto axis = layout.order().rbegin(); axis != layout.order().rend(); ++axis) {
      place.strides[*axis] = stride;
      stride *= axis == layout.order().rbegin() ? 2 * (box.extent(*axis) / 2 + 1) : box.extent(*axis);
    }
    memory.push_back(place);
    offset += stride;
  }
  return memory;
}

/// Signed frequency of index k among n: 0, 1, ..., then the negative ones, as numpy.fft.fftfreq(n) * n. For even n, n/2
/// is negative.
[[nodiscard]] constexpr Index frequency(Index k, Index n) { return k < n - k ? k : k - n; }

/// How often mode k of `count` repeats along an axis of this kind: the signed number of periods, as above; along
/// cosine and sine axes half periods between the ends: 0, 1, 2, ... or 1, 2, 3, ... or 1/2, 3/2, ...
[[nodiscard]] constexpr double frequency(AxisKind kind, Index k, Index count) {
  switch (kind) {
    case AxisKind::fourier:
    case AxisKind::hartley:
      return static_cast<double>(frequency(k, count));
    case AxisKind::sine1:
    case AxisKind::sine2:
      return static_cast<double>(k + 1);
    case AxisKind::cosine3:
    case AxisKind::cosine4:
    case AxisKind::sine3:
    case AxisKind::sine4:
      return static_cast<double>(k) + 0.5;
    default:
      return static_cast<double>(k);
  }
}

/// Frequencies at position `k` of the spectrum of `problem`, along each axis those of Modes::wave: the wave number is
/// 2 pi times the frequency over the length of the box, along cosine and sine axes pi times it over the length from end
/// to end. Along the real axis of a half spectrum they are those of numpy.fft.rfftfreq(n) * n, and 0 along axes that
/// are not transformed and beyond the last one. With fewer modes they are those of the kept ones; if two modes share
/// a place, that of the negative one.
[[nodiscard]] inline std::array<double, max_dims> frequency(const Problem& problem, const Coord& k) {
  const int dims = problem.shape.dims();
  std::array<double, max_dims> result{};
  const int count = problem.axes.empty() ? dims : static_cast<int>(problem.axes.size());
  const auto kind_at = [&](int place) {
    return problem.kinds.empty() ? AxisKind::fourier : problem.kinds[static_cast<std::size_t>(place)];
  };
  int real = problem.kind == Kind::r2c || problem.kind == Kind::c2r ? count - 1 : -1;
  while (real >= 0 && kind_at(real) != AxisKind::fourier) --real;
  for (int place = 0; place < count; ++place) {
    const int named = problem.axes.empty() ? place : problem.axes[static_cast<std::size_t>(place)];
    const int axis = named < 0 ? named + dims : named;
    const bool fewer = problem.modes.dims() > 0 && problem.modes[axis] > 0;
    result[static_cast<std::size_t>(axis)] =
        place == real ? static_cast<double>(k[axis])
                      : frequency(kind_at(place), k[axis], fewer ? problem.modes[axis] : problem.shape[axis]);
  }
  return result;
}

}  // namespace shardfft
