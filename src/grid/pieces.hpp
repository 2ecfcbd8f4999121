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

/// What travels one after the other: `parts` of the array along `parts_axis`, and of each of these the boxes of the
/// sending side, cut along `axis`; `count` chunks in all.
struct Chunks {
  int count = 1;  ///< a multiple of `parts`
  int axis = 0;
  int parts = 1;
  int parts_axis = 0;
  bool of_receiver = false;  ///< parts are those of the receiving side's boxes, else of the sending side's

  [[nodiscard]] int in_part() const { return count / parts; }
  /// Those of each part, of a whole box.
  [[nodiscard]] Chunks in_one_part() const { return {.count = in_part(), .axis = axis}; }
  /// In which the sending side stores what it sends: the parts of the receiving side are not its own.
  [[nodiscard]] Chunks stored() const { return of_receiver ? in_one_part() : *this; }
  /// The part of a sender's box, and of a receiver's box, that belongs to `chunk`; may be empty.
  [[nodiscard]] Box part(const Box& box, int chunk) const;
  [[nodiscard]] Box received_part(const Box& box, int chunk) const;
};

/// What rank `me` sends so that `from` becomes `to`, to itself too; sorted by (chunk, peer), then by box of mine, then
/// by box of the peer.
[[nodiscard]] std::vector<Piece> pieces_to_send(const Layout& from, const Layout& to, const Chunks& chunks, int me);

/// What rank `me` receives; sorted by (peer, chunk), then by box of the peer, then by box of mine: between two ranks,
/// the order in which the peer sends.
[[nodiscard]] std::vector<Piece> pieces_to_receive(const Layout& from, const Layout& to, const Chunks& chunks, int me);

/// Which cells around a box are wanted.
struct HaloCells {
  Coord low{}, high{};  ///< how many before and behind it along each axis
  Coord period{};       ///< after how many elements the array begins again along each axis; 0: it ends
  bool corners = true;  ///< false: only cells outside of the box along a single axis

  [[nodiscard]] Box around(Box box) const;  ///< the box with them; an empty one stays as it is
};

/// Elements of one rank that are cells of another one's halo, or of its own.
struct HaloPiece {
  int peer = 0;
  Box box{};      ///< of the owner's elements
  Coord shift{};  ///< added to their positions: those of the cells
  friend bool operator==(const HaloPiece&, const HaloPiece&) = default;
};

/// What rank `me` receives around its boxes, from itself too; by peer. No cell is in two pieces. Of a layout whose
/// ranks own one box or none.
[[nodiscard]] std::vector<HaloPiece> halo_to_receive(const Layout& layout, const HaloCells& halo, int me);
/// What it sends; by peer. Between two ranks the pieces are the same, in the same order.
[[nodiscard]] std::vector<HaloPiece> halo_to_send(const Layout& layout, const HaloCells& halo, int me);

}  // namespace shardfft
