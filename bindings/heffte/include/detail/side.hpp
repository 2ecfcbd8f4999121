// One side of a transform in shardfft's words: boxes end before `hi`, and orders name the slowest axis first.
#pragma once

#include <algorithm>

#include "heffte_geometry.h"
#include "shardfft/error.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"

namespace heffte::detail {

/// The box of every rank, and the order of its axes in memory, slowest first.
struct Side {
  std::vector<shardfft::Box> boxes;
  std::vector<std::vector<int>> orders;
};

/// Throws std::invalid_argument for an order that leaves an axis out.
template <typename index>
Side side_of(const std::vector<box3d<index>>& boxes) {
  Side side;
  for (const auto& box : boxes) {
    const auto [fast, mid, slow] = box.order;
    if (!std::is_permutation(box.order.begin(), box.order.end(), std::array{0, 1, 2}.begin()))
      throw std::invalid_argument("the order of a box names each of the axes 0, 1 and 2 once, the fastest first; got " +
                                  std::to_string(fast) + " " + std::to_string(mid) + " " + std::to_string(slow));
    side.orders.push_back({slow, mid, fast});
    shardfft::Box& own = side.boxes.emplace_back(shardfft::Box{{0, 0, 0}, {0, 0, 0}});
    if (box.empty()) continue;
    for (int d = 0; d < 3; ++d) {
      own.lo[d] = box.low[static_cast<std::size_t>(d)];
      own.hi[d] = static_cast<shardfft::Index>(box.high[static_cast<std::size_t>(d)]) + 1;
    }
  }
  return side;
}

/// The order that all ranks with elements share; empty if there is none.
inline std::vector<int> common_order(const Side& side) {
  std::vector<int> order;
  for (std::size_t r = 0; r < side.boxes.size(); ++r) {
    if (side.boxes[r].empty()) continue;
    if (!order.empty() && order != side.orders[r]) return {};
    order = side.orders[r];
  }
  return order;
}

/// Axis order[a] becomes axis a.
inline void rename_axes(Side& side, const std::vector<int>& order) {
  for (std::size_t r = 0; r < side.boxes.size(); ++r) {
    const shardfft::Box box = side.boxes[r];
    for (int a = 0; a < 3; ++a) {
      const int was = order[static_cast<std::size_t>(a)];
      side.boxes[r].lo[a] = box.lo[was], side.boxes[r].hi[a] = box.hi[was];
    }
    for (int& axis : side.orders[r])
      axis = static_cast<int>(std::find(order.begin(), order.end(), axis) - order.begin());
  }
}

/// Puts axis 0, the number of a signal, before the three others.
inline shardfft::Coord with_signals(shardfft::Index first, const shardfft::Coord& c) {
  return {first, c[0], c[1], c[2]};
}

/// The layout of `signals` arrays, one after the other in memory; one has three axes, more have four.
inline shardfft::LayoutSpec layout_of(const Side& side, shardfft::Index signals) {
  std::vector<std::vector<shardfft::Box>> boxes(side.boxes.size());
  for (std::size_t r = 0; r < boxes.size(); ++r) {
    const shardfft::Box& box = side.boxes[r];
    if (box.empty()) continue;
    boxes[r] = {signals == 1 ? box : shardfft::Box{with_signals(0, box.lo), with_signals(signals, box.hi)}};
  }
  const auto layout = shardfft::custom(boxes);
  std::vector<int> order = common_order(side);
  if (order.empty()) return layout;
  if (signals == 1) return layout.ordered(order);
  return layout.ordered({0, order[0] + 1, order[1] + 1, order[2] + 1});
}

/// Place of the box of `rank`; nothing if the order of the layout says it all.
inline std::vector<shardfft::Placement> memory_of(const Side& side, int rank, shardfft::Index signals) {
  const auto r = static_cast<std::size_t>(rank);
  const shardfft::Box& box = side.boxes[r];
  if (!common_order(side).empty() || box.empty()) return {};
  shardfft::Coord strides = shardfft::Coord::filled(3, 1);
  shardfft::Index stride = 1;
  for (auto axis = side.orders[r].rbegin(); axis != side.orders[r].rend(); ++axis) {
    strides[*axis] = stride;
    stride *= box.extent(*axis);
  }
  return {{0, signals == 1 ? strides : with_signals(stride, strides)}};
}

}  // namespace heffte::detail
