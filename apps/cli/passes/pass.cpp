#include "passes/pass.hpp"

#include <algorithm>

namespace shardfft::cli {
namespace {

/// First element of part `i` of n elements; the first n mod parts have one more.
Index start_of_part(Index n, Index parts, Index i) { return i * (n / parts) + std::min(i, n % parts); }

Box tile_of(const Coord& parts, const Shape& shape, Index tile) {
  Box box{shape, shape};
  for (int a = shape.dims() - 1; a >= 0; --a) {
    box.lo[a] = start_of_part(shape[a], parts[a], tile % parts[a]);
    box.hi[a] = start_of_part(shape[a], parts[a], tile % parts[a] + 1);
    tile /= parts[a];
  }
  return box;
}

}  // namespace

bool Pass::does(int axis) const { return std::ranges::find(axes, axis) != axes.end(); }
Box Pass::tile_in(Index tile) const { return tile_of(parts, in, tile); }
Box Pass::tile_out(Index tile) const { return tile_of(parts, out, tile); }

Cells::Cells(const Pass& before, const Pass& after) : shape_(after.in) {
  for (int a = 0; a < shape_.dims(); ++a) {
    std::vector<Index>& lines = lines_.emplace_back();
    for (const Index parts : {before.parts[a], after.parts[a]})
      for (Index i = 0; i <= parts; ++i) lines.push_back(start_of_part(shape_[a], parts, i));
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }
}

Index Cells::count() const {
  Index all = 1;
  for (const auto& lines : lines_) all *= static_cast<Index>(lines.size()) - 1;
  return all;
}

// Before it lie all cells of smaller places, the first axis being the slowest.
Cells::Cell Cells::at(const std::vector<std::size_t>& place) const {
  Cell cell{.box = whole(shape_)};
  Index slower = 1, rest = product(shape_);
  for (int a = 0; a < shape_.dims(); ++a) {
    const auto& lines = lines_[static_cast<std::size_t>(a)];
    const std::size_t i = place[static_cast<std::size_t>(a)];
    cell.box.lo[a] = lines[i], cell.box.hi[a] = lines[i + 1];
    rest /= shape_[a];
    cell.start += slower * lines[i] * rest;
    slower *= lines[i + 1] - lines[i];
  }
  return cell;
}

std::vector<Cells::Cell> Cells::within(const Box& tile) const {
  std::vector<std::size_t> first, place;
  for (int a = 0; a < shape_.dims(); ++a) {
    const auto& lines = lines_[static_cast<std::size_t>(a)];
    first.push_back(static_cast<std::size_t>(std::ranges::lower_bound(lines, tile.lo[a]) - lines.begin()));
  }
  place = first;
  std::vector<Cell> cells;
  while (true) {
    cells.push_back(at(place));
    int a = shape_.dims() - 1;
    for (; a >= 0; --a) {
      const auto axis = static_cast<std::size_t>(a);
      if (lines_[axis][++place[axis]] < tile.hi[a]) break;
      place[axis] = first[axis];
    }
    if (a < 0) return cells;
  }
}

}  // namespace shardfft::cli
