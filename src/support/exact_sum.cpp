#include "shardfft/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "shardfft/collective.hpp"

namespace shardfft {
namespace {

constexpr int lowest = -1074;  // exponent of the smallest double

int width(unsigned __int128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(x));
}

}  // namespace

int ExactSum::split(double x, std::int64_t& mantissa) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  mantissa = static_cast<std::int64_t>(bits & 0xfffffffffffffULL);
  if (exponent == 0x7ff) unusual_ += x;
  if (exponent == 0x7ff || (bits << 1) == 0) return -1;
  if (exponent > 0) mantissa |= std::int64_t{1} << 52;
  if ((bits >> 63) != 0) mantissa = -mantissa;
  return std::max(exponent, 1) - 1;
}

void ExactSum::put(std::int64_t mantissa, int place) {
  const auto digit = static_cast<std::size_t>(place / 32);
  const auto wide = static_cast<__int128>(mantissa) << place % 32;  // below 2^85: three digits, the last one signed
  constexpr __int128 low = 0xffffffff;
  digits_[digit] += static_cast<std::int64_t>(wide & low);
  digits_[digit + 1] += static_cast<std::int64_t>(wide >> 32 & low);
  digits_[digit + 2] += static_cast<std::int64_t>(wide >> 64);
  if (++added_ == before_carries) carry();
}

void ExactSum::carry() {
  for (std::size_t d = 0; d + 1 < digits; ++d) {
    const std::int64_t up = digits_[d] >> 32;
    digits_[d] -= up << 32;
    digits_[d + 1] += up;
  }
  added_ = 1;
}

void ExactSum::add(const ExactSum& other) {
  carry();
  ExactSum normal = other;
  normal.carry();
  for (std::size_t d = 0; d < digits; ++d) digits_[d] += normal.digits_[d];
  unusual_ += other.unusual_;
  ++added_;
}

// After carries only the topmost digit has a sign. Rounding happens once: to the nearest, halves to even.
double ExactSum::value() const {
  if (unusual_ != 0) return unusual_;  // NaN, too
  ExactSum size = *this;
  size.carry();
  const bool negative = size.digits_[digits - 1] < 0;
  if (negative) {
    for (std::int64_t& d : size.digits_) d = -d;
    size.carry();
  }
  std::size_t top = digits;
  while (top > 0 && size.digits_[top - 1] == 0) --top;
  if (top == 0) return 0;
  // Its three topmost digits are `wide` times 2^last; `more` says whether others are not zero.
  unsigned __int128 wide = 0;
  for (std::size_t d = 1; d <= 3; ++d)
    wide = wide << 32 | static_cast<std::uint64_t>(d <= top ? size.digits_[top - d] : 0);
  const auto below = size.digits_.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(top, 3) - 3);
  const bool more = std::any_of(size.digits_.begin(), below, [](std::int64_t d) { return d != 0; });
  const int last = 32 * (static_cast<int>(top) - 3) + lowest;
  // The bits that a double keeps, fewer where it is subnormal, then a half and a sticky one.
  const int drop = std::max(width(wide) - 53, lowest - last) - 2;
  unsigned __int128 head = drop > 0 ? wide >> drop : wide << -drop;
  if (more || (drop > 0 && head << drop != wide)) head |= 1;
  auto number = static_cast<std::uint64_t>(head);
  const std::uint64_t rest = number & 3;
  number >>= 2;
  if (rest == 3 || (rest == 2 && (number & 1) != 0)) ++number;
  const double result = std::ldexp(static_cast<double>(number), last + drop + 2);
  return negative ? -result : result;
}

double ExactSum::value(const Comm& comm) const { return values_of(comm, std::span(this, 1)).front(); }

std::vector<double> values_of(const Comm& comm, std::span<const ExactSum> sums) {
  std::vector<ExactSum> all(sums.begin(), sums.end());
  auto first = static_cast<std::int64_t>(ExactSum::digits), last = std::int64_t{-1};
  bool usual = true;
  for (ExactSum& sum : all) {
    sum.carry();
    usual = usual && sum.unusual_ == 0;
    for (std::size_t d = 0; d < ExactSum::digits; ++d)
      if (sum.digits_[d] != 0) first = std::min<std::int64_t>(first, d), last = std::max<std::int64_t>(last, d);
  }
  first = -all_max(comm, -first);
  last = all_max(comm, last);
  usual = all_max(comm, std::int64_t{!usual}) == 0;
  // A digit of every sum, from every rank: carried ones have room for 2^30 ranks.
  std::vector<std::int64_t> mine(all.size()), theirs(all.size() * static_cast<std::size_t>(comm.size()));
  for (auto d = static_cast<std::size_t>(first); static_cast<std::int64_t>(d) <= last; ++d) {
    for (std::size_t s = 0; s < all.size(); ++s) mine[s] = std::exchange(all[s].digits_[d], 0);
    comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(theirs)));
    for (std::size_t i = 0; i < theirs.size(); ++i) all[i % all.size()].digits_[d] += theirs[i];
  }
  std::vector<double> values;
  for (ExactSum& sum : all) {
    if (!usual) sum.unusual_ = all_sum(comm, sum.unusual_);
    values.push_back(sum.value());
  }
  return values;
}

}  // namespace shardfft
