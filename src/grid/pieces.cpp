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
      if (intersect(theirs, box) == box)
        if (const Box shared = intersect(box, chunks.received_part(theirs, chunk)); !shared.empty())
          visit(peer, shared);
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

}  // namespace shardfft
