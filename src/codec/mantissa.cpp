// Fewer bits of fraction for every number, rounded to nearest even.
#include <algorithm>
#include <cmath>

#include "codec/registry.hpp"
#include "codec/rounding.hpp"
#include "codec/simd/mantissa_simd.hpp"
#include "codec/white_noise.hpp"
#include "codec/widths.hpp"

namespace shardfft {
namespace {

int fraction_bits(Scalar scalar) { return scalar == Scalar::f32 ? 23 : 52; }

/// Mean number of bits for the exponents of 64 normal numbers, counted from the smallest one: that of the largest
/// difference. Largest and smallest are taken as independent.
double exponent_bits() {
  const auto largest_is = [](int e) {
    return all_below(std::ldexp(1.0, e + 1), 64) - all_below(std::ldexp(1.0, e), 64);
  };
  const auto smallest_from = [](int e) { return std::pow(1 - std::erf(std::ldexp(1.0, e) / std::sqrt(2.0)), 64); };
  double mean = 0;
  for (int high = -2; high <= 3; ++high)
    for (int low = -30; low <= high; ++low)
      mean +=
          largest_is(high) * (smallest_from(low) - smallest_from(low + 1)) * (std::ilogb(std::max(high - low, 1)) + 1);
  return mean;
}

/// The parameter is the number of fraction bits b, 0 to 52 (f32: 23). A block of 64 takes for each number a sign, b
/// bits and as many as the block's range of exponents needs (white noise: 3 to 4, where 11 would hold all exponents
/// that there are; three bytes of the index say how many and which is the smallest). Blocks with Inf or NaN, or whose
/// numbers round up to Inf, are kept as they are; -0 becomes 0.
///   error   |decoded - given| <= 2^-(b+1) |given|, for subnormal numbers 2^-(b+1) times the smallest normal one
///   (2^-1022, 2^-126): ||decoded - given|| <= 2^-(b+1) (||given|| + sqrt(values) 2^-1022); nothing is
///           lost with all bits. Usual numbers lose 0.43 of that (a mantissa that is uniform in its logarithm: 0.4247)
///   source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Theorem 2.2
class Mantissa final : public Codec {
 public:
  std::string_view name() const override { return "mantissa"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::mantissa); }
  std::string_view about() const override {
    return "fractions of fewer bits, in each block of 64 exponents of as few bits as it needs";
  }
  std::string refuses(Scalar) const override { return ""; }
  int index_bytes() const override { return mantissa_index_bytes; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override {
    return width_code::bytes(width_code::raw(scalar)) * static_cast<std::size_t>(blocks);
  }
  std::size_t payload_bytes(Scalar scalar, const std::byte* index, int blocks) const override {
    return std::min(most_bytes(scalar, blocks), width_code::payload(index, blocks, mantissa_index_bytes));
  }

  double usual_bits(Scalar scalar, double error_share, bool a_priori) const override {
    static const double exponent = exponent_bits();
    const double raw = width_code::raw(scalar), bits = bits_for(scalar, error_share, 0, a_priori);
    return std::min(raw, 1 + exponent + bits) + 8.0 * mantissa_index_bytes / block_values();
  }

  double parameter(Scalar scalar, const GroupBudget& group_budget) const override {
    if (!is_sound(group_budget)) return refused;
    if (group_budget.norm == 0) return 0;
    const double smallest_normal = scalar == Scalar::f32 ? 0x1p-126 : 0x1p-1022;
    return bits_for(scalar, group_budget.error / group_budget.norm,
                    root_of_values(group_budget) * (smallest_normal / group_budget.norm), group_budget.a_priori);
  }

  Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding, std::byte* index,
                 std::byte* payload) const override {
    return mantissa_encode(std::clamp(static_cast<int>(parameter), 0, fraction_bits(blocks.scalar)), blocks, index,
                           payload);
  }

  bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double parameter,
              Rounding, const Blocks<std::byte>& blocks) const override {
    const std::size_t needed =
        (static_cast<std::size_t>(first) + static_cast<std::size_t>(blocks.count)) * mantissa_index_bytes;
    if (index.size() < needed || !(parameter >= 0 && parameter <= 52 && parameter == std::rint(parameter)))
      return false;
    return mantissa_decode(std::min(static_cast<int>(parameter), fraction_bits(blocks.scalar)), index, payload, first,
                           blocks);
  }

 private:
  /// Fewest bits that keep to an error relative to the norm; all of them where none else do.
  static int bits_for(Scalar scalar, double share, double subnormal, bool a_priori) {
    const double factor = (a_priori ? 1 : 0.43) + subnormal;
    int bits = 0;
    while (bits < fraction_bits(scalar) && factor * std::ldexp(1.0, -bits - 1) > share) ++bits;
    return bits;
  }
};

}  // namespace

const Codec& mantissa_codec() {
  static const Mantissa codec;
  return codec;
}

}  // namespace shardfft
