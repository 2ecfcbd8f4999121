// Numbers as they are.
#include <cstring>

#include "codec/registry.hpp"

namespace shardfft {
namespace {

std::size_t bytes_of(Scalar scalar, int block_values, int blocks) {
  return size_of(scalar) * static_cast<std::size_t>(block_values) * static_cast<std::size_t>(blocks);
}

/// Copies: error 0, whatever the numbers.
class None final : public Codec {
 public:
  std::string_view name() const override { return "none"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::none); }
  std::string_view about() const override { return "exact, numbers as they are in memory"; }
  std::string refuses(Scalar) const override { return ""; }
  bool is_exact() const override { return true; }
  int index_bytes() const override { return 0; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override { return bytes_of(scalar, block_values(), blocks); }
  double usual_bits(Scalar scalar, double, bool) const override { return 8.0 * static_cast<double>(size_of(scalar)); }
  double parameter(Scalar, const GroupBudget&) const override { return 0; }

  Encoded encode(const Blocks<const std::byte>& blocks, double, Rounding, std::byte*,
                 std::byte* payload) const override {
    const std::size_t bytes = most_bytes(blocks.scalar, blocks.count);
    if (bytes > 0) std::memcpy(payload, blocks.values, bytes);
    return {.bytes = bytes, .lost2 = 0};
  }

  bool decode(std::span<const std::byte>, std::span<const std::byte> payload, int first, double, Rounding,
              const Blocks<std::byte>& blocks) const override {
    const std::size_t begin = most_bytes(blocks.scalar, first), bytes = most_bytes(blocks.scalar, blocks.count);
    if (begin + bytes > payload.size()) return false;
    if (bytes > 0) std::memcpy(blocks.values, payload.data() + begin, bytes);
    return true;
  }
};

}  // namespace

const Codec& none_codec() {
  static const None codec;
  return codec;
}

}  // namespace shardfft
