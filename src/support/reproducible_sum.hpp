// A sum that has the same bits whichever thread adds first.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

namespace shardfft {

/// The sum of numbers that are 0 or more, exact until value() rounds it: an integer in digits of 32 bits, from the
/// least double to the greatest. Any thread may add; up to 2^30 numbers. Inf or NaN make it Inf or NaN.
class ReproducibleSum {
 public:
  void clear() {
    for (auto& digit : digits_) digit.store(0, std::memory_order_relaxed);
    unusual_.store(0, std::memory_order_relaxed);
  }

  void add(double number) {
    if (number == 0) return;
    if (!(number > 0 && std::isfinite(number))) {
      unusual_.fetch_add(number, std::memory_order_relaxed);
      return;
    }
    int exponent = 0;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(number, &exponent), 53));
    const int place = exponent - 53 + lowest;  // of its last bit
    const auto digit = static_cast<std::size_t>(place / 32);
    add_at(digit, (mantissa & low_bits) << (place % 32));
    add_at(digit + 1, (mantissa >> 32) << (place % 32));
  }

  [[nodiscard]] double value() const {
    double sum = unusual_.load(std::memory_order_relaxed);
    for (int digit = digits - 1; digit >= 0; --digit) {
      const std::uint64_t d = digits_[static_cast<std::size_t>(digit)].load(std::memory_order_relaxed);
      if (d != 0) sum += std::ldexp(static_cast<double>(d), 32 * digit - lowest);
    }
    return sum;
  }

 private:
  static constexpr int lowest = 1126;  // the least subnormal double, as frexp has it, is 2^52 units of 2^-1126
  static constexpr int digits = 69;
  static constexpr std::uint64_t low_bits = 0xffffffff;

  void add_at(std::size_t digit, std::uint64_t bits) {
    digits_[digit].fetch_add(bits & low_bits, std::memory_order_relaxed);
    digits_[digit + 1].fetch_add(bits >> 32, std::memory_order_relaxed);
  }

  std::array<std::atomic<std::uint64_t>, digits> digits_{};
  std::atomic<double> unusual_{0};
};

}  // namespace shardfft
