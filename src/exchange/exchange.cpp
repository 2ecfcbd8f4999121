#include "exchange/exchange.hpp"

#include <numeric>

namespace shardfft {
namespace {

constexpr Index line = 64;
constexpr Index round_up(Index bytes) { return (bytes + line - 1) / line * line; }

std::vector<int> natural_order(int dims) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Exchange::Exchange(ExchangeSpec spec) : spec_(std::move(spec)) {
  round_.chunks = spec_.chunks.count;
  round_.slot = spec_.slot;
  lay_out(Side::out);
  lay_out(Side::in);
}

// Padded boxes begin as far behind the start of a cache line as their first column would in a row of the whole array, so that tiles that are whole lines of the
// row are whole lines of the message too.
Index Exchange::lead(const Box& box, int fast) const { return box.lo[fast] * spec_.element_bytes % line; }

// Both ends compute the same message from the same pieces in the same order, so that no offsets need to be exchanged. A message is in the receiver's memory order.
void Exchange::lay_out(Side side) {
  const bool out = side == Side::out;
  const auto pieces = out ? pieces_to_send(spec_.from, spec_.to, spec_.chunks, spec_.me) : pieces_to_receive(spec_.from, spec_.to, spec_.chunks, spec_.me);
  const std::vector<int>& wanted = spec_.to.order();
  const std::vector<int> order = wanted.empty() ? natural_order(spec_.to.global().dims()) : wanted;
  auto& messages = out ? round_.out : round_.in;
  auto& parts = out ? out_ : in_;
  Index end = 0;
  for (const Piece& piece : pieces) {
    if (spec_.skip_self && piece.peer == spec_.me) continue;
    if (messages.empty() || messages.back().peer != piece.peer || messages.back().chunk != piece.chunk)
      messages.push_back({piece.peer, piece.chunk, out ? 0 : end, 0});
    Message& message = messages.back();
    const bool padded = piece.peer == spec_.me || (spec_.near && spec_.near(piece.peer));
    const Coord strides = packed_strides(piece.box.shape(), order, spec_.element_bytes, padded);
    const Index ahead = padded ? lead(piece.box, order.back()) : 0;
    parts.push_back({messages.size() - 1, message.bytes + ahead, piece.box, strides});
    const Index bytes = round_up(ahead + packed_bytes(piece.box.shape(), strides, spec_.element_bytes));
    message.bytes += bytes;
    end += bytes;
  }
  if (!out) round_.inbox_bytes = end;
}

std::vector<Patch> Exchange::outgoing(const Channel& channel, int round) const {
  std::vector<Patch> patches;
  for (const Part& part : out_) patches.push_back({part.box, Base::fixed, channel.out(round, part.message), part.offset, part.strides});
  return patches;
}

std::vector<Patch> Exchange::incoming(const Channel& channel, int round) const {
  std::vector<Patch> patches;
  for (const Part& part : in_)
    patches.push_back({part.box, Base::fixed, const_cast<std::byte*>(channel.in(round, part.message)), part.offset, part.strides});
  return patches;
}

std::vector<Box> Exchange::staying() const {
  std::vector<Box> boxes;
  if (spec_.skip_self)
    for (const Piece& piece : pieces_to_send(spec_.from, spec_.to, spec_.chunks, spec_.me))
      if (piece.peer == spec_.me) boxes.push_back(piece.box);
  return boxes;
}

Index Exchange::payload(const std::function<bool(int)>& counts) const {
  Index bytes = 0;
  for (const Part& part : out_) {
    const int peer = round_.out[part.message].peer;
    if (peer != spec_.me && counts(peer)) bytes += part.box.count() * spec_.element_bytes;
  }
  return bytes;
}

Index Exchange::messages(const std::function<bool(int)>& counts) const {
  Index n = 0;
  for (const Message& message : round_.out) n += message.peer != spec_.me && counts(message.peer) ? 1 : 0;
  return n;
}

}  // namespace shardfft
