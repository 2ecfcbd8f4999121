// What a queue is asked to encode and decode: tables in the device's memory, so that nothing returns to the host in
// between. The formats are those of the host's codecs, bit by bit (docs/theory/codecs.md); who chooses parameters and
// what a message looks like is known further up.
//
// Numbers lie in *blocks* of 64; blocks that are encoded alike are a *group*; groups whose payloads lie one after the
// other are a *run* (a message).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/kernels/divisor.hpp"
#include "device/moves.hpp"
#include "support/block_format.hpp"

namespace shardfft {

enum class BlockFormat : std::uint8_t { lossless, f32, f16, block_float };
inline constexpr int block_formats = 4;
inline constexpr int block_numbers = 64;

/// The place of a group, the same in every round.
struct BlockGroup {
  Index first = 0;     ///< its first block among all
  Index index_at = 0;  ///< bytes from the memory of its run to its index, where it has one: one byte for each block
  std::uint32_t blocks = 0;  ///< at most most_blocks
  std::uint32_t run = 0;
  std::uint32_t first_tile = 0;  ///< among all
  static constexpr std::uint32_t most_blocks = 1U << 25;
};

/// Neighbours in a group, as many as a block of threads adds up; tiles of a group follow each other.
struct BlockTile {
  std::uint32_t group = 0;
  std::uint32_t first = 0;  ///< of the group's blocks
  static constexpr std::uint32_t most_blocks = 2048;
};

/// What the blocks of a tile come to.
struct TileSums {
  std::uint64_t words = 0;  ///< of payload, 8 bytes each
  double lost = 0;
  std::uint32_t wrong = 0;  ///< blocks with codes that no encoder makes; or there is nothing to do
};

/// Groups first_group ... of a table, whose payloads lie in `memory`.
struct BlockRun {
  std::byte* memory = nullptr;  ///< aligned to 8
  Index payload_at = 0;         ///< bytes to where payloads may lie, a multiple of 8
  Index bytes = 0;              ///< that may be read (decode), or written (encode: enough for all groups at worst)
  std::uint32_t first_group = 0, groups = 0;
  std::byte* reader = nullptr;  ///< encode: payloads are stored there, too, at the same places; not read
};

/// One way to encode a group.
struct GroupTry {
  double parameter = 0;  ///< as the host codec's; NaN: the next one is taken. A number in the last one
  double allowed2 =
      0;  ///< of lost2: where it is more, or not a number, the next one is taken. Not asked of the last one
  BlockFormat format = BlockFormat::lossless;
};

/// What became of a group: written by encode, read by decode (which believes none of it).
struct GroupMade {
  double parameter = 0, lost2 = 0;  ///< as in Encoded; decode does not look at lost2
  std::uint64_t at = 0;             ///< bytes from the run's memory to its payload, a multiple of 8
  std::uint32_t bytes = 0;          ///< of its payload
  BlockFormat format = BlockFormat::lossless;
  std::uint8_t attempt = 0;  ///< the try that was taken
};

/// What both directions need. All addresses are of memory that the device reaches.
struct BlockTables {
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  bool dither = false;
  Index blocks = 0, groups = 0, tiles = 0, runs = 0;
  const BlockGroup* group = nullptr;        ///< [groups]
  const std::uint32_t* group_of = nullptr;  ///< [blocks]
  const BlockTile* tile = nullptr;          ///< [tiles]
  const BlockRun* run = nullptr;            ///< [runs]
  std::uint64_t seed = 0;                   ///< of this run: what blocks' keys are made from, with dither
  // Scratch, not used by others until this is done.
  std::uint8_t* codes = nullptr;    ///< [blocks]: width code of each
  std::uint32_t* places = nullptr;  ///< [blocks]: 8 bytes each, from the start of its group's payload
  double* lost = nullptr;           ///< [blocks]; encode only
  std::uint64_t* sums = nullptr;    ///< [blocks][sums_of_block]; SumPayloads only
  TileSums* of_tile = nullptr;      ///< [tiles]; where a group has several
  static constexpr int sums_of_block = 4;
};

struct SegmentAxis {
  std::uint32_t extent = 1;
  Divisor by_extent{};
  Index step = 0;  ///< bytes
};

/// A box of an array whose elements fill whole blocks, in row-major order; zeros fill up the last one. (All extents 0
/// and more; at most 2^31 - 64 numbers.)
struct BlockSegment {
  Index first = 0;  ///< its first block among all
  std::uint64_t first_element =
      0;  ///< what its blocks' keys are made from: number of its first element in the global array
  std::uint32_t elements = 0;
  MoveBase base = MoveBase::fixed;
  int axes = 0;
  Index at = 0;  ///< bytes from the base to its first element
  SegmentAxis axis[BoxMove::most_axes] = {};

  /// The next faster one; of extent 1 or more.
  void add_axis(Index extent, Index step) {
    axis[axes++] = {static_cast<std::uint32_t>(extent), Divisor(static_cast<std::uint32_t>(extent)), step};
  }
};

/// Places of all blocks' numbers, in arrays. Whoever stores or reads these arrays fixes their form. Blocks have no
/// place of their own, so encoding and decoding need no pass over memory.
struct BlockElements {
  bool complex = true;
  Index segments = 0;
  const BlockSegment* segment = nullptr;      ///< [segments]
  const std::uint32_t* segment_of = nullptr;  ///< of each block that is asked for
  MoveBases bases{};
};

struct EncodeBlocks {
  BlockTables tables{};
  BlockElements elements{};
  double unit = 1;  ///< as in Blocks; kept to 2^-1000 ... 2^1000
  int tries = 1;
  const GroupTry* attempt = nullptr;   ///< [tries][groups]
  GroupMade* made = nullptr;           ///< [groups]
  std::uint64_t* run_bytes = nullptr;  ///< [runs]: payload_at and all payloads
  bool far = false;                    ///< some run has a reader
};

enum class DecodeStep : std::uint8_t { all, check, decode };

/// All blocks, or in two steps: what arrived is checked, and then some blocks at a time are decoded.
struct DecodeBlocks {
  DecodeStep step = DecodeStep::all;
  BlockTables tables{};
  const GroupMade* made = nullptr;       ///< [groups], of any content
  BlockElements elements{};              ///< zeros where a group is damaged
  Index decoded = 0;                     ///< DecodeStep::decode: how many blocks,
  const std::uint32_t* block = nullptr;  ///< and which [decoded]
  std::optional<TileTwiddles>
      twiddles{};  ///< complex elements, when they are decoded; they count from the base that all segments have
  std::uint8_t* damaged = nullptr;          ///< [groups]: 1 where what arrived cannot have come from encode, else 0
  std::uint32_t* damaged_groups = nullptr;  ///< [runs]: how many
};

/// Tries of groups from norms that only the device knows. Each group has three: as the codec is for usual numbers, as
/// it is for any, and without loss.
struct SetTries {
  Scalar scalar = Scalar::f64;
  BlockFormat format = BlockFormat::lossless;  ///< of the first two
  Index groups = 0, units = 0;
  const std::uint32_t* unit_of = nullptr;  ///< [groups]
  const double* norm2 = nullptr;           ///< [units]: sum of squares of the unit that a group belongs to
  double least_norm2 = 0, most_norm2 = 0;  ///< beyond these, and for NaN, nothing may be lost
  const double* parameter = nullptr;  ///< [2][groups]: what the host's codec says for a norm of 1; NaN: not to be tried
  const double* allowed2 = nullptr;   ///< [groups]: for a norm of 1
  GroupTry* attempt = nullptr;        ///< [3][groups]
};

}  // namespace shardfft
