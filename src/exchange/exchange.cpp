#include "exchange/exchange.hpp"

#include <numeric>

#include "support/memory/round_up.hpp"

namespace shardfft {
namespace {

std::vector<int> natural_order(int dims) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Exchange::Exchange(ExchangeSpec spec) : spec_(std::move(spec)) {
  round_.chunks = spec_.chunks.count;
  round_.slot = spec_.slot;
  lay_out(ExchangeSide::out);
  lay_out(ExchangeSide::in);
}

// Padded boxes begin as far behind the start of a cache line as their first column would in a row of the whole array,
// so that tiles that are whole lines of the row are whole lines of the message too.
Index Exchange::lead(const Box& box, int fast) const { return box.lo[fast] * spec_.element_bytes % cache_line; }

std::vector<Piece> Exchange::pieces(ExchangeSide side) const {
  Chunks chunks = spec_.chunks;
  if (spec_.whole_self) chunks.count = chunks.parts;
  auto pieces = side == ExchangeSide::out ? pieces_to_send(spec_.from, spec_.to, chunks, spec_.me)
                                          : pieces_to_receive(spec_.from, spec_.to, chunks, spec_.me);
  if (spec_.whole_self)
    for (Piece& piece : pieces) piece.chunk = (piece.chunk + 1) * spec_.chunks.in_part() - 1;
  return pieces;
}

// Both ends compute the same message from the same pieces in the same order, so that no offsets need to be exchanged.
void Exchange::lay_out(ExchangeSide side) {
  const auto pieces = this->pieces(side);
  for (std::size_t first = 0, end = 0; first < pieces.size(); first = end) {
    while (end < pieces.size() && pieces[end].peer == pieces[first].peer && pieces[end].chunk == pieces[first].chunk)
      ++end;
    if (!spec_.skip_self || pieces[first].peer != spec_.me)
      add_message(side, std::span(pieces).subspan(first, end - first));
  }
}

// A message is in the receiver's memory order.
void Exchange::add_message(ExchangeSide side, std::span<const Piece> pieces) {
  const bool out = side == ExchangeSide::out;
  const int peer = pieces.front().peer;
  auto& messages = out ? round_.out : round_.in;
  const std::size_t number = messages.size();
  Message& message = messages.emplace_back(
      Message{.peer = peer, .chunk = pieces.front().chunk, .offset = out ? 0 : round_.inbox_bytes});
  if (encodes(peer)) {
    std::vector<Box> boxes;
    for (const Piece& piece : pieces) boxes.push_back(piece.box);
    auto form = std::make_shared<const MessageForm>(boxes, spec_.blocking, *spec_.codec, spec_.type, spec_.looks_only);
    message.bytes = round_up(form->capacity(), cache_line);
    (out ? coded_out_ : coded_in_).push_back({number, std::move(form)});
    message.varies = true;
  } else {
    const std::vector<int> order = message_order();
    const bool padded = peer == spec_.me || (spec_.near && spec_.near(peer));
    for (const Piece& piece : pieces) {
      const Coord strides = packed_strides(piece.box.shape(), order, spec_.element_bytes, padded);
      const Index ahead = padded ? lead(piece.box, order.back()) : 0;
      (out ? out_ : in_).push_back({number, message.bytes + ahead, piece.box, strides});
      message.bytes += round_up(ahead + packed_bytes(piece.box.shape(), strides, spec_.element_bytes), cache_line);
    }
  }
  if (spec_.storage_bytes > 0) {
    message.varies = peer != spec_.me;
    add_storage(side, number, pieces);
  }
  if (!out) round_.inbox_bytes += message.bytes;
}

// Without padding: processors do not compute on it. So it always has room where the elements themselves have.
void Exchange::add_storage(ExchangeSide side, std::size_t number, std::span<const Piece> pieces) {
  const std::vector<int> order = message_order();
  Index bytes = 0;
  for (const Piece& piece : pieces) {
    const Coord strides = packed_strides(piece.box.shape(), order, spec_.storage_bytes, false);
    (side == ExchangeSide::out ? storage_out_ : storage_in_).push_back({number, bytes, piece.box, strides});
    bytes += round_up(packed_bytes(piece.box.shape(), strides, spec_.storage_bytes), cache_line);
  }
  if (side == ExchangeSide::out) storage_bytes_out_.push_back(bytes);
}

std::vector<int> Exchange::message_order() const {
  const std::vector<int>& wanted = spec_.to.order();
  return wanted.empty() ? natural_order(spec_.to.global().dims()) : wanted;
}

namespace {

template <class MessagePart>
std::vector<Patch> outgoing_patches(const std::vector<MessagePart>& parts, const Channel& channel, int round) {
  std::vector<Patch> patches;
  for (const MessagePart& part : parts)
    patches.push_back({part.box, Base::fixed, channel.out(round, part.message), part.offset, part.strides});
  return patches;
}

template <class MessagePart>
std::vector<Patch> incoming_patches(const std::vector<MessagePart>& parts, const Channel& channel, int round) {
  std::vector<Patch> patches;
  for (const MessagePart& part : parts)
    patches.push_back(
        {part.box, Base::fixed, const_cast<std::byte*>(channel.in(round, part.message)), part.offset, part.strides});
  return patches;
}

}  // namespace

std::vector<Patch> Exchange::outgoing(const Channel& channel, int round) const {
  return outgoing_patches(out_, channel, round);
}
std::vector<Patch> Exchange::incoming(const Channel& channel, int round) const {
  return incoming_patches(in_, channel, round);
}
std::vector<Patch> Exchange::storage_outgoing(const Channel& channel, int round) const {
  return outgoing_patches(storage_out_, channel, round);
}
std::vector<Patch> Exchange::storage_incoming(const Channel& channel, int round) const {
  return incoming_patches(storage_in_, channel, round);
}

Index Exchange::elements_out() const {
  Index elements = 0;
  for (const MessagePart& part : out_) elements += part.box.count();
  return elements;
}

std::vector<Encoder::Outgoing> Exchange::encoded_outgoing(const Channel& channel, int round) const {
  std::vector<Encoder::Outgoing> all;
  for (const Coded& coded : coded_out_)
    all.push_back({channel.out(round, coded.message), round_.out[coded.message].chunk, coded.message, coded.form,
                   channel.is_far(round, coded.message)});
  return all;
}

std::vector<Decoder::Incoming> Exchange::encoded_incoming(const Channel& channel, int round) const {
  std::vector<Decoder::Incoming> all;
  for (const Coded& coded : coded_in_) {
    const Message& m = round_.in[coded.message];
    all.push_back({channel.in(round, coded.message), m.peer, m.chunk, coded.message, coded.form});
  }
  return all;
}

std::vector<Box> Exchange::boxes_of(const std::vector<Coded>& all) {
  std::vector<Box> boxes;
  for (const Coded& coded : all)
    for (const Box& box : coded.form->boxes()) boxes.push_back(box);
  return boxes;
}

std::vector<Box> Exchange::staying() const {
  std::vector<Box> boxes;
  if (spec_.skip_self)
    for (const Piece& piece : pieces_to_send(spec_.from, spec_.to, spec_.chunks, spec_.me))
      if (piece.peer == spec_.me) boxes.push_back(piece.box);
  return boxes;
}

Index Exchange::payload(const std::function<bool(int)>& counts) const {
  Index elements = 0;
  const auto counted = [&](std::size_t message) {
    return round_.out[message].peer != spec_.me && counts(round_.out[message].peer);
  };
  for (const MessagePart& part : out_)
    if (counted(part.message)) elements += part.box.count();
  for (const Coded& coded : coded_out_)
    for (const Box& box : coded.form->boxes())
      if (counted(coded.message)) elements += box.count();
  return elements * spec_.element_bytes;
}

Index Exchange::messages(const std::function<bool(int)>& counts) const {
  Index n = 0;
  for (const Message& message : round_.out) n += message.peer != spec_.me && counts(message.peer) ? 1 : 0;
  return n;
}

}  // namespace shardfft
