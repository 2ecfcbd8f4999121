// The form of an encoded message. Both ends derive it from the boxes alone.
//
//   header | one entry per group | indexes of the groups | payloads of the groups, in any order
//
// A *group* is what the writer encodes at once: the part of a piece that lies in one of its units. It is cut into
// *segments*: a segment lies in one unit of the reader, which wants it at once. Each segment is whole blocks of the
// codec, the last one filled up with zeros, so a reader decodes nothing twice. Numbers have the machine's byte order,
// which is little-endian on all supported machines.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codec/codec.hpp"
#include "grid/cells.hpp"
#include "support/block_format.hpp"  // block_key

namespace shardfft {

static_assert(std::endian::native == std::endian::little, "encoded messages hold little-endian numbers");

/// How the pieces of an exchange are cut; the same on all ranks.
struct Blocking {
  Coord writer_steps{},
      reader_steps{};        ///< units of the sweep before it and of the one after it, in elements of what is exchanged
  std::vector<int> order{};  ///< of the elements of a segment, slowest axis first
};

struct MessageHeader {
  std::uint64_t checksum = 0;  ///< of everything from the next field up to the payloads
  std::uint32_t magic = 0, groups = 0;
  std::uint64_t bytes = 0;  ///< of the whole message
  std::uint64_t seed = 0;   ///< of this run: what the blocks' keys are made from
  Rounding rounding = Rounding::nearest;
  std::uint8_t unused[31] = {};
};
static_assert(sizeof(MessageHeader) == 64);
inline constexpr std::uint32_t message_magic = 0x31464653;  // "SFF1"

struct GroupEntry {
  std::uint64_t checksum = 0;  ///< of its payload
  double parameter = 0;        ///< of its codec
  std::uint64_t at = 0;        ///< bytes from the start of the message to its payload
  std::uint32_t bytes = 0;     ///< of its payload
  std::uint8_t codec = 0;      ///< its number
  std::uint8_t unused[3] = {};
};
static_assert(sizeof(GroupEntry) == 32);

/// The numbers that are exchanged.
struct NumberType {
  Scalar scalar = Scalar::f64;
  bool complex = true;
  [[nodiscard]] Index per_element() const { return complex ? 2 : 1; }
  [[nodiscard]] Index element_bytes() const { return per_element() * static_cast<Index>(size_of(scalar)); }
};

class MessageForm {
 public:
  struct BoxGroup {
    Box box{};
    Index blocks = 0;         ///< of the codec that was asked for
    Index first_segment = 0;  ///< number of its first segment in the message
    Index index_at = 0;       ///< bytes from the start of the message to its index
  };

  /// `pieces`: the boxes that travel together, in the order that both ends know.
  /// `looks_only`: upper limits of sizes in no time, without the groups.
  MessageForm(const std::vector<Box>& pieces, const Blocking& blocking, const Codec& codec, NumberType type,
              bool looks_only = false);

  [[nodiscard]] const std::vector<BoxGroup>& groups() const { return groups_; }
  /// The pieces, as given.
  [[nodiscard]] std::vector<Box> boxes() const {
    std::vector<Box> all;
    for (const FormPiece& piece : pieces_) all.push_back(piece.box);
    return all;
  }
  /// The groups of one piece that meet `box`: calls visit(number of the group).
  template <class Visit>
  void for_groups(const Box& box, Visit visit) const {
    for (const FormPiece& piece : pieces_) {
      if (!meet(piece.box, box)) continue;
      const Box both = intersect(piece.box, box);
      const Cells cells(both, blocking_.writer_steps);
      const Cells all(piece.box, blocking_.writer_steps);
      for (Index c = 0; c < cells.count(); ++c) visit(piece.first_group + all.number_of(cells.cell(c).lo));
    }
  }
  [[nodiscard]] Cells segments(const BoxGroup& group) const { return Cells(group.box, blocking_.reader_steps); }
  [[nodiscard]] Index blocks_of(const Box& segment) const {
    return (segment.count() * type_.per_element() + block_values_ - 1) / block_values_;
  }

  [[nodiscard]] Index segment_count() const { return segments_; }
  [[nodiscard]] Index largest_group() const { return largest_group_; }      ///< blocks
  [[nodiscard]] Index largest_segment() const { return largest_segment_; }  ///< blocks
  [[nodiscard]] Index values() const { return values_; }  ///< real numbers, without what fills blocks up
  [[nodiscard]] Index payload_at() const { return payload_at_; }
  [[nodiscard]] Index capacity() const { return capacity_; }  ///< bytes at most
  [[nodiscard]] const Blocking& blocking() const { return blocking_; }
  [[nodiscard]] const Codec& codec() const { return *codec_; }
  [[nodiscard]] NumberType type() const { return type_; }

  /// Blocks of `codec` in one block of this message. `codec` is the requested one, or the lossless one that replaces it
  /// for a group.
  [[nodiscard]] Index blocks_in_block(const Codec& codec) const { return block_values_ / codec.block_values(); }
  [[nodiscard]] Index index_bytes(const Codec& codec, Index blocks) const {
    return blocks * blocks_in_block(codec) * codec.index_bytes();
  }
  [[nodiscard]] Index most_payload(Index blocks) const;  ///< whichever of the two codecs

 private:
  struct FormPiece {
    Box box{};
    Index first_group = 0;
  };
  void add_piece(const Box& box);
  void estimate();

  Blocking blocking_;
  const Codec* codec_;
  NumberType type_;
  Index block_values_;
  std::vector<FormPiece> pieces_{};
  std::vector<BoxGroup> groups_{};
  Index segments_ = 0, largest_group_ = 0, largest_segment_ = 0, values_ = 0, payload_at_ = 0, capacity_ = 0;
};

/// Expected sizes of messages in bytes.
struct Expected {
  double encoded = 0;  ///< with heads, indexes and what fills blocks up
  double plain = 0;    ///< the numbers as they are
};
/// What a message of these pieces will take when a number takes `bits` bits of the payload; an upper limit that is
/// quickly found where that is less than the numbers as they are.
[[nodiscard]] Expected expected_bytes(const std::vector<Box>& pieces, const Blocking& blocking, const Codec& codec,
                                      NumberType type, double bits, bool looks_only = false);

/// Takes what a codec cannot keep within its allowance: nothing is lost.
[[nodiscard]] const Codec& exact_codec();

[[nodiscard]] std::uint64_t checksum_of(std::span<const std::byte> bytes);
/// Checksum of a message's head: everything before the payloads except the checksum itself.
[[nodiscard]] std::uint64_t head_checksum(const std::byte* message, const MessageForm& form);
/// Writes the header of a message of `bytes` bytes, of which all other parts of the head are there.
void write_header(std::byte* message, const MessageForm& form, Rounding rounding, std::uint64_t seed, Index bytes);

/// Index of an element of the global array in row-major order.
[[nodiscard]] inline Index element_number(const Coord& at, const Shape& global) {
  Index number = 0;
  for (int a = 0; a < at.dims(); ++a) number = number * global[a] + at[a];
  return number;
}

}  // namespace shardfft
