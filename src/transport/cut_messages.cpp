#include "transport/cut_messages.hpp"

#include <algorithm>
#include <tuple>

#include "transport/ring.hpp"

namespace shardfft {
namespace {

// How many pieces between two ranks have tags: of those that are received from the start of the round, and of those
// whose heads come first. Equal tags are told apart by the order in which they were sent.
struct Tagged {
  int usual = 0, headed = 0;

  [[nodiscard]] int next(bool has_head, int tags) {
    int& n = has_head ? headed : usual;
    const int tag = n;
    n = (n + 1) % tags;
    return has_head ? tags + tag : tag;
  }
};

}  // namespace

// The pieces of each message for or from others, its head first.
std::vector<MessagePiece> CutMessages::cut(const std::vector<Message>& messages) const {
  std::vector<MessagePiece> pieces;
  std::vector<Tagged> tagged(most_.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& m = messages[i];
    if (m.peer == me_) continue;
    if (has_head(m))
      pieces.push_back({.message = i, .number = -1, .bytes = sizeof(std::int64_t), .tag = tag_of_heads()});
    for (Index done = 0, number = 0; done < m.bytes; done += most(m.peer), ++number)
      pieces.push_back({.message = i,
                        .number = number,
                        .from = done,
                        .bytes = static_cast<int>(std::min(most(m.peer), m.bytes - done)),
                        .tag = tagged[static_cast<std::size_t>(m.peer)].next(has_head(m), tags_)});
  }
  return pieces;
}

PiecesIn CutMessages::received(const Round& round) const {
  std::vector<MessagePiece> all = cut(round.in);
  const auto chunk = [&](const MessagePiece& piece) { return round.in[piece.message].chunk; };
  std::stable_sort(all.begin(), all.end(),
                   [&](const MessagePiece& a, const MessagePiece& b) { return chunk(a) < chunk(b); });
  PiecesIn in;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> last(most_.size(), none);
  for (const MessagePiece& piece : all) {
    if (piece.number >= 0) {
      in.pieces.push_back(piece);
      continue;
    }
    const std::size_t own = in.heads.size();
    std::size_t& before = last[static_cast<std::size_t>(round.in[piece.message].peer)];
    in.heads.push_back(
        {.message = piece.message, .first_piece = in.pieces.size(), .before = before == none ? own : before});
    before = own;
  }
  return in;
}

std::vector<MessagePiece> CutMessages::sent(const Round& round) const {
  std::vector<MessagePiece> all = cut(round.out);
  const auto turn = [&](const MessagePiece& piece) {
    const Message& m = round.out[piece.message];
    return std::tuple(m.chunk, piece.number, step_of(me_, m.peer, static_cast<int>(most_.size())));
  };
  std::sort(all.begin(), all.end(), [&](const MessagePiece& a, const MessagePiece& b) { return turn(a) < turn(b); });
  return all;
}

}  // namespace shardfft
