#include "grid/pieces.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "grid/blocks.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

namespace {

Box block(Box box, int axis, int count, int number) {
  const Index lo = box.lo[axis], n = box.extent(axis);
  box.lo[axis] = lo + blocks::begin(n, count, number);
  box.hi[axis] = lo + blocks::begin(n, count, number + 1);
  return box;
}

}  // namespace

Box Chunks::part(const Box& box, int chunk) const {
  const Box whole = of_receiver ? box : block(box, parts_axis, parts, chunk / in_part());
  return block(whole, axis, in_part(), chunk % in_part());
}

Box Chunks::received_part(const Box& box, int chunk) const {
  return of_receiver ? block(box, parts_axis, parts, chunk / in_part()) : box;
}

namespace {

// Calls visit(peer, what it gets of `part`, which is of chunk `chunk`).
template <class Visit>
void for_receivers(const Layout& to, const Chunks& chunks, const Box& part, int chunk, Visit visit) {
  for (const auto& [peer, box] : to.owners(part)) {
    if (!chunks.of_receiver) {
      visit(peer, box);
      continue;
    }
    for (const Box& theirs : to.boxes(peer))
      if (const Box shared = intersect(box, chunks.received_part(theirs, chunk)); !shared.empty()) visit(peer, shared);
  }
}

void check_same_array(const Layout& from, const Layout& to) {
  if (from.global() != to.global() || from.ranks() != to.ranks())
    throw Error(Status::invalid_layout,
                fmt::format("exchange: `from` covers {} over {} ranks but `to` covers {} over {}; both layouts must "
                            "describe the same array",
                            to_string(from.global()), from.ranks(), to_string(to.global()), to.ranks()));
}

}  // namespace

std::vector<Piece> pieces_to_send(const Layout& from, const Layout& to, const Chunks& chunks, int me) {
  check_same_array(from, to);
  std::vector<Piece> pieces;
  for (const Box& mine : from.boxes(me))
    for (int c = 0; c < chunks.count; ++c)
      for_receivers(to, chunks, chunks.part(mine, c), c,
                    [&](int peer, const Box& box) { pieces.push_back({peer, c, box}); });
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.chunk, a.peer) < std::tie(b.chunk, b.peer);
  });
  return pieces;
}

std::vector<Piece> pieces_to_receive(const Layout& from, const Layout& to, const Chunks& chunks, int me) {
  check_same_array(from, to);
  std::set<int> sources;
  const std::vector<Box> mine = to.boxes(me);
  for (const Box& box : mine)
    for (const auto& [peer, part] : from.owners(box)) sources.insert(peer);
  std::vector<Piece> pieces;
  for (const int peer : sources)
    for (const Box& theirs : from.boxes(peer))
      for (int c = 0; c < chunks.count; ++c) {
        const Box part = chunks.part(theirs, c);
        for (const Box& box : mine)
          if (const Box shared = intersect(part, chunks.received_part(box, c)); !shared.empty())
            pieces.push_back({peer, c, shared});
      }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.peer, a.chunk) < std::tie(b.peer, b.chunk);
  });
  return pieces;
}

namespace {

// The halo of a box as boxes that do not meet, two for each axis: those along an axis have the corners that they share
// with the axes before it.
std::vector<Box> regions(const Box& box, const HaloCells& halo) {
  std::vector<Box> all;
  Box middle = box;
  for (int a = 0; a < box.dims(); ++a) {
    Box before = middle, behind = middle;
    before.lo[a] = box.lo[a] - halo.low[a], before.hi[a] = box.lo[a];
    behind.lo[a] = box.hi[a], behind.hi[a] = box.hi[a] + halo.high[a];
    all.insert(all.end(), {before, behind});
    if (halo.corners) middle.lo[a] = before.lo[a], middle.hi[a] = behind.hi[a];
  }
  std::erase_if(all, [](const Box& region) { return region.empty(); });
  return all;
}

Index floor_of(Index a, Index b) { return a / b - (a % b < 0 ? 1 : 0); }

/// Cells that lie in one period of the array: `box` + `shift`.
struct Image {
  Box box{};
  Coord shift{};
};

std::vector<Image> images(const Box& region, const Shape& global, const Coord& period) {
  std::vector<Image> all{{region, Coord::filled(region.dims(), 0)}};
  for (int a = 0; a < region.dims(); ++a) {
    std::vector<Image> found;
    const Index first = period[a] > 0 ? floor_of(region.lo[a], period[a]) : 0,
                last = period[a] > 0 ? floor_of(region.hi[a] - 1, period[a]) : 0;
    for (const Image& image : all)
      for (Index k = first; k <= last; ++k) {
        Image part = image;
        part.shift[a] = k * period[a];
        part.box.lo[a] = std::max<Index>(region.lo[a] - part.shift[a], 0);
        part.box.hi[a] = std::min(region.hi[a] - part.shift[a], global[a]);
        if (!part.box.empty()) found.push_back(part);
      }
    all = std::move(found);
  }
  return all;
}

std::vector<Image> images_around(const Layout& layout, const HaloCells& halo, int rank) {
  std::vector<Image> all;
  for (const Box& box : layout.boxes(rank))
    for (const Box& region : regions(box, halo))
      for (Image& image : images(region, layout.global(), halo.period)) all.push_back(std::move(image));
  return all;
}

}  // namespace

Box HaloCells::around(Box box) const {
  if (box.empty()) return box;
  for (int a = 0; a < box.dims(); ++a) box.lo[a] -= low[a], box.hi[a] += high[a];
  return box;
}

std::vector<HaloPiece> halo_to_receive(const Layout& layout, const HaloCells& halo, int me) {
  std::vector<HaloPiece> pieces;
  for (const Image& image : images_around(layout, halo, me))
    for (const auto& [peer, box] : layout.owners(image.box)) pieces.push_back({peer, box, image.shift});
  std::ranges::stable_sort(pieces, {}, &HaloPiece::peer);
  return pieces;
}

std::vector<HaloPiece> halo_to_send(const Layout& layout, const HaloCells& halo, int me) {
  std::vector<HaloPiece> pieces;
  const std::vector<Box> mine = layout.boxes(me);
  if (mine.empty()) return pieces;
  for (int peer = 0; peer < layout.ranks(); ++peer)
    for (const Image& image : images_around(layout, halo, peer))
      if (const Box part = intersect(image.box, mine.front()); !part.empty())
        pieces.push_back({peer, part, image.shift});
  return pieces;
}

}  // namespace shardfft
