#include "grid/cyclic_axis.hpp"

#include <algorithm>

namespace shardfft {

IndexRange CyclicMap::part(Index owner, IndexRange indices) const {
  const auto before = [&](Index i) {
    return i > owner ? (i - owner + owners - 1) / owners : Index{0};
  };  // of the owner, how many are less than i
  const Index first = blocks::begin(n, owners, owner);
  return {first + before(indices.lo), first + before(indices.hi)};
}

Coord owners_of(const Layout& layout) {
  Coord owners = Coord::filled(layout.global().dims(), 1);
  if (layout.spec().kind == LayoutSpec::Kind::cyclic) owners[layout.spec().axis] = layout.ranks();
  return owners;
}

namespace {

// visit(part, first index, step) of a box along one axis, natural before.
template <class Visit>
void for_owners(const CyclicMap& map, IndexRange indices, Visit visit) {
  const Index most = std::min(map.owners, indices.hi - indices.lo);
  for (Index i = 0; i < most; ++i) visit(map.part((indices.lo + i) % map.owners, indices), indices.lo + i);
}

std::vector<Box> counted(const Box& box, const CyclicMap& map, int axis) {
  if (box.extent(axis) == map.n) return {box};
  std::vector<Box> parts;
  for_owners(map, {box.lo[axis], box.hi[axis]}, [&](IndexRange part, Index) {
    Box& p = parts.emplace_back(box);
    p.lo[axis] = part.lo, p.hi[axis] = part.hi;
  });
  return parts;
}

// The layout as slabs: owner h has block h.
Layout as_blocks(const Layout& layout) {
  Coord grid = Coord::filled(layout.global().dims(), 1);
  grid[layout.spec().axis] = layout.ranks();
  LayoutSpec spec = process_grid(grid);
  spec.order = layout.spec().order;
  return Layout(spec, layout.global(), layout.ranks());
}

Layout counted(const Layout& layout, int axis, Index owners) {
  const CyclicMap map{layout.global()[axis], owners};
  std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(layout.ranks()));
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Box& box : layout.boxes(rank))
      for (const Box& part : counted(box, map, axis)) boxes[static_cast<std::size_t>(rank)].push_back(part);
  LayoutSpec spec = custom(std::move(boxes));
  spec.order = layout.spec().order;
  return Layout(spec, layout.global(), layout.ranks());
}

std::vector<Patch> counted(const std::vector<Patch>& patches, const CyclicMap& map, int axis) {
  std::vector<Patch> parts;
  for (const Patch& patch : patches)
    for_owners(map, {patch.box.lo[axis], patch.box.hi[axis]}, [&](IndexRange part, Index first) {
      Patch& p = parts.emplace_back(patch);
      p.box.lo[axis] = part.lo, p.box.hi[axis] = part.hi;
      p.offset += (first - patch.box.lo[axis]) * patch.strides[axis];
      p.strides[axis] *= map.owners;
    });
  return parts;
}

}  // namespace

Layout counted(const Layout& layout, const Coord& owners) {
  const Coord own = owners_of(layout);
  Layout result = own == Coord::filled(own.dims(), 1) ? layout : as_blocks(layout);
  for (int a = 0; a < owners.dims(); ++a)
    if (owners[a] > 1 && own[a] == 1 && !result.is_whole_along(a)) result = counted(result, a, owners[a]);
  return result;
}

std::vector<Patch> counted(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                           const Coord& owners) {
  std::vector<Patch> result = patches;
  for (int a = 0; a < owners.dims(); ++a)
    if (owners[a] > 1 && own[a] == 1) result = counted(result, CyclicMap{global[a], owners[a]}, a);
  return result;
}

}  // namespace shardfft
