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

Exchange::Exchange(ExchangeSpec spec)
    : spec_(std::move(spec)),
      order_(spec_.to.order().empty() ? natural_order(spec_.to.global().dims()) : spec_.to.order()) {
  round_.chunks = spec_.chunks.count;
  round_.slot = spec_.slot;
  for (const ExchangeSide side : {ExchangeSide::out, ExchangeSide::in})
    for_messages(side, [&](std::size_t number, std::span<const Piece> pieces) { add_message(side, number, pieces); });
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

// Calls visit(number of the message, its pieces). Both ends compute the same message from the same pieces in the same
// order, so that no offsets need to be exchanged.
template <class Visit>
void Exchange::for_messages(ExchangeSide side, Visit visit) const {
  const auto pieces = this->pieces(side);
  std::size_t number = 0;
  for (std::size_t first = 0, end = 0; first < pieces.size(); first = end) {
    while (end < pieces.size() && pieces[end].peer == pieces[first].peer && pieces[end].chunk == pieces[first].chunk)
      ++end;
    if (!spec_.skip_self || pieces[first].peer != spec_.me)
      visit(number++, std::span(pieces).subspan(first, end - first));
  }
}

// Calls visit(box, bytes from the message's start, strides) for each piece of a message, which is in the receiver's
// memory order. Returns the bytes of all. Narrow elements are not padded: processors do not compute on them. So they
// always have room where the elements themselves have.
template <class Visit>
Index Exchange::place(std::span<const Piece> pieces, bool narrow, Visit visit) const {
  const int peer = pieces.front().peer;
  const Index element = narrow ? spec_.storage_bytes : spec_.element_bytes;
  const bool padded = !narrow && (peer == spec_.me || (spec_.near && spec_.near(peer)));
  Index bytes = 0;
  for (const Piece& piece : pieces) {
    const Coord strides = packed_strides(piece.box.shape(), order_, element, padded);
    const Index ahead = padded ? lead(piece.box, order_.back()) : 0;
    visit(piece.box, bytes + ahead, strides);
    bytes += round_up(ahead + packed_bytes(piece.box.shape(), strides, element), cache_line);
  }
  return bytes;
}

void Exchange::add_message(ExchangeSide side, std::size_t number, std::span<const Piece> pieces) {
  const bool out = side == ExchangeSide::out;
  const int peer = pieces.front().peer;
  const auto nothing = [](const Box&, Index, const Coord&) {};
  Message& message =
      (out ? round_.out : round_.in)
          .emplace_back(Message{.peer = peer, .chunk = pieces.front().chunk, .offset = out ? 0 : round_.inbox_bytes});
  if (encodes(peer)) {
    std::vector<Box> boxes;
    for (const Piece& piece : pieces) boxes.push_back(piece.box);
    auto form = std::make_shared<const MessageForm>(boxes, spec_.blocking, *spec_.codec, spec_.type, spec_.looks_only);
    message.bytes = round_up(form->capacity(), cache_line);
    (out ? coded_out_ : coded_in_).push_back({number, std::move(form)});
    message.varies = true;
  } else {
    message.bytes = place(pieces, /*narrow=*/false, nothing);
  }
  if (spec_.storage_bytes > 0) message.varies = peer != spec_.me;
  if (!out) round_.inbox_bytes += message.bytes;
  if (!out) return;
  if (spec_.storage_bytes > 0) storage_bytes_out_.push_back(place(pieces, /*narrow=*/true, nothing));
  Index& elements = elements_out_.emplace_back();
  for (const Piece& piece : pieces) elements += piece.box.count();
}

// Found when they are asked for: with many peers they take more memory than all else.
template <class Address>
std::vector<Patch> Exchange::patches(ExchangeSide side, bool narrow, Address address) const {
  std::vector<Patch> all;
  for_messages(side, [&](std::size_t number, std::span<const Piece> pieces) {
    if (!narrow && encodes(pieces.front().peer)) return;
    place(pieces, narrow, [&](const Box& box, Index offset, const Coord& strides) {
      all.push_back({box, Base::fixed, address(number), offset, strides});
    });
  });
  return all;
}

std::vector<Patch> Exchange::outgoing(const Channel& channel, int round) const {
  return patches(ExchangeSide::out, false, [&](std::size_t number) { return channel.out(round, number); });
}
std::vector<Patch> Exchange::incoming(const Channel& channel, int round) const {
  return patches(ExchangeSide::in, false,
                 [&](std::size_t number) { return const_cast<std::byte*>(channel.in(round, number)); });
}
std::vector<Patch> Exchange::storage_outgoing(const Channel& channel, int round) const {
  return patches(ExchangeSide::out, true, [&](std::size_t number) { return channel.out(round, number); });
}
std::vector<Patch> Exchange::storage_incoming(const Channel& channel, int round) const {
  return patches(ExchangeSide::in, true,
                 [&](std::size_t number) { return const_cast<std::byte*>(channel.in(round, number)); });
}

Index Exchange::elements_out() const {
  Index elements = 0;
  for (std::size_t i = 0; i < elements_out_.size(); ++i)
    if (!encodes(round_.out[i].peer)) elements += elements_out_[i];
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
  for (std::size_t i = 0; i < elements_out_.size(); ++i)
    if (const int peer = round_.out[i].peer; peer != spec_.me && counts(peer)) elements += elements_out_[i];
  return elements * spec_.element_bytes;
}

Index Exchange::messages(const std::function<bool(int)>& counts) const {
  Index n = 0;
  for (const Message& message : round_.out) n += message.peer != spec_.me && counts(message.peer) ? 1 : 0;
  return n;
}

}  // namespace shardfft
