#include "passes/pass.hpp"

#include <algorithm>

namespace shardfft::files {
namespace {

Box tile_of(const Pass& pass, const Shape& shape, Index tile) {
  Box box{shape, shape};
  for (int a = shape.dims() - 1; a >= 0; --a) {
    box.lo[a] = pass.start_of_part(a, shape[a], tile % pass.parts[a]);
    box.hi[a] = pass.start_of_part(a, shape[a], tile % pass.parts[a] + 1);
    tile /= pass.parts[a];
  }
  return box;
}

}  // namespace

Index Pass::start_of_part(int axis, Index n, Index i) const {
  const Index unit = grain.dims() > 0 ? grain[axis] : 1, units = (n + unit - 1) / unit;
  return std::min(n, unit * (i * (units / parts[axis]) + std::min(i, units % parts[axis])));
}

bool Pass::does(int axis) const { return std::ranges::find(axes, axis) != axes.end(); }
Box Pass::tile_in(Index tile) const { return tile_of(*this, in, tile); }
Box Pass::tile_out(Index tile) const { return tile_of(*this, out, tile); }

Cells::Cells(const Pass& before, const Pass& after) : shape_(after.in) {
  for (int a = 0; a < shape_.dims(); ++a) {
    std::vector<Index>& lines = lines_.emplace_back();
    for (const Pass* pass : {&before, &after})
      for (Index i = 0; i <= pass->parts[a]; ++i) lines.push_back(pass->start_of_part(a, shape_[a], i));
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
Cells::Cell Cells::at(const Place& place) const {
  Cell cell{.box = whole(shape_)};
  Index slower = 1, rest = product(shape_);
  for (int a = 0; a < shape_.dims(); ++a) {
    const auto& lines = lines_[static_cast<std::size_t>(a)];
    const std::size_t i = place[static_cast<std::size_t>(a)];
    cell.box.lo[a] = lines[i], cell.box.hi[a] = lines[i + 1];
    rest /= shape_[a];
    cell.start += slower * lines[i] * rest;
    slower *= lines[i + 1] - lines[i];
    cell.number = cell.number * (static_cast<Index>(lines.size()) - 1) + static_cast<Index>(i);
  }
  return cell;
}

Cells::Place Cells::place_of(const Coord& first) const {
  Place place;
  for (int a = 0; a < shape_.dims(); ++a) {
    const auto& lines = lines_[static_cast<std::size_t>(a)];
    place.push_back(static_cast<std::size_t>(std::ranges::lower_bound(lines, first[a]) - lines.begin()));
  }
  return place;
}

/// To the next cell before `end`; false behind the last one.
bool Cells::advance(Place& place, const Place& first, const Coord& end) const {
  for (int a = shape_.dims() - 1; a >= 0; --a) {
    const auto axis = static_cast<std::size_t>(a);
    if (lines_[axis][++place[axis]] < end[a]) return true;
    place[axis] = first[axis];
  }
  return false;
}

std::vector<Cells::Cell> Cells::within(const Box& tile) const {
  const Place first = place_of(tile.lo);
  std::vector<Cell> cells;
  Place place = first;
  do cells.push_back(at(place));
  while (advance(place, first, tile.hi));
  return cells;
}

std::vector<Index> Cells::aligned_starts(Index element_bytes, Index alignment, std::vector<Index>& ends) const {
  const Place first = place_of(whole(shape_).lo);
  std::vector<Index> starts;
  std::ranges::fill(ends, 0);
  Place place = first;
  do {
    Index& end = ends[starts.size() % ends.size()];
    starts.push_back(end);
    end += (at(place).box.count() * element_bytes + alignment - 1) / alignment * alignment;
  } while (advance(place, first, shape_));
  return starts;
}

}  // namespace shardfft::files
