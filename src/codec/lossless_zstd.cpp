// Zstandard at its fastest usual level, on bytes sorted by significance: what lossless compression can do, for
// comparison.
#include <zstd.h>
#include <algorithm>

#include <memory>
#include <new>

#include "codec/registry.hpp"
#include "codec/sized_blocks.hpp"
#include "support/handle.hpp"

namespace shardfft {
namespace {

using namespace sized_blocks;

constexpr int level = 1;

/// What one thread needs. Made at its first use of the codec: Zstandard's tables take some 100 KiB, too much for a
/// stack. Nothing is allocated after that.
struct Workspace {
  Handle<ZSTD_CCtx*, ZSTD_freeCCtx> compress{ZSTD_createCCtx()};
  Handle<ZSTD_DCtx*, ZSTD_freeDCtx> decompress{ZSTD_createDCtx()};
  std::byte sorted[values * sizeof(double)];
};

Workspace& workspace() {
  thread_local const std::unique_ptr<Workspace> mine = std::make_unique<Workspace>();
  return *mine;
}

/// Byte k of all numbers, then byte k + 1.
void sort_bytes(const std::byte* block, std::size_t size, std::byte* to) {
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < values; ++i) to[k * values + i] = block[i * size + k];
}
void unsort_bytes(const std::byte* from, std::size_t size, std::byte* block) {
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < values; ++i) block[i * size + k] = from[k * values + i];
}

/// Nothing is lost: every bit comes back.
class LosslessZstd final : public Codec {
 public:
  std::string_view name() const override { return "lossless_zstd"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::lossless_zstd); }
  std::string_view about() const override { return "Zstandard on bytes sorted by significance"; }
  std::string refuses(Scalar) const override { return ""; }
  int block_values() const override { return values; }
  bool is_exact() const override { return true; }
  int index_bytes() const override { return sized_blocks::index_bytes; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override {
    return raw_bytes(scalar) * static_cast<std::size_t>(blocks);
  }
  std::size_t payload_bytes(Scalar scalar, const std::byte* index, int blocks) const override {
    return std::min(most_bytes(scalar, blocks), sized_blocks::payload(index, blocks));
  }
  /// Measured (docs/theory/codecs.md): signs and exponents shrink, fractions of white noise do not.
  double usual_bits(Scalar scalar, double, bool) const override { return scalar == Scalar::f32 ? 29.5 : 60.3; }
  double parameter(Scalar, const GroupBudget&) const override { return 0; }

  Encoded encode(const Blocks<const std::byte>& blocks, double, Rounding, std::byte* index,
                 std::byte* payload) const override {
    Workspace& w = workspace();
    const std::size_t raw = raw_bytes(blocks.scalar);
    return sized_blocks::encode(blocks, index, payload, [&](const std::byte* block, std::byte* to) {
      sort_bytes(block, size_of(blocks.scalar), w.sorted);
      const std::size_t bytes =
          w.compress.get() == nullptr ? 0 : ZSTD_compressCCtx(w.compress.get(), to, raw, w.sorted, raw, level);
      return Shrunk{.bytes = ZSTD_isError(bytes) ? 0 : bytes};
    });
  }

  bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double, Rounding,
              const Blocks<std::byte>& blocks) const override {
    Workspace& w = workspace();
    const std::size_t raw = raw_bytes(blocks.scalar);
    return sized_blocks::decode(index, payload, first, blocks, [&](std::span<const std::byte> bytes, std::byte* block) {
      if (w.decompress.get() == nullptr ||
          ZSTD_decompressDCtx(w.decompress.get(), w.sorted, raw, bytes.data(), bytes.size()) != raw)
        return false;
      unsort_bytes(w.sorted, size_of(blocks.scalar), block);
      return true;
    });
  }
};

}  // namespace

const Codec& lossless_zstd_codec() {
  static const LosslessZstd codec;
  return codec;
}

}  // namespace shardfft
