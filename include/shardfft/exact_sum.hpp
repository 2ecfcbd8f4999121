// Sums over all ranks that do not depend on who holds what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// The sum of any doubles, exact until value() rounds it: the same bits in whatever order they are added. Inf or NaN
/// make it Inf or NaN. One thread at a time adds.
class ExactSum {
 public:
  void add(double x) {
    std::int64_t mantissa = 0;
    if (const int place = split(x, mantissa); place >= 0) put(mantissa, place);
  }
  void add(const ExactSum& other);
  /// The sum of this rank's numbers, rounded to nearest, ties to even.
  [[nodiscard]] double value() const;
  /// Collective: of all ranks' numbers, the same bits whichever rank has which.
  [[nodiscard]] double value(const Comm& comm) const;

 private:
  // Digit d counts multiples of 2^(32 d - 1074); its int64 has room for 2^30 summands before carries are moved up.
  static constexpr std::size_t digits = 68;
  static constexpr std::uint32_t before_carries = 1U << 30;
  friend std::vector<double> values_of(const Comm& comm, std::span<const ExactSum> sums);

  /// x = mantissa * 2^(place - 1074); -1 where x adds nothing or is not finite.
  int split(double x, std::int64_t& mantissa);
  void put(std::int64_t mantissa, int place);
  void carry();

  std::array<std::int64_t, digits> digits_{};
  std::uint32_t added_ = 0;
  double unusual_ = 0;  ///< the sum of those that were not finite
};

/// Collective: value(comm) of each, as many on every rank. Sends only the digits that are in use.
[[nodiscard]] std::vector<double> values_of(const Comm& comm, std::span<const ExactSum> sums);

}  // namespace shardfft
