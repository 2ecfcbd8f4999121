#include "exchange/decoder.hpp"

#include <algorithm>

#include "exchange/message_check.hpp"
#include "exchange/plane_runs.hpp"
#include "grid/patch.hpp"
#include "support/memory/copy_box.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft {
struct Decoder::OpenGroup {
  const IncomingMessage& message;
  const MessageForm::BoxGroup& group;
  MessageHeader header;
  GroupEntry entry;
  const Codec& codec;
  Cells segments;

  OpenGroup(const IncomingMessage& m, const MessageForm::BoxGroup& g)
      : message(m),
        group(g),
        header(read_as<MessageHeader>(m.incoming.memory)),
        entry(entry_of(m.incoming.memory, static_cast<std::size_t>(&g - m.incoming.form->groups().data()))),
        codec(*find_codec(entry.codec)),
        segments(m.incoming.form->segments(g)) {}
};

/// The blocks of a segment, decoded one after the other.
class Decoder::BlockReader {
 public:
  /// `keys`: room for one of each.
  BlockReader(const OpenGroup& group, Index number, NumberType type, const Shape& global, std::uint64_t* keys)
      : group_(group), form_(*group.message.incoming.form), scalar_(type.scalar), keys_(keys) {
    const Box box = group.segments.cell(number);
    const auto segment = static_cast<std::size_t>(group.group.first_segment + number);
    const IncomingMessage& m = group.message;
    left_ = form_.blocks_of(box);
    index_ = m.incoming.memory + group.group.index_at + form_.index_bytes(group.codec, m.first_block[segment]);
    payload_ = {m.incoming.memory + group.entry.at + m.segment_at[segment], group.entry.bytes - m.segment_at[segment]};
    const auto first = static_cast<std::uint64_t>(element_number(box.lo, global));
    for (Index b = 0; b < left_; ++b) keys[b] = block_key(group.header.seed, first, static_cast<std::uint64_t>(b));
  }

  /// The next ones; false where they cannot be decoded.
  bool decode(Index count, std::byte* values) {
    const std::span<const std::byte> index(index_, static_cast<std::size_t>(form_.index_bytes(group_.codec, count)));
    const int codec_blocks = static_cast<int>(count * form_.blocks_in_block(group_.codec));
    if (!group_.codec.decode(index, payload_, 0, group_.entry.parameter, group_.header.rounding,
                             {scalar_, codec_blocks, values, keys_}))
      return false;
    left_ -= count;
    keys_ += count;
    index_ += index.size();
    if (left_ > 0)
      payload_ =
          payload_.subspan(std::min(payload_.size(), group_.codec.payload_bytes(scalar_, index.data(), codec_blocks)));
    return true;
  }
  [[nodiscard]] Index left() const { return left_; }

 private:
  const OpenGroup& group_;
  const MessageForm& form_;
  Scalar scalar_;
  std::uint64_t* keys_;
  Index left_ = 0;
  const std::byte* index_ = nullptr;
  std::span<const std::byte> payload_{};
};

struct Decoder::PlaneOfUnit {
  const Box& unit;
  std::byte* plane;
  const Coord& strides;
  std::byte* scratch;
  bool non_temporal;
};

Decoder::Decoder(std::vector<Incoming> messages, NumberType type, const Shape& global) : type_(type), global_(global) {
  for (Incoming& incoming : messages) {
    largest_segment_ = std::max(largest_segment_, incoming.form->largest_segment());
    number_blocks(messages_.emplace_back(std::move(incoming)));
  }
}

void Decoder::number_blocks(IncomingMessage& m) {
  const MessageForm& form = *m.incoming.form;
  if (form.groups().empty()) return;  // of a plan that never runs
  m.segment_at.resize(static_cast<std::size_t>(form.segment_count()));
  m.first_block.reserve(m.segment_at.size());
  for (const MessageForm::BoxGroup& group : form.groups()) {
    const Cells cells = form.segments(group);
    Index block = 0;
    for (Index s = 0; s < cells.count(); ++s) {
      m.first_block.push_back(static_cast<std::uint32_t>(block));
      block += form.blocks_of(cells.cell(s));
    }
  }
}

std::size_t Decoder::scratch_bytes() const {
  if (messages_.empty()) return 0;
  const auto block =
      static_cast<std::size_t>(messages_.front().incoming.form->codec().block_values()) * size_of(type_.scalar);
  return round_up(static_cast<std::size_t>(largest_segment_) * block, cache_line) +
         round_up(static_cast<std::size_t>(largest_segment_) * sizeof(std::uint64_t), cache_line);
}

void Decoder::open(int chunk, const Received& received) {
  for (IncomingMessage& m : messages_)
    if (m.incoming.chunk == chunk)
      check_message(m.incoming.memory, *m.incoming.form, m.incoming.peer, received(m.incoming.number), m.segment_at);
}

void Decoder::fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch, bool non_temporal) {
  const PlaneOfUnit place{unit, plane, strides, scratch, non_temporal};
  for (const IncomingMessage& m : messages_) {
    const MessageForm& form = *m.incoming.form;
    form.for_groups(unit, [&](Index g) {
      const OpenGroup group(m, form.groups()[static_cast<std::size_t>(g)]);
      const Cells wanted(intersect(group.group.box, unit), form.blocking().reader_steps);
      for (Index s = 0; s < wanted.count(); ++s)
        decode_segment(group, group.segments.number_of(wanted.cell(s).lo), place);
    });
  }
}

void Decoder::decode_segment(const OpenGroup& group, Index number, const PlaneOfUnit& place) {
  const MessageForm& form = *group.message.incoming.form;
  const Box box = group.segments.cell(number);
  const std::size_t block = static_cast<std::size_t>(form.codec().block_values()) * size_of(type_.scalar);
  auto* keys = reinterpret_cast<std::uint64_t*>(
      place.scratch + round_up(static_cast<std::size_t>(largest_segment_) * block, cache_line));
  BlockReader blocks(group, number, type_, global_, keys);

  const Box& unit = place.unit;
  const std::vector<int>& order = form.blocking().order;
  const bool cut =
      std::any_of(order.begin(), order.end(), [&](int a) { return box.lo[a] < unit.lo[a] || box.hi[a] > unit.hi[a]; });
  const Box part = cut ? intersect(box, unit) : box;  // by the chunks of the exchange after it
  std::byte* const to = place.plane + offset_between(unit.lo, part.lo, place.strides);
  const PlaneRuns runs(box.shape(), place.strides, order, type_.element_bytes(), static_cast<Index>(block));
  bool whole = true;
  if (!cut && !place.non_temporal && runs.holds(to)) {
    const Index of_run = runs.bytes() / static_cast<Index>(block);
    for (Index r = 0; r < runs.count() && whole; ++r) whole = blocks.decode(of_run, to + runs.offset(r));
  } else {
    whole = blocks.decode(blocks.left(), place.scratch);
    const Coord packed = packed_strides(box.shape(), order, type_.element_bytes(), false);
    copy_box(place.scratch + offset_between(box.lo, part.lo, packed), packed, to, place.strides, part.shape(),
             type_.element_bytes(), place.non_temporal);
  }
  if (!whole) damaged_from_.store(group.message.incoming.peer, std::memory_order_relaxed);
}

void Decoder::check() {
  if (const int peer = damaged_from_.load(std::memory_order_relaxed); peer >= 0)
    damaged_message(peer, "cannot be decoded");
}

}  // namespace shardfft
