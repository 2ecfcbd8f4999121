// Sums over all ranks that do not depend on who holds what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shardfft/comm.hpp"

namespace shardfft::solvers {

/// The sum of any doubles, rounded once: the same bits in whatever order and on however many ranks they are added.
class ExactSum {
 public:
  void add(double x) {
    std::int64_t mantissa = 0;
    if (const int place = split(x, mantissa); place >= 0) put(mantissa, place);
  }
  void add(const ExactSum& other);
  /// Of this rank's numbers. NaN where one was not finite.
  [[nodiscard]] double value() const;
  /// Collective: of all ranks' numbers.
  [[nodiscard]] double value(const Comm& comm) const;

 private:
  // Digit d counts multiples of 2^(32 d - 1074); its int64 has room for 2^30 summands before carries are moved up.
  static constexpr std::size_t digits = 68;
  static constexpr std::uint32_t before_carries = 1U << 30;

  /// x = mantissa * 2^(place - 1074); -1 where x adds nothing or is not finite.
  int split(double x, std::int64_t& mantissa);
  void put(std::int64_t mantissa, int place);
  void carry();

  std::array<std::int64_t, digits> digits_{};
  std::uint32_t added_ = 0;
  bool finite_ = true;
};

/// Collective: the largest of all ranks' numbers; NaN where one is NaN.
[[nodiscard]] double largest(const Comm& comm, double mine);

}  // namespace shardfft::solvers
