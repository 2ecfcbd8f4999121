// The seam to what shrinks the real numbers of an exchange. A codec sees blocks of numbers and bytes: no boxes, ranks
// or transports.
//
// What one rank computes of one piece of an exchange at once is a *group*: a list of blocks. Encoded, a group is an
// index (a fixed number of bytes per block, which tells where in the payload each block is) and a payload (as long as
// it became). Each block can be decoded alone, since the reader wants other parts of a group together than the writer.
// Parameters and the codec's number travel with every group (exchange/encoded_*), so that a group may fall back to
// `none`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// What may be lost of a group.
struct GroupBudget {
  double error = 0;       ///< L2 norm of all that is lost; 0: nothing
  double norm = 0;        ///< no number of the group, and no L2 norm of several, is larger; finite
  Index values = 0;       ///< real numbers of the group
  bool a_priori = false;  ///< true: the parameter keeps to `error` whatever the numbers; false: for usual ones, since
                          ///< the caller looks at what was lost and asks again
};

/// How a quantiser rounds: to the nearest multiple, or to one after a known, seemingly random shift that the decoder
/// takes back (subtractive dither), after which errors are independent of the data.
enum class Rounding : std::uint8_t { nearest, dither };

/// Whole blocks, one after the other: block_values() numbers each, aligned to 64 bytes. Complex numbers stand as re,
/// im. Positions of a block that belong to no element (at the rims of an array) hold zero.
template <class Byte>
struct Blocks {
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  int count = 0;
  Byte* values = nullptr;
  const std::uint64_t* keys =
      nullptr;  ///< of each block, the same at both ends and in no other block of a run: what dither is made from
  /// What lost2 is counted in, a power of two near the norm of everything: squares of 1e200 and of 1e-300 are no
  /// numbers. Of encode() only; kept to 2^-1000 .. 2^1000.
  double unit = 1;
};

/// What became of the blocks of one call.
struct Encoded {
  std::size_t bytes = 0;  ///< of the payload, a multiple of 8
  double lost2 =
      0;  ///< sum of the squares of (decoded - given) / unit, exact but for rounding (its root to 1e-6 of itself and
          ///< 3e-7 of the allowance); not finite when a number is not and its block was not kept as it is
};

/// Immutable and thread-safe; never allocates in encode() and decode().
class Codec {
 public:
  virtual ~Codec() = default;
  /// The name on the command line: "block_float".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// The codec's number in messages. No other codec gets it, in any version.
  [[nodiscard]] virtual std::uint8_t number() const = 0;
  /// How blocks hold their numbers, for people and for explain: "float16 after scaling by a power of two".
  [[nodiscard]] virtual std::string_view about() const = 0;
  /// Empty when it takes such numbers; else the reason, one line for people ("f16 to f32: use it for f64").
  [[nodiscard]] virtual std::string refuses(Scalar scalar) const = 0;

  /// Numbers of a block, a power of two from 64 to 4096.
  [[nodiscard]] virtual int block_values() const { return 64; }
  /// Bytes of a group's index per block; 0 if all blocks have one size.
  [[nodiscard]] virtual int index_bytes() const = 0;
  /// The largest payload of `blocks` blocks in bytes; a multiple of 8.
  [[nodiscard]] virtual std::size_t most_bytes(Scalar scalar, int blocks) const = 0;
  /// Bytes of the payload of so many blocks as their index says, which may be any bytes; at most most_bytes(). Where
  /// there is no index, that is it.
  [[nodiscard]] virtual std::size_t payload_bytes(Scalar scalar, const std::byte*, int blocks) const {
    return most_bytes(scalar, blocks);
  }
  /// About how many bits a real number takes when `error_share` = error / norm of the allowance, for data without any
  /// structure (white noise); for the planner.
  [[nodiscard]] virtual double usual_bits(Scalar scalar, double error_share, bool a_priori) const = 0;
  /// Whether what it loses of a number does not depend on that number: then small numbers among large ones take few
  /// bits, and it saves bytes to know the norm of everything.
  [[nodiscard]] virtual bool is_absolute() const { return false; }
  /// Whether every bit comes back, whatever the numbers and the parameter.
  [[nodiscard]] virtual bool is_exact() const { return false; }
  /// Whether encode() can round with dither.
  [[nodiscard]] virtual bool dithers() const { return false; }

  /// The codec's one parameter (its step, factor, or number of bits) for a group; NaN when it cannot keep to the
  /// allowance: the group then travels as it is.
  [[nodiscard]] virtual double parameter(Scalar scalar, const GroupBudget& group_budget) const = 0;

  /// `index`: index_bytes() per block; `payload`: at least most_bytes(), aligned to 8. Both are written, the blocks are
  /// left as they are.
  [[nodiscard]] virtual Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding rounding,
                                       std::byte* index, std::byte* payload) const = 0;

  /// Blocks first .. first + blocks.count - 1 of those of which `index` and `payload` are all that arrived (of any
  /// content; `payload` aligned to 8). False when they cannot have come from encode(): then `blocks` holds anything.
  /// Never reads or writes outside. Where it returns true for what encode() made, the numbers are those that `lost2`
  /// was computed from, to the last bit.
  [[nodiscard]] virtual bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first,
                                    double parameter, Rounding rounding, const Blocks<std::byte>& blocks) const = 0;
};

/// All codecs that were compiled in; `none` first. The only place that knows which.
[[nodiscard]] std::span<const Codec* const> codecs();
/// nullptr when there is none of that name, or number.
[[nodiscard]] const Codec* find_codec(std::string_view name);
[[nodiscard]] const Codec* find_codec(std::uint8_t number);

}  // namespace shardfft
