#include "grid/patch.hpp"

namespace shardfft {
namespace {

constexpr Index line = 64;

Index next_step(Index bytes) {
  const Index whole_lines = (bytes + line - 1) / line * line;
  return whole_lines % 512 == 0 ? whole_lines + 2 * line : whole_lines;
}

}  // namespace

Coord packed_strides(const Shape& shape, const std::vector<int>& order, Index element_bytes, bool padded) {
  Coord strides = Coord::filled(shape.dims(), element_bytes);
  Index step = element_bytes;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = step;
    step *= shape[*axis] > 0 ? shape[*axis] : 1;
    if (padded && step >= 512) step = next_step(step);
  }
  return strides;
}

Index packed_bytes(const Shape& shape, const Coord& strides, Index element_bytes) {
  Index last = 0;
  for (int a = 0; a < shape.dims(); ++a) {
    if (shape[a] == 0) return 0;
    last += (shape[a] - 1) * strides[a];
  }
  return last + element_bytes;
}

}  // namespace shardfft
