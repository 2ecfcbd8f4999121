#include "verify/turning_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "support/processor/simd_targets.hpp"
#include "verify/exact_dft.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/turning_sum.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "verify/lanes-inl.hpp"

#ifndef SHARDFFT_TURNING_SUM_ONCE
#define SHARDFFT_TURNING_SUM_ONCE
namespace shardfft {
// With 16 K cells the distance from a cell's centre turns the last of the K coefficients by at most pi/16, and all of
// them by 0.113 in the mean of squares: term o of the polynomial is about 0.113^o / o! of the sum. That is below 2^-101
// from o = 17 on, and below 2^-40 from o = 9 on, so that those need not be wider than a double.
constexpr Index cells_per_coefficient = 16;
constexpr int taylor_terms = 17, wide_terms = 9;

/// A point of the circle: its cell's polynomial, and its distance from the cell's centre in units.
struct Spot {
  const double* terms = nullptr;
  double distance = 0;
};
}  // namespace shardfft
#endif

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

/// acc * t + c for a double t: to about 2^-104 of the larger summand. `lo` is not normalised.
HWY_INLINE DD step(DD acc, V t, V c_hi, V c_lo) {
  const DD p = two_prod(acc.hi, t), s = two_sum(c_hi, p.hi);
  return {s.hi, s.lo + (c_lo + hn::MulAdd(acc.lo, t, p.lo))};
}

/// One real part: its coefficients are `next` doubles apart, their lower halves `low` behind.
HWY_INLINE DD horner(const double* c, Index next, Index low, int orders, V t) {
  const Lanes d;
  int o = orders - 1;
  V plain = hn::LoadU(d, c + next * o);
  DD acc{plain, hn::Zero(d)};
  if (orders > wide_terms) {
    for (--o; o >= wide_terms; --o) plain = hn::MulAdd(plain, t, hn::LoadU(d, c + next * o));
    acc.hi = plain;
  } else {
    acc.lo = hn::LoadU(d, c + next * o + low);
    --o;
  }
  for (; o >= 0; --o) acc = step(acc, t, hn::LoadU(d, c + next * o), hn::LoadU(d, c + next * o + low));
  return quick_two_sum(acc.hi, acc.lo);
}

/// The polynomials' values for all lanes, to `out`, or times what is there.
void polynomials(const Spot* spots, Index count, int orders, int lanes, bool times, double* out) {
  const Lanes d;
  for (Index i = 0; i < count; ++i, out += 4 * lanes)
    for (int g = 0; g < lanes; g += static_cast<int>(hn::Lanes(d))) {
      const double* c = spots[i].terms + g;
      const V t = hn::Set(d, spots[i].distance);
      const CDD value{horner(c, 4 * lanes, lanes, orders, t), horner(c + 2 * lanes, 4 * lanes, lanes, orders, t)};
      store(times ? mul(load(out, lanes, g), value) : value, out, lanes, g);
    }
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

HWY_EXPORT(polynomials);

const DoubleDouble two_pi{6.283185307179586477, 2.4492935982947064e-16};

/// What one sum needs of the circle.
struct Circle {
  Index points = 1, step = 0, cells = 1, orders = 1;
};

/// What a table of all points takes at most while it is made, in entries of a table that needs no convolution.
Index table_size(Index points) { return ExactDft::is_shared_segment(points) ? points : 4 * points; }

Circle circle(Index count, Index n, Index step) {
  if (count == 1) return {};
  const Index common = std::gcd(n, step), points = n / common;
  const auto cells = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(cells_per_coefficient * count)));
  if (table_size(points) <= cells * taylor_terms) return {points, step / common, points, 1};
  return {points, step / common, cells, taylor_terms};
}

/// Times i * angle.
ComplexDD turned(const ComplexDD& z, DoubleDouble angle) { return {-(z.im * angle), z.re * angle}; }

}  // namespace

Index TurningSum::entries(Index count, Index n, Index step) {
  const Circle c = circle(count, n, step);
  return c.orders == 1 ? table_size(c.cells) : c.cells * c.orders;
}

TurningSum::TurningSum(const Quads& coefficients, Index n, Index step, int sign) {
  const Circle c = circle(coefficients.count(), n, step);
  points_ = c.points, step_ = c.step, cells_ = c.cells, orders_ = c.orders;
  const __int128 on = static_cast<__int128>(c.step) * cells_;
  cells_on_ = static_cast<Index>(on / points_), distance_on_ = static_cast<Index>(on % points_);
  unit_ = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(points_)));
  terms_ = Quads(cells_ * orders_, coefficients.lanes);
  const ExactDft dft(cells_, sign);
  Quads term(cells_, coefficients.lanes);
  std::copy(coefficients.values.begin(), coefficients.values.end(), term.values.begin());
  // A distance of one unit is unit / (points * cells) of the circle.
  const DoubleDouble angle = two_pi * DoubleDouble{sign * unit_} / (from_integer(points_) * from_integer(cells_));
  for (Index o = 0; o < orders_; ++o) {
    if (o > 0)
      for (Index k = 0; k < coefficients.count(); ++k) {
        const DoubleDouble by = angle * from_integer(k) / from_integer(o);
        for (int l = 0; l < term.lanes; ++l) term.set(k, l, turned(term.get(k, l), by));
      }
    const Quads around = dft(term);
    for (Index cell = 0; cell < cells_; ++cell)
      std::copy_n(around.at(cell), 4 * term.lanes, terms_.at(cell * orders_ + o));
  }
}

/// Point p of the circle is nearest to cell c = round(p * cells / points); p * cells - c * points is its distance, in
/// units of 1 / (points * cells) of the circle.
void TurningSum::evaluate(Index first, Index count, bool times, double* out) const {
  const __int128 place = static_cast<__int128>(first) * step_ % points_ * cells_;
  auto cell = static_cast<Index>(place / points_), distance = static_cast<Index>(place % points_);
  std::array<Spot, 256> spots;
  for (Index some = 0; count > 0; count -= some, out += 4 * lanes() * some) {
    some = std::min<Index>(count, spots.size());
    for (Spot& spot : std::span(spots).first(static_cast<std::size_t>(some))) {
      const Index past = 2 * distance > points_ ? 1 : 0;
      spot = {terms_.at((cell + past) % cells_ * orders_), static_cast<double>(distance - past * points_) / unit_};
      cell += cells_on_, distance += distance_on_;
      if (distance >= points_) distance -= points_, ++cell;
      if (cell >= cells_) cell -= cells_;
    }
    HWY_DYNAMIC_DISPATCH(polynomials)(spots.data(), some, static_cast<int>(orders_), lanes(), times, out);
  }
}

}  // namespace shardfft
#endif
