#include "grid/pieces.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "grid/blocks.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

Box Chunks::part(const Box& box, int chunk) const {
  Box p = box;
  const Index n = box.extent(axis);
  p.lo[axis] = box.lo[axis] + blocks::begin(n, count, chunk);
  p.hi[axis] = box.lo[axis] + blocks::begin(n, count, chunk + 1);
  return p;
}

namespace {

void check_same_array(const Layout& from, const Layout& to) {
  if (from.global() != to.global() || from.ranks() != to.ranks())
    throw Error(Status::invalid_layout,
                fmt::format("exchange: `from` covers {} over {} ranks but `to` covers {} over {}; both layouts must describe the same array",
                            to_string(from.global()), from.ranks(), to_string(to.global()), to.ranks()));
}

}  // namespace

std::vector<Piece> pieces_to_send(const Layout& from, const Layout& to, const Chunks& chunks, int me) {
  check_same_array(from, to);
  std::vector<Piece> pieces;
  for (const Box& mine : from.boxes(me))
    for (int c = 0; c < chunks.count; ++c)
      for (const auto& [peer, box] : to.owners(chunks.part(mine, c))) pieces.push_back({peer, c, box});
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return std::tie(a.chunk, a.peer) < std::tie(b.chunk, b.peer); });
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
          if (const Box shared = intersect(part, box); !shared.empty()) pieces.push_back({peer, c, shared});
      }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return std::tie(a.peer, a.chunk) < std::tie(b.peer, b.chunk); });
  return pieces;
}

}  // namespace shardfft
