// Integer multiples of one absolute step, as many bits for a block of 64 as its largest needs.
#include <algorithm>
#include <cmath>

#include "codec/registry.hpp"
#include "codec/rounding.hpp"
#include "codec/simd/block_float_simd.hpp"
#include "codec/white_noise.hpp"
#include "codec/widths.hpp"

namespace shardfft {
namespace {

/// The parameter is the step h; a number is kept as rint(v / h) h, or with dither u as (rint(v / h + u) - u) h. Blocks
/// with Inf, NaN or integers that are too large (2^50, f32: 2^22) are kept as they are, blocks of zeros cost one byte
/// of the index.
///   error   |decoded - given| <= h/2 + 6 u |given|, u = 2^-53 or 2^-24 (two roundings each way, one more with dither),
///   so ||decoded - given|| <= h sqrt(values) / 2 + 6 u ||given||: a priori
///           h = 2 (error - 6 u norm) / sqrt(values). Usual numbers, and all numbers with dither: mean square h^2/12
///   source  nearest: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 2.2; mean square:
///   Widrow, Kollar, Quantization Noise, 2008, chapters 5 and 19 (dither)
class BlockFloat final : public Codec {
 public:
  std::string_view name() const override { return "block_float"; }
  std::uint8_t number() const override { return static_cast<std::uint8_t>(CodecNumber::block_float); }
  std::string_view about() const override {
    return "multiples of one step, in each block of 64 as many bits as it needs";
  }
  std::string refuses(Scalar) const override { return ""; }
  int index_bytes() const override { return 1; }
  std::size_t most_bytes(Scalar scalar, int blocks) const override {
    return width_code::bytes(width_code::raw(scalar)) * static_cast<std::size_t>(blocks);
  }
  std::size_t payload_bytes(Scalar scalar, const std::byte* index, int blocks) const override {
    return std::min(most_bytes(scalar, blocks), width_code::payload(index, blocks, 1));
  }
  bool is_absolute() const override { return true; }
  bool dithers() const override { return true; }

  double usual_bits(Scalar scalar, double error_share, bool a_priori) const override {
    const double raw = width_code::raw(scalar), step = step_for(scalar, error_share, a_priori);
    const double width = std::isnan(step) ? raw : mean_width(step, block_values(), static_cast<int>(raw));
    return std::min(raw, width) + 8.0 / block_values();
  }

  double parameter(Scalar scalar, const GroupBudget& group_budget) const override {
    if (!is_sound(group_budget)) return refused;
    if (group_budget.norm == 0) return 1;  // blocks of zeros
    // The sum of n squares varies by 0.9 / sqrt(n) of itself (standard deviation): 3.3 of those are left, or usual
    // groups would often be encoded twice.
    const double root = root_of_values(group_budget), spread = group_budget.a_priori ? 1 : 1 + 1.5 / root;
    return usable(step_for(scalar, group_budget.error / group_budget.norm, group_budget.a_priori) *
                      (group_budget.norm / (root * spread)),
                  scalar);
  }

  Encoded encode(const Blocks<const std::byte>& blocks, double parameter, Rounding rounding, std::byte* index,
                 std::byte* payload) const override {
    Encoded encoded = block_float_encode({.step = parameter, .rounding = rounding}, blocks, index, payload);
    const double step = parameter / safe_unit(blocks.unit);
    encoded.lost2 = encoded.lost2 == 0 ? 0 : encoded.lost2 * step * step;
    return encoded;
  }

  bool decode(std::span<const std::byte> index, std::span<const std::byte> payload, int first, double parameter,
              Rounding rounding, const Blocks<std::byte>& blocks) const override {
    const auto needed = static_cast<std::size_t>(first) + static_cast<std::size_t>(blocks.count);
    if (index.size() < needed || !(usable(parameter, blocks.scalar) == parameter)) return false;
    return block_float_decode({.step = parameter, .rounding = rounding}, index, payload, first, blocks);
  }

 private:
  /// The step for an error relative to the norm, in norm / sqrt(values).
  static double step_for(Scalar scalar, double share, bool a_priori) {
    const double roundings = 6 * unit_roundoff(scalar);
    if (!std::isfinite(share) || share < 2 * roundings) return refused;
    return a_priori ? 2 * (share - roundings) : std::sqrt(12.0) * (share - roundings / 3);
  }
  /// The step rounded down to a number of the scalar type; refused where it or its inverse is not normal.
  static double usable(double step, Scalar scalar) {
    const double least = scalar == Scalar::f32 ? coding::least_step_f32 : coding::least_step_f64;
    if (!(step >= least && step <= 1 / least)) return refused;
    if (scalar == Scalar::f64) return step;
    const float nearest = static_cast<float>(step);
    return nearest <= step ? nearest : std::nextafter(nearest, 0.0F);
  }
};

}  // namespace

const Codec& block_float_codec() {
  static const BlockFloat codec;
  return codec;
}

}  // namespace shardfft
