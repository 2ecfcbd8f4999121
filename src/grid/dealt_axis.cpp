#include "grid/dealt_axis.hpp"

#include <algorithm>

namespace shardfft {

IndexRange Deal::part(Index hand, IndexRange indices) const {
  const auto before = [&](Index i) {
    return i > hand ? (i - hand + hands - 1) / hands : Index{0};
  };  // of the hand, how many are less than i
  const Index first = blocks::begin(n, hands, hand);
  return {first + before(indices.lo), first + before(indices.hi)};
}

Coord hands_of(const Layout& layout) {
  Coord hands = Coord::filled(layout.global().dims(), 1);
  if (layout.spec().kind == LayoutSpec::Kind::cyclic) hands[layout.spec().axis] = layout.ranks();
  return hands;
}

namespace {

// visit(part, first index, step) of a box along one axis, natural before.
template <class Visit>
void for_hands(const Deal& deal, IndexRange indices, Visit visit) {
  const Index most = std::min(deal.hands, indices.hi - indices.lo);
  for (Index i = 0; i < most; ++i) visit(deal.part((indices.lo + i) % deal.hands, indices), indices.lo + i);
}

std::vector<Box> counted(const Box& box, const Deal& deal, int axis) {
  if (box.extent(axis) == deal.n) return {box};
  std::vector<Box> parts;
  for_hands(deal, {box.lo[axis], box.hi[axis]}, [&](IndexRange part, Index) {
    Box& p = parts.emplace_back(box);
    p.lo[axis] = part.lo, p.hi[axis] = part.hi;
  });
  return parts;
}

// As slabs: hand h is block h.
Layout as_blocks(const Layout& layout) {
  Coord grid = Coord::filled(layout.global().dims(), 1);
  grid[layout.spec().axis] = layout.ranks();
  LayoutSpec spec = process_grid(grid);
  spec.order = layout.spec().order;
  return Layout(spec, layout.global(), layout.ranks());
}

Layout counted(const Layout& layout, int axis, Index hands) {
  const Deal deal{layout.global()[axis], hands};
  std::vector<std::vector<Box>> boxes(static_cast<std::size_t>(layout.ranks()));
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Box& box : layout.boxes(rank))
      for (const Box& part : counted(box, deal, axis)) boxes[static_cast<std::size_t>(rank)].push_back(part);
  LayoutSpec spec = custom(std::move(boxes));
  spec.order = layout.spec().order;
  return Layout(spec, layout.global(), layout.ranks());
}

std::vector<Patch> counted(const std::vector<Patch>& patches, const Deal& deal, int axis) {
  std::vector<Patch> parts;
  for (const Patch& patch : patches)
    for_hands(deal, {patch.box.lo[axis], patch.box.hi[axis]}, [&](IndexRange part, Index first) {
      Patch& p = parts.emplace_back(patch);
      p.box.lo[axis] = part.lo, p.box.hi[axis] = part.hi;
      p.offset += (first - patch.box.lo[axis]) * patch.strides[axis];
      p.strides[axis] *= deal.hands;
    });
  return parts;
}

}  // namespace

Layout counted(const Layout& layout, const Coord& hands) {
  const Coord own = hands_of(layout);
  Layout result = own == Coord::filled(own.dims(), 1) ? layout : as_blocks(layout);
  for (int a = 0; a < hands.dims(); ++a)
    if (hands[a] > 1 && own[a] == 1 && !result.is_whole_along(a)) result = counted(result, a, hands[a]);
  return result;
}

std::vector<Patch> counted(const std::vector<Patch>& patches, const Shape& global, const Coord& own,
                           const Coord& hands) {
  std::vector<Patch> result = patches;
  for (int a = 0; a < hands.dims(); ++a)
    if (hands[a] > 1 && own[a] == 1) result = counted(result, Deal{global[a], hands[a]}, a);
  return result;
}

}  // namespace shardfft
