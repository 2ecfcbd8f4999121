#include "sweep/pencils.hpp"

#include <algorithm>
#include <cstdlib>

namespace shardfft {
namespace {

// Share of the lanes of a tile that hold pencils when every row starts a new tile.
double filled(Index row, int pencils) {
  const Index tiles = (row + pencils - 1) / pencils;
  return static_cast<double>(row) / static_cast<double>(tiles * pencils);
}
constexpr double well_filled = 0.6;

// Whether rows along `lane`, of neighbours of so many bytes, begin with cache lines if one of them does.
bool begin_with_lines(const Box& box, int lane, const Coord& strides, Index element) {
  constexpr Index line = 64;
  for (int a = 0; a < box.dims(); ++a)
    if (a != lane && box.extent(a) > 1 && strides[a] % line != 0) return false;
  return strides[lane] == element;
}

}  // namespace

Walk choose_walk(const Box& box, int axis, int pencils, const Coord& from_strides, const Coord& to_strides,
                 Index past_cache) {
  int lane = -1;
  double best = -1;
  for (int a = 0; a < box.dims(); ++a) {
    if (a == axis || box.extent(a) <= 1) continue;
    const auto nearness = [&](const Coord& strides) {
      return 1.0 / static_cast<double>(std::max<Index>(std::abs(strides[a]), 1));
    };
    const double score =
        (filled(box.extent(a), pencils) > well_filled ? 100 : 0) + nearness(from_strides) + nearness(to_strides);
    if (score > best) {
      best = score;
      lane = a;
    }
  }
  Walk walk = walk_along(box, axis, lane, pencils);
  if (walk.across && past_cache > 0 && filled(box.extent(lane), pencils) > well_filled &&
      begin_with_lines(box, lane, to_strides, past_cache))
    walk.across = false;
  return walk;
}

Walk walk_along(const Box& box, int axis, int lane, int pencils) {
  return {.axis = axis, .lane = lane, .across = lane >= 0 && filled(box.extent(lane), pencils) < 0.9};
}

Index pencil_count(const Box& box, const Walk& walk) {
  Index n = 1;
  for (int a = 0; a < box.dims(); ++a)
    if (a != walk.axis) n *= box.extent(a);
  return n;
}

PencilAt pencil_at(const Box& box, const Walk& walk, Index p) {
  PencilAt result{.at = box.lo};
  if (walk.lane >= 0) {
    const Index row = box.extent(walk.lane);
    result.at[walk.lane] += p % row;
    result.left_in_row = row - p % row;
    p /= row;
  }
  for (int a = box.dims() - 1; a >= 0; --a) {
    if (a == walk.axis || a == walk.lane) continue;
    const Index n = box.extent(a);
    result.at[a] += p % n;
    p /= n;
  }
  return result;
}

}  // namespace shardfft
