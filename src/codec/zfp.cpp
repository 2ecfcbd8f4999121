// zfp in its mode of fixed accuracy, for comparison.
#include <zfp.h>
#include <algorithm>

#include <cmath>
#include <memory>

#include "codec/registry.hpp"
#include "codec/rounding.hpp"
#include "codec/sized_blocks.hpp"
#include "support/handle.hpp"

namespace shardfft {
namespace {

using namespace sized_blocks;

/// zfp's decoder does not know where its bytes end. Whatever they are, four numbers take at most 12 bits of exponent, 5
/// per bit plane and 4 more: 336 bits (f64), 1.4 times what they are. So it reads from a copy with that much room.
constexpr std::size_t room = 2 * values * sizeof(double);

/// Error of white noise (root mean square), in tolerances that are powers of two: measured, docs/theory/codecs.md.
constexpr double usual_error = 0.17;

/// What one thread needs. Made at its first use of the codec, since zfp's streams can only be had from its heap;
/// nothing is allocated after that.
struct ZfpWorkspace {
  alignas(64) std::byte bytes[room];
  std::byte decoded[values * sizeof(double)];
  Handle<bitstream*, stream_close> bits{stream_open(bytes, room)};
  Handle<zfp_stream*, zfp_stream_close> stream{zfp_stream_open(bits.get())};
};

ZfpWorkspace& workspace() {
  thread_local const std::unique_ptr<ZfpWorkspace> mine = std::make_unique<ZfpWorkspace>();
  return *mine;
}

/// Every second number of a block: real or imaginary parts.
zfp_field half_of(std::byte* block, Scalar scalar, int part) {
  zfp_field field{};
  field.type = scalar == Scalar::f32 ? zfp_type_float : zfp_type_double;
  field.nx = values / 2;
  field.sx = 2;
  field.data = block + static_cast<std::size_t>(part) * size_of(scalar);
  return field;
}

template <class T>
bool all_finite(const std::byte* block) {
  const T* x = reinterpret_cast<const T*>(block);
  bool finite = true;
  for (int i = 0; i < values; ++i) finite = finite && std::isfinite(x[i]);
  return finite;
}

template <class T>
double lost2(const std::byte* given, const std::byte* decoded, double unit) {
  const T *x = reinterpret_cast<const T*>(given), *y = reinterpret_cast<const T*>(decoded);
  double sum = 0;
  for (int i = 0; i < values; ++i) {
    const double error = (static_cast<double>(y[i]) - static_cast<double>(x[i])) / unit;
    sum += error * error;
  }
  return sum;
}

/// Both halves of `block` from the bytes that are in the workspace.
bool decompress(ZfpWorkspace& w, std::byte* block, Scalar scalar) {
  zfp_stream_rewind(w.stream.get());
  for (const int part : {0, 1}) {
    const zfp_field field = half_of(block, scalar, part);
    if (zfp_decompress(w.stream.get(), const_cast<zfp_field*>(&field)) == 0) return false;
  }
  return true;
}

Shrunk compress(ZfpWorkspace& w, const std::byte* block, std::byte* to, double tolerance,
                const Blocks<const std::byte>& blocks) {
  const bool f32 = blocks.scalar == Scalar::f32;
  if (!w.stream || !(f32 ? all_finite<float>(block) : all_finite<double>(block))) return {};
  zfp_stream_set_accuracy(w.stream.get(), tolerance);
  zfp_stream_rewind(w.stream.get());
  std::size_t bytes = 0;
  for (const int part : {0, 1}) {
    zfp_field field = half_of(const_cast<std::byte*>(block), blocks.scalar, part);  // not written to
    bytes = zfp_compress(w.stream.get(), &field);
    if (bytes == 0) return {};
  }
  if (bytes >= raw_bytes(blocks.scalar)) return {};
  std::memcpy(to, w.bytes, bytes);
  if (!decompress(w, w.decoded, blocks.scalar)) return {};
  const double unit = safe_unit(blocks.unit),
               lost = f32 ? lost2<float>(block, w.decoded, unit) : lost2<double>(block, w.decoded, unit);
  return {.bytes = std::isfinite(lost) ? bytes : 0, .lost2 = lost};  // rounded up to infinity: kept as it is
}

/// The parameter is zfp's tolerance t; blocks of 4096 numbers, real and imaginary parts apart, each as a line of 2048
/// (how they lie in the array is not known here). Blocks with Inf or NaN are kept as they are.
///   error   |decoded - given| <= t, of which zfp takes the power of two below, and its rounding to 62 (f32: 30) bits
///   below the largest of four numbers: ||decoded - given|| <= sqrt(values) t + 2^-56 ||given||
///           (f32: 2^-24). Usual numbers lose a sixth of t
///   source  Lindstrom, Fixed-rate compressed floating-point arrays, IEEE TVCG 20 (2014); Diffenderfer, Fox, Hittinger,
///   Sanders, Lindstrom, Error analysis of ZFP compression, SIAM J. Sci. Comput. 41 (2019)
class Zfp final : public Codec {
 public:
  std::string_view name() const override { return "zfp"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::zfp); }
  std::string_view about() const override { return "the library zfp, fixed accuracy, blocks of 2048"; }
  std::string refuses(Scalar) const override { return ""; }
  int block_values() const override { return values; }
  int index_bytes() const override { return sized_blocks::index_bytes; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override {
    return raw_bytes(scalar) * static_cast<std::size_t>(blocks);
  }
  std::size_t payload_bytes(Scalar scalar, const std::byte* index, int blocks) const override {
    return std::min(most_bytes(scalar, blocks), sized_blocks::payload(index, blocks));
  }

  bool is_absolute() const override { return true; }

  /// Measured, docs/theory/codecs.md. The tolerance is a power of two.
  double usual_bits(Scalar scalar, double error_share, bool a_priori) const override {
    const double tolerance = std::exp2(std::floor(std::log2(error_share / (a_priori ? 1 : usual_error))));
    return std::clamp((scalar == Scalar::f32 ? 6.02 : 6.77) - std::log2(tolerance), 1.0,
                      8.0 * static_cast<double>(size_of(scalar)));
  }

  double parameter(Scalar scalar, const GroupBudget& group_budget) const override {
    if (!is_sound(group_budget)) return refused;
    if (group_budget.norm == 0) return 1;  // blocks of zeros
    if (group_budget.norm < (scalar == Scalar::f32 ? 0x1p-90 : 0x1p-900))
      return refused;  // zfp's exponents end before subnormal numbers
    const double roundings = (scalar == Scalar::f32 ? 0x1p-24 : 0x1p-56) * group_budget.norm;
    if (!std::isfinite(group_budget.error) || group_budget.error < 2 * roundings) return refused;
    const double tolerance =
        (group_budget.error - roundings) / root_of_values(group_budget) / (group_budget.a_priori ? 1 : usual_error);
    return is_tolerance(tolerance) ? tolerance : refused;
  }

  Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding, std::byte* index,
                 std::byte* payload) const override {
    ZfpWorkspace& w = workspace();
    return sized_blocks::encode(blocks, index, payload, [&](const std::byte* block, std::byte* to) {
      return compress(w, block, to, parameter, blocks);
    });
  }

  bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double parameter,
              Rounding, const Blocks<std::byte>& blocks) const override {
    if (!is_tolerance(parameter)) return false;
    ZfpWorkspace& w = workspace();
    if (!w.stream) return false;
    zfp_stream_set_accuracy(w.stream.get(), parameter);
    return sized_blocks::decode(index, payload, first, blocks, [&](std::span<const std::byte> bytes, std::byte* block) {
      std::memcpy(w.bytes, bytes.data(), bytes.size());
      std::memset(w.bytes + bytes.size(), 0, room - bytes.size());
      return decompress(w, block, blocks.scalar);
    });
  }

 private:
  static bool is_tolerance(double x) { return x >= 0x1p-1000 && x <= 0x1p1000; }
};

}  // namespace

const Codec& zfp_codec() {
  static const Zfp codec;
  return codec;
}

}  // namespace shardfft
