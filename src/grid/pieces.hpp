// Who sends what to whom. Index arithmetic only: no MPI, no memory.
#pragma once

#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// A box with a peer: what `peer` gets from me, or gives me, in one chunk of an exchange.
struct Piece {
  int peer = 0;
  int chunk = 0;
  Box box{};
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// How the boxes of the sending side are cut into parts that travel one after the other: along `axis`, into `count` parts.
struct Chunks {
  int count = 1;
  int axis = 0;
  [[nodiscard]] Box part(const Box& box, int chunk) const;  ///< may be empty
};

/// What rank `me` sends so that `from` becomes `to`, to itself too; sorted by (chunk, peer), then by box of mine, then by box of the peer.
[[nodiscard]] std::vector<Piece> pieces_to_send(const Layout& from, const Layout& to, const Chunks& chunks, int me);

/// What rank `me` receives; sorted by (peer, chunk), then by box of the peer, then by box of mine: between two ranks, the order in which the peer sends.
[[nodiscard]] std::vector<Piece> pieces_to_receive(const Layout& from, const Layout& to, const Chunks& chunks, int me);

}  // namespace shardfft
