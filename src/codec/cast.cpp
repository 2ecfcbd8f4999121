// Shorter floating-point formats, after a scaling with a power of two that keeps every number in their range.
#include <cmath>

#include "codec/registry.hpp"
#include "codec/rounding.hpp"
#include "codec/simd/cast_simd.hpp"
#include "support/block_format.hpp"

namespace shardfft {
namespace {

struct Format {
  CastFormat kind;
  CodecNumber number;
  std::string_view name, about;
  int bits;         ///< of a number
  double roundoff;  ///< largest relative error of a number that is not subnormal
  double smallest;  ///< largest absolute error of one that is
  int top;          ///< scaled norms are below 2^top
  bool f32_too;     ///< takes f32
};

/// The parameter is a power of two s with s norm < 2^top, below the format's largest number: since no number is larger
/// than the norm, none overflows, whatever the numbers (docs/theory/codecs.md).
///   error   ||decoded - given|| <= u ||given|| + sqrt(values) t / s, with u = 2^-24, 2^-11 and t = 2^-150, 2^-25
///           for f32, f16; f64 is rounded to f32 first, which adds 2^-24 ||given|| to the latter. Usual numbers lose
///           0.43 u (a mantissa that is uniform in its logarithm: 0.4247 u)
///   source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Theorem 2.2 and section 2.1 (subnormal
///   numbers)
class CastCodec final : public Codec {
 public:
  explicit CastCodec(const Format& format) : format_(format) {}

  std::string_view name() const override { return format_.name; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(format_.number); }
  std::string_view about() const override { return format_.about; }
  std::string refuses(Scalar scalar) const override {
    if (scalar == Scalar::f64 || (scalar == Scalar::f32 && format_.f32_too)) return "";
    return std::string(format_.name) + " makes nothing shorter here: use it for f64";
  }
  int index_bytes() const override { return 0; }
  std::size_t most_bytes(Scalar, int blocks) const override { return static_cast<std::size_t>(blocks) * block_bytes(); }
  double usual_bits(Scalar, double, bool) const override { return format_.bits; }

  double parameter(Scalar scalar, const GroupBudget& group_budget) const override {
    if (!is_sound(group_budget) || !is_in_range(scalar, group_budget.norm)) return refused;
    const double scale = scale_for(scalar, group_budget.norm);
    if (!(scale * group_budget.norm <= std::ldexp(1.0, format_.top))) return refused;
    const double relative = (group_budget.a_priori ? 1.0 : 0.43) * format_.roundoff +
                            (format_.kind == CastFormat::f32 ? 0 : unit_roundoff(Scalar::f32));
    const double bound = relative * group_budget.norm + root_of_values(group_budget) * (format_.smallest / scale);
    return bound <= group_budget.error ? scale : refused;  // an error that is infinite: always
  }

  Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding, std::byte*,
                 std::byte* payload) const override {
    const double lost2 = cast_encode(format_.kind, blocks, parameter, payload);
    const double scale = 1 / parameter / safe_unit(blocks.unit);  // of what was lost after scaling
    return {.bytes = most_bytes(blocks.scalar, blocks.count), .lost2 = lost2 == 0 ? 0 : lost2 * scale * scale};
  }

  bool decode(std::span<const std::byte>, std::span<const std::byte> payload, int first, double parameter, Rounding,
              const Blocks<std::byte>& blocks) const override {
    const std::size_t begin = static_cast<std::size_t>(first) * block_bytes(),
                      bytes = static_cast<std::size_t>(blocks.count) * block_bytes();
    if (begin + bytes > payload.size() || !is_scale(blocks.scalar, parameter)) return false;
    cast_decode(format_.kind, payload.data() + begin, parameter, blocks);
    return true;
  }

 private:
  [[nodiscard]] std::size_t block_bytes() const { return static_cast<std::size_t>(format_.bits / 8 * block_values()); }

  /// Above, a number might be rounded up to infinity; below, numbers might be subnormal after scaling back, and lose
  /// more.
  static bool is_in_range(Scalar scalar, double norm) {
    if (norm == 0) return true;
    return scalar == Scalar::f32 ? norm < 0x1p127 : norm >= 0x1p-850 && norm < 0x1p1023;
  }

  /// Exponents of a scale that are normal numbers, and whose inverses are.
  static int most_exponent(Scalar scalar) {
    return scalar == Scalar::f32 ? coding::most_scale_exponent_f32 : coding::most_scale_exponent_f64;
  }

  [[nodiscard]] double scale_for(Scalar scalar, double norm) const {
    const int most = most_exponent(scalar);
    if (norm == 0) return 1;
    return std::ldexp(1.0, std::clamp(format_.top - 1 - std::ilogb(norm), -most, most));
  }
  static bool is_scale(Scalar scalar, double parameter) {
    int exponent = 0;
    return parameter > 0 && std::isfinite(parameter) && std::frexp(parameter, &exponent) == 0.5 &&
           std::abs(exponent - 1) <= most_exponent(scalar);
  }

  Format format_;
};

}  // namespace

const Codec& f32_codec() {
  static const CastCodec codec({.kind = CastFormat::f32,
                                .number = CodecNumber::f32,
                                .name = "f32",
                                .about = "float32 after scaling by a power of two",
                                .bits = 32,
                                .roundoff = 0x1p-24,
                                .smallest = 0x1p-150,
                                .top = 100,
                                .f32_too = false});
  return codec;
}

const Codec& f16_codec() {
  static const CastCodec codec({.kind = CastFormat::f16,
                                .number = CodecNumber::f16,
                                .name = "f16",
                                .about = "float16 after scaling by a power of two",
                                .bits = 16,
                                .roundoff = 0x1p-11,
                                .smallest = 0x1p-25,
                                .top = 15,
                                .f32_too = true});
  return codec;
}

}  // namespace shardfft
