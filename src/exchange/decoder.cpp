#include "exchange/decoder.hpp"

#include <algorithm>

#include "exchange/message_check.hpp"
#include "exchange/plane_runs.hpp"
#include "grid/patch.hpp"
#include "support/copy_box.hpp"

namespace shardfft {
namespace {

constexpr std::size_t align(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

Decoder::Decoder(std::vector<Incoming> messages, NumberType type, const Shape& global) : type_(type), global_(global) {
  for (Incoming& incoming : messages) {
    largest_segment_ = std::max(largest_segment_, incoming.form->largest_segment());
    number_blocks(messages_.emplace_back(std::move(incoming)));
  }
}

void Decoder::number_blocks(Message& m) {
  const MessageForm& form = *m.incoming.form;
  m.segment_at.resize(static_cast<std::size_t>(form.segment_count()));
  m.first_block.reserve(m.segment_at.size());
  for (const MessageForm::Group& group : form.groups()) {
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
  const auto block = static_cast<std::size_t>(messages_.front().incoming.form->codec().block_values()) * size_of(type_.scalar);
  return align(static_cast<std::size_t>(largest_segment_) * block) + align(static_cast<std::size_t>(largest_segment_) * sizeof(std::uint64_t));
}

void Decoder::open(int chunk, const Received& received) {
  for (Message& m : messages_)
    if (m.incoming.chunk == chunk) check_message(m.incoming.memory, *m.incoming.form, m.incoming.peer, received(m.incoming.number), m.segment_at);
}

void Decoder::fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch, bool stream) {
  for (const Message& m : messages_) {
    const MessageForm& form = *m.incoming.form;
    form.for_groups(unit, [&](Index g) {
      const MessageForm::Group& group = form.groups()[static_cast<std::size_t>(g)];
      const Cells all = form.segments(group);
      const Cells wanted(intersect(group.box, unit), form.blocking().reader_steps);
      for (Index s = 0; s < wanted.count(); ++s) decode_segment(m, group, all.number_of(wanted.cell(s).lo), unit, plane, strides, scratch, stream);
    });
  }
}

void Decoder::decode_segment(const Message& m, const MessageForm::Group& group, Index number, const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch, bool stream) {
  const MessageForm& form = *m.incoming.form;
  const auto g = static_cast<std::size_t>(&group - form.groups().data());
  const GroupEntry entry = entry_of(m.incoming.memory, g);
  const auto header = read_as<MessageHeader>(m.incoming.memory);
  const Codec& codec = *find_codec(entry.codec);
  const Box box = form.segments(group).cell(number);
  const auto segment = static_cast<std::size_t>(group.first_segment + number);
  const Index blocks = form.blocks_of(box);
  const std::size_t block = static_cast<std::size_t>(form.codec().block_values()) * size_of(type_.scalar);

  auto* keys = reinterpret_cast<std::uint64_t*>(scratch + align(static_cast<std::size_t>(largest_segment_) * block));
  const Index first = element_number(box.lo, global_);
  for (Index b = 0; b < blocks; ++b) keys[b] = block_key(header.seed, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(b));
  const std::byte* index = m.incoming.memory + group.index_at + form.index_bytes(codec, m.first_block[segment]);
  std::span<const std::byte> payload(m.incoming.memory + entry.at + m.segment_at[segment], entry.bytes - m.segment_at[segment]);
  // Blocks `first` and those after it, as far as they are decoded at once; the payload goes on behind them.
  const auto decode = [&](Index first_block, Index count, std::byte* values) {
    const std::span<const std::byte> of_these(index + form.index_bytes(codec, first_block), static_cast<std::size_t>(form.index_bytes(codec, count)));
    const int codec_blocks = static_cast<int>(count * form.blocks_in_block(codec));
    if (!codec.decode(of_these, payload, 0, entry.parameter, header.rounding, {type_.scalar, codec_blocks, values, keys + first_block})) return false;
    if (first_block + count < blocks) payload = payload.subspan(std::min(payload.size(), codec.payload_bytes(type_.scalar, of_these.data(), codec_blocks)));
    return true;
  };
  bool whole = true;
  const Box part = intersect(box, unit);  // a unit may be cut by the chunks of the exchange after it
  for (int a = 0; a < part.dims(); ++a) plane += (part.lo[a] - unit.lo[a]) * strides[a];
  const PlaneRuns runs(box.shape(), strides, form.blocking().order, type_.element_bytes(), static_cast<Index>(block));
  if (part == box && !stream && runs.holds(plane)) {
    const Index of_run = runs.bytes() / static_cast<Index>(block);
    for (Index r = 0; r < runs.count() && whole; ++r) whole = decode(r * of_run, of_run, plane + runs.offset(r));
  } else {
    whole = decode(0, blocks, scratch);
    const Coord packed = packed_strides(box.shape(), form.blocking().order, type_.element_bytes(), false);
    const std::byte* from = scratch;
    for (int a = 0; a < part.dims(); ++a) from += (part.lo[a] - box.lo[a]) * packed[a];
    copy_box(from, packed, plane, strides, part.shape(), type_.element_bytes(), stream);
  }
  if (!whole) damaged_from_.store(m.incoming.peer, std::memory_order_relaxed);
}

void Decoder::check() {
  if (const int peer = damaged_from_.load(std::memory_order_relaxed); peer >= 0) damaged_message(peer, "cannot be decoded");
}

}  // namespace shardfft
