#include "exchange/message_form.hpp"

#define XXH_INLINE_ALL  // nothing to link
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "support/memory/round_up.hpp"

namespace shardfft {

const Codec& exact_codec() {
  static const Codec& codec = *find_codec("lossless");
  return codec;
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t head_checksum(const std::byte* message, const MessageForm& form) {
  constexpr std::size_t own = sizeof(MessageHeader::checksum);
  return checksum_of({message + own, static_cast<std::size_t>(form.payload_at()) - own});
}

void write_header(std::byte* message, const MessageForm& form, Rounding rounding, std::uint64_t seed, Index bytes) {
  MessageHeader header{.magic = message_magic,
                       .groups = static_cast<std::uint32_t>(form.groups().size()),
                       .bytes = static_cast<std::uint64_t>(bytes),
                       .seed = seed,
                       .rounding = rounding};
  std::memcpy(message, &header, sizeof header);
  header.checksum = head_checksum(message, form);
  std::memcpy(message, &header.checksum, sizeof header.checksum);
}

MessageForm::MessageForm(const std::vector<Box>& pieces, const Blocking& blocking, const Codec& codec, NumberType type,
                         bool looks_only)
    : blocking_(blocking), codec_(&codec), type_(type), block_values_(codec.block_values()) {
  if (looks_only) {
    for (const Box& box : pieces) pieces_.push_back({box, 0});
    estimate();
    return;
  }
  for (const Box& box : pieces) add_piece(box);
  Index at = static_cast<Index>(sizeof(MessageHeader) + groups_.size() * sizeof(GroupEntry));
  Index payload = 0;
  for (BoxGroup& group : groups_) {
    group.index_at = at;
    at += std::max(index_bytes(codec, group.blocks), index_bytes(exact_codec(), group.blocks));
    payload += most_payload(group.blocks);
  }
  payload_at_ = round_up(at, cache_line);
  capacity_ = payload_at_ + payload;
}

void MessageForm::add_piece(const Box& box) {
  pieces_.push_back({box, static_cast<Index>(groups_.size())});
  values_ += box.count() * type_.per_element();
  const Cells cells(box, blocking_.writer_steps);
  groups_.reserve(groups_.size() + static_cast<std::size_t>(cells.count()));
  for (Index c = 0; c < cells.count(); ++c) {
    BoxGroup group{.box = cells.cell(c), .first_segment = segments_};
    const Cells inside = segments(group);
    for (Index s = 0; s < inside.count(); ++s) {
      const Index blocks = blocks_of(inside.cell(s));
      group.blocks += blocks;
      largest_segment_ = std::max(largest_segment_, blocks);
    }
    segments_ += inside.count();
    largest_group_ = std::max(largest_group_, group.blocks);
    groups_.push_back(group);
  }
}

namespace {

/// Elements of each segment: no longer than a unit of either sweep.
Coord segment_steps(const Blocking& blocking) {
  Coord finer = blocking.writer_steps;
  for (int a = 0; a < finer.dims(); ++a) finer[a] = std::min(finer[a], blocking.reader_steps[a]);
  return finer;
}

}  // namespace

// Each segment fills up a block at most.
void MessageForm::estimate() {
  Index groups = 0, blocks = 0;
  for (const FormPiece& piece : pieces_) {
    const Cells of_groups(piece.box, blocking_.writer_steps), of_segments(piece.box, segment_steps(blocking_));
    const Index values = piece.box.count() * type_.per_element();
    const auto blocks_at_most = [&](const Shape& shape) {
      return (product(shape) * type_.per_element() + block_values_ - 1) / block_values_;
    };
    values_ += values;
    groups += of_groups.count();
    segments_ += of_segments.count();
    blocks += values / block_values_ + of_segments.count();
    largest_segment_ = std::max(largest_segment_, blocks_at_most(of_segments.largest()));
    const Box group{Coord::filled(piece.box.dims(), 0), of_groups.largest()};
    largest_group_ =
        std::max(largest_group_, blocks_at_most(group.shape()) + Cells(group, segment_steps(blocking_)).count());
  }
  const Index index =
      std::max<Index>(codec_->index_bytes(), blocks_in_block(exact_codec()) * exact_codec().index_bytes());
  const Index most = std::max(most_payload(1), (most_payload(largest_group_) + std::max<Index>(largest_group_, 1) - 1) /
                                                   std::max<Index>(largest_group_, 1));
  payload_at_ = (static_cast<Index>(sizeof(MessageHeader)) + groups * static_cast<Index>(sizeof(GroupEntry)) +
                 blocks * index + 63) /
                64 * 64;
  capacity_ = payload_at_ + blocks * most;
}

Index MessageForm::most_payload(Index blocks) const {
  const auto most = [&](const Codec& codec) {
    return static_cast<Index>(codec.most_bytes(type_.scalar, static_cast<int>(blocks * blocks_in_block(codec))));
  };
  return std::max(most(*codec_), most(exact_codec()));
}

namespace {

// An upper bound for any piece. It does not list groups and segments, each of which fills up a block.
Expected most_expected(const std::vector<Box>& pieces, const Blocking& blocking, const Codec& codec, NumberType type,
                       double bits) {
  const Coord finer = segment_steps(blocking);
  const double block = codec.block_values(),
               index = std::max(codec.index_bytes(),
                                exact_codec().index_bytes() * codec.block_values() / exact_codec().block_values());
  Expected e{.encoded = 2 * sizeof(MessageHeader)};
  for (const Box& box : pieces) {
    const Cells groups(box, blocking.writer_steps), segments(box, finer);
    const double values = static_cast<double>(box.count() * type.per_element()),
                 blocks = values / block + static_cast<double>(segments.count());
    e.plain += values * static_cast<double>(size_of(type.scalar));
    e.encoded += static_cast<double>(groups.count()) * sizeof(GroupEntry) + blocks * (index + block * bits / 8);
  }
  return e;
}

}  // namespace

Expected expected_bytes(const std::vector<Box>& pieces, const Blocking& blocking, const Codec& codec, NumberType type,
                        double bits, bool looks_only) {
  Expected e = most_expected(pieces, blocking, codec, type, bits);
  const double most_listed = looks_only ? 64 : 1 << 16;  // of more, those that are not full count little
  const Coord steps = looks_only ? segment_steps(blocking) : blocking.writer_steps;
  double listed = 0;
  for (const Box& box : pieces) listed += static_cast<double>(Cells(box, steps).count());
  if (e.encoded < e.plain || listed > most_listed) return e;
  const MessageForm form(pieces, blocking, codec, type);
  double blocks = 0;
  for (const MessageForm::BoxGroup& group : form.groups()) blocks += static_cast<double>(group.blocks);
  e.encoded = static_cast<double>(form.payload_at()) + blocks * codec.block_values() * bits / 8;
  return e;
}

}  // namespace shardfft
