// Division by a number that is known before: a multiplication and a shift, for GPUs have no instruction that divides.
#pragma once

#include <bit>
#include <cstdint>

#include "support/hd.hpp"

namespace shardfft {

/// n / d for 0 <= n < 2^31, 1 <= d < 2^31.
/// With p = 31 + ceil(log2 d) and m = ceil(2^p / d), m < 2^32 and m d - 2^p < d <= 2^(p-31), so n m / 2^p is above n /
/// d by less than 1 / d.
///   source Granlund, Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994, Theorem 4.2
struct Divisor {
  std::uint32_t multiplier = std::uint32_t{1} << 31, shift = 31;

  Divisor() = default;
  explicit Divisor(std::uint32_t d) : shift(31 + static_cast<std::uint32_t>(std::bit_width(d - 1))) {
    multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + d - 1) / d);
  }
  [[nodiscard]] SHARDFFT_HD std::uint32_t operator()(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier) >> shift);
  }
};

}  // namespace shardfft
