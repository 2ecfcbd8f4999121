// Leaves out blocks of zeros, keeps all others as they are.
#include <algorithm>
#include <cstring>

#include "codec/registry.hpp"
#include "codec/widths.hpp"

namespace shardfft {
namespace {

std::size_t block_bytes(Scalar scalar) { return width_code::bytes(width_code::raw(scalar)); }

/// Whether all bits are zero: a -0 is not.
bool all_zero(const std::byte* block, std::size_t bytes) {
  std::byte any{0};
  for (std::size_t i = 0; i < bytes; ++i) any |= block[i];
  return any == std::byte{0};
}

/// Nothing is lost: every bit comes back.
class Lossless final : public Codec {
 public:
  std::string_view name() const override { return "lossless"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::lossless); }
  std::string_view about() const override { return "exact, without the blocks that are zero"; }
  std::string refuses(Scalar) const override { return ""; }
  bool is_exact() const override { return true; }
  int index_bytes() const override { return 1; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override {
    return block_bytes(scalar) * static_cast<std::size_t>(blocks);
  }
  std::size_t payload_bytes(Scalar scalar, const std::byte* index, int blocks) const override {
    return std::min(most_bytes(scalar, blocks), width_code::payload(index, blocks, 1));
  }
  double usual_bits(Scalar scalar, double, bool) const override {
    return width_code::raw(scalar) + 8.0 / block_values();
  }
  double parameter(Scalar, const GroupBudget&) const override { return 0; }

  Encoded encode(const Blocks<const std::byte>& blocks, double, Rounding, std::byte* index,
                 std::byte* payload) const override {
    const std::size_t bytes = block_bytes(blocks.scalar);
    std::byte* to = payload;
    for (int b = 0; b < blocks.count; ++b) {
      const std::byte* block = blocks.values + static_cast<std::size_t>(b) * bytes;
      const bool zero = all_zero(block, bytes);
      index[b] = static_cast<std::byte>(zero ? width_code::zeros : width_code::raw(blocks.scalar));
      if (zero) continue;
      std::memcpy(to, block, bytes);
      to += bytes;
    }
    return {.bytes = static_cast<std::size_t>(to - payload), .lost2 = 0};
  }

  bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double, Rounding,
              const Blocks<std::byte>& blocks) const override {
    const std::size_t bytes = block_bytes(blocks.scalar);
    if (index.size() < static_cast<std::size_t>(first) + static_cast<std::size_t>(blocks.count)) return false;
    std::size_t at = payload_offset(index, first, 1);
    for (int b = 0; b < blocks.count; ++b) {
      const auto code = std::to_integer<std::uint8_t>(index[static_cast<std::size_t>(first + b)]);
      std::byte* block = blocks.values + static_cast<std::size_t>(b) * bytes;
      if (code == width_code::zeros) {
        std::memset(block, 0, bytes);
        continue;
      }
      if (code != width_code::raw(blocks.scalar) || at + bytes > payload.size()) return false;
      std::memcpy(block, payload.data() + at, bytes);
      at += bytes;
    }
    return true;
  }
};

}  // namespace

const Codec& lossless_codec() {
  static const Lossless codec;
  return codec;
}

}  // namespace shardfft
