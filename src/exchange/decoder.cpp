#include "exchange/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "grid/patch.hpp"
#include "shardfft/error.hpp"
#include "support/copy_box.hpp"

namespace shardfft {
namespace {

[[noreturn]] void damaged(int peer, const std::string& what) {
  throw Error(Status::transport_failed, fmt::format("an encoded message is what its sender made; that of rank {} {}; it was damaged on its way, or the ranks run different builds", peer, what));
}

template <class Struct>
Struct read(const std::byte* from) {
  Struct value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

GroupEntry entry_of(const std::byte* message, std::size_t group) { return read<GroupEntry>(message + sizeof(MessageHeader) + group * sizeof(GroupEntry)); }

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
  m.segments.reserve(static_cast<std::size_t>(form.segment_count()));
  for (const MessageForm::Group& group : form.groups()) {
    const Cells cells = form.segments(group);
    Index block = 0;
    for (Index s = 0; s < cells.count(); ++s) {
      m.segments.push_back({.first_block = static_cast<std::uint32_t>(block)});
      block += form.blocks_of(cells.cell(s));
    }
  }
}

std::size_t Decoder::scratch_bytes() const {
  if (messages_.empty()) return 0;
  const auto block = static_cast<std::size_t>(messages_.front().incoming.form->codec().block_values()) * size_of(type_.scalar);
  return align(static_cast<std::size_t>(largest_segment_) * block) + align(static_cast<std::size_t>(largest_segment_) * sizeof(std::uint64_t));
}

void Decoder::check_head(const Message& m, Index received) const {
  const MessageForm& form = *m.incoming.form;
  const int peer = m.incoming.peer;
  if (received < form.payload_at()) damaged(peer, fmt::format("has {} bytes and its head alone needs {}", received, form.payload_at()));
  const auto header = read<MessageHeader>(m.incoming.memory);
  if (header.magic != message_magic) damaged(peer, fmt::format("begins with {:#x} instead of {:#x}", header.magic, message_magic));
  if (header.groups != form.groups().size()) damaged(peer, fmt::format("has {} groups instead of {}", header.groups, form.groups().size()));
  const auto bytes = static_cast<Index>(header.bytes);
  if (bytes < form.payload_at() || bytes > received) damaged(peer, fmt::format("says that it has {} bytes, and {} came", header.bytes, received));
  if (header.checksum != head_checksum(m.incoming.memory, form)) damaged(peer, "has another checksum than its head");
  if (header.rounding != Rounding::nearest && header.rounding != Rounding::dither) damaged(peer, "rounds in a way that is not known");
}

void Decoder::open(Message& m, Index received) {
  check_head(m, received);
  const auto header = read<MessageHeader>(m.incoming.memory);
  const auto& groups = m.incoming.form->groups();
  for (std::size_t g = 0; g < groups.size(); ++g) open_group(m, groups[g], entry_of(m.incoming.memory, g), header);
}

// Where the payload of each segment begins, from what the index says of the blocks before it.
void Decoder::open_group(Message& m, const MessageForm::Group& group, const GroupEntry& entry, const MessageHeader& header) const {
  const MessageForm& form = *m.incoming.form;
  const int peer = m.incoming.peer;
  const Codec* codec = find_codec(entry.codec);
  if (!codec || (codec != &form.codec() && codec != &exact_codec())) damaged(peer, fmt::format("holds numbers of codec {}, which is not expected", entry.codec));
  const auto payload_at = static_cast<std::uint64_t>(form.payload_at());
  if (entry.at < payload_at || entry.at % 8 != 0 || entry.at > header.bytes || entry.bytes > header.bytes - entry.at)
    damaged(peer, fmt::format("has a group at byte {} of {} bytes, outside of it", entry.at, entry.bytes));
  if (checksum_of({m.incoming.memory + entry.at, entry.bytes}) != entry.checksum) damaged(peer, "has another checksum than one of its groups");
  const std::byte* index = m.incoming.memory + group.index_at;
  const Cells cells = form.segments(group);
  std::uint64_t at = 0;
  for (Index s = 0; s < cells.count(); ++s) {
    Segment& segment = m.segments[static_cast<std::size_t>(group.first_segment + s)];
    const Index blocks = form.blocks_of(cells.cell(s));
    segment.at = static_cast<std::uint32_t>(at);
    at += codec->payload_bytes(type_.scalar, index, static_cast<int>(blocks * form.blocks_in_block(*codec)));
    index += form.index_bytes(*codec, blocks);
    if (at > entry.bytes) damaged(peer, "has a group that is shorter than its index says");
  }
}

void Decoder::fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch) {
  for (const Message& m : messages_) {
    const MessageForm& form = *m.incoming.form;
    form.for_groups(unit, [&](Index g) {
      const MessageForm::Group& group = form.groups()[static_cast<std::size_t>(g)];
      const Cells all = form.segments(group);
      const Cells wanted(intersect(group.box, unit), form.blocking().reader_steps);
      for (Index s = 0; s < wanted.count(); ++s) decode_segment(m, group, all.number_of(wanted.cell(s).lo), unit, plane, strides, scratch);
    });
  }
}

void Decoder::decode_segment(const Message& m, const MessageForm::Group& group, Index number, const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch) {
  const MessageForm& form = *m.incoming.form;
  const auto g = static_cast<std::size_t>(&group - form.groups().data());
  const GroupEntry entry = entry_of(m.incoming.memory, g);
  const auto header = read<MessageHeader>(m.incoming.memory);
  const Codec& codec = *find_codec(entry.codec);
  const Box box = form.segments(group).cell(number);
  const Segment& segment = m.segments[static_cast<std::size_t>(group.first_segment + number)];
  const Index blocks = form.blocks_of(box);
  const std::size_t block = static_cast<std::size_t>(form.codec().block_values()) * size_of(type_.scalar);

  auto* keys = reinterpret_cast<std::uint64_t*>(scratch + align(static_cast<std::size_t>(largest_segment_) * block));
  const Index first = element_number(box.lo, global_);
  for (Index b = 0; b < blocks; ++b) keys[b] = block_key(header.seed, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(b));
  const std::byte* index = m.incoming.memory + group.index_at + form.index_bytes(codec, segment.first_block);
  const std::byte* payload = m.incoming.memory + entry.at;
  const Blocks<std::byte> out{type_.scalar, static_cast<int>(blocks * form.blocks_in_block(codec)), scratch, keys};
  const bool whole = codec.decode({index, static_cast<std::size_t>(form.index_bytes(codec, blocks))}, {payload + segment.at, entry.bytes - segment.at}, 0, entry.parameter,
                                  header.rounding, out);
  if (!whole) damaged_from_.store(m.incoming.peer, std::memory_order_relaxed);

  const Box part = intersect(box, unit);  // a unit may be cut by the chunks of the exchange after it
  const Coord packed = packed_strides(box.shape(), form.blocking().order, type_.element_bytes(), false);
  const std::byte* from = scratch;
  for (int a = 0; a < part.dims(); ++a) {
    from += (part.lo[a] - box.lo[a]) * packed[a];
    plane += (part.lo[a] - unit.lo[a]) * strides[a];
  }
  copy_box(from, packed, plane, strides, part.shape(), type_.element_bytes());
}

void Decoder::check() const {
  if (const int peer = damaged_from_.load(std::memory_order_relaxed); peer >= 0) damaged(peer, "cannot be decoded");
}

}  // namespace shardfft
