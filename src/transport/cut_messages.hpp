// Messages that are too long for one send, cut into pieces: which, in what order, with which tags. Both ends find the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

/// A message, or a part of one that is too long for one.
struct MessagePiece {
  std::size_t message = 0;
  Index number = 0;  ///< in its message; -1: its head
  Index from = 0;    ///< bytes from the start of the message
  int bytes = 0;     ///< at most
  int tag = 0;
};

/// What goes ahead of a message that varies and takes more than one piece: how long it is. Only its receiver can say
/// how many pieces there are, otherwise, and only of as many as there can be.
struct MessageHead {
  std::size_t message = 0, first_piece = 0;
  std::size_t before = 0;  ///< the one that the same rank sends before this one; its own number: none
};

/// What a rank receives in a round: chunk by chunk. Heads count the pieces that follow them.
struct PiecesIn {
  std::vector<MessagePiece> pieces{};
  std::vector<MessageHead> heads{};
};

class CutMessages {
 public:
  /// `most`: bytes of a piece for or from each peer. Tags are less than 2 * tags; tag_of_heads() is that.
  CutMessages(int me, std::vector<Index> most, int tags) : me_(me), tags_(tags), most_(std::move(most)) {}

  [[nodiscard]] Index most(int peer) const { return most_[static_cast<std::size_t>(peer)]; }
  [[nodiscard]] bool has_head(const Message& m) const { return m.varies && m.bytes > most(m.peer); }
  [[nodiscard]] int tag_of_heads() const { return 2 * tags_; }

  [[nodiscard]] PiecesIn received(const Round& round) const;
  /// Chunk by chunk; in each, first to the next rank, last to the one before me, so that not all ranks send to the same
  /// one; and a piece for each of them in turn, so that all cables are in use. Heads are among them.
  [[nodiscard]] std::vector<MessagePiece> sent(const Round& round) const;

 private:
  [[nodiscard]] std::vector<MessagePiece> cut(const std::vector<Message>& messages) const;

  int me_, tags_;
  std::vector<Index> most_;
};

}  // namespace shardfft
