#include "support/processor/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/twiddles.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "support/processor/simd_complex-inl.h"
#include "sweep/twiddles.hpp"

#ifndef SHARDFFT_SWEEP_TWIDDLES_ONCE
#define SHARDFFT_SWEEP_TWIDDLES_ONCE
#include <algorithm>

namespace shardfft {
namespace {

/// Which pencils of a tile are multiplied, and by which powers: as in Twiddles::multiply.
struct Pencils {
  Index first, count, other, step;
};

/// Pencils in memory: as in Twiddles::multiply.
struct PencilsInMemory {
  Index length, step_k, step_v, count, other;
};

struct ComplexFactor {
  double re, im;
};

// Without fused operations, as the vector code below does it.
inline ComplexFactor product(const ComplexFactor& a, const ComplexFactor& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

inline ComplexFactor power(const Twiddles::Tables& t, Index m) {
  const Index high = m >> t.shift, low = m & ((Index{1} << t.shift) - 1);
  return product({t.high_re[high], t.high_im[high]}, {t.low_re[low], t.low_im[low]});
}

// Power k * y.
inline ComplexFactor factor(const Twiddles::Tables& t, Index k, Index y) {
  const Index r = y % Twiddles::fine, at = Twiddles::fine * k + r;
  return product(power(t, k * (y - r)), {t.fine_re[at], t.fine_im[at]});
}

}  // namespace
}  // namespace shardfft
#endif

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <class T>
HWY_INLINE void store_factors(Vector<double> fr, Vector<double> fi, T* re, T* im) {
  const Tag<double> d;
  if constexpr (sizeof(T) == sizeof(double)) {
    hn::StoreU(fr, d, re);
    hn::StoreU(fi, d, im);
  } else {
    const hn::Rebind<float, Tag<double>> narrow;
    hn::StoreU(hn::DemoteTo(narrow, fr), narrow, re);
    hn::StoreU(hn::DemoteTo(narrow, fi), narrow, im);
  }
}

// Products of a coarse factor and `count` fine ones that follow each other.
template <class T>
HWY_INLINE void times_fine(const Twiddles::Tables& t, const ComplexFactor& coarse, Index at, Index count, T* re,
                           T* im) {
  const Tag<double> d;
  const auto coarse_re = hn::Set(d, coarse.re), coarse_im = hn::Set(d, coarse.im);
  for (Index i = 0; i < count; i += lanes<double>) {
    const auto fine_re = hn::LoadU(d, t.fine_re + at + i), fine_im = hn::LoadU(d, t.fine_im + at + i);
    const auto fr = hn::Sub(hn::Mul(coarse_re, fine_re), hn::Mul(coarse_im, fine_im)),
               fi = hn::Add(hn::Mul(coarse_re, fine_im), hn::Mul(coarse_im, fine_re));
    store_factors<T>(fr, fi, re + i, im + i);
  }
}

// The factors of row k of the tile, whose lanes have neighbouring indexes along the other half from y on, all of them
// in one group of near ones.
template <class T>
HWY_INLINE void factors(const Twiddles::Tables& t, Index k, Index y, T* re, T* im) {
  const Index r = y % Twiddles::fine;
  times_fine<T>(t, power(t, k * (y - r)), Twiddles::fine * k + r, lanes<T>, re, im);
}

/// Lanes whose indexes along the other half lie anywhere in ascending order: in which group of near ones, and where in
/// it.
template <class T>
struct Spread {
  static constexpr Index L = lanes<T>;
  int groups = 0;
  Index start[L] = {}, from[L] = {};           // of each group: its first index, and the lane with which it begins
  std::int64_t fine[L] = {}, in_half[L] = {};  // of each lane; counted from the start of a half of them
  double upper[L] = {};                        // 1 in the second half

  HWY_INLINE explicit Spread(const Pencils& p) {
    for (Index v = 0; v < L; ++v) {
      const Index pencil = std::clamp<Index>(v - p.first, 0, p.count - 1),
                  y = p.other + pencil * p.step;  // lanes without a pencil as the one beside them
      fine[v] = y % Twiddles::fine;
      in_half[v] = fine[v] % (Twiddles::fine / 2);
      upper[v] = fine[v] < Twiddles::fine / 2 ? 0 : 1;
      if (groups > 0 && start[groups - 1] == y - fine[v]) continue;
      start[groups] = y - fine[v];
      from[groups++] = v;
    }
  }
};

// Factors of spread lanes: one coarse factor for each group, and fine ones from one short row of the table.
template <class T>
HWY_INLINE void spread_factors(const Twiddles::Tables& t, Index k, const Spread<T>& s, T* re, T* im) {
  const Tag<double> d;
  constexpr Index D = lanes<double>;
  for (Index i = 0; i < lanes<T>; i += D) {
    auto coarse_re = hn::Zero(d), coarse_im = coarse_re;
    for (int g = 0; g < s.groups && s.from[g] < i + D; ++g) {
      if (g + 1 < s.groups && s.from[g + 1] <= i) continue;
      const ComplexFactor f = power(t, k * s.start[g]);
      const auto before = hn::FirstN(d, static_cast<std::size_t>(std::max<Index>(s.from[g] - i, 0)));
      coarse_re = hn::IfThenElse(before, coarse_re, hn::Set(d, f.re));
      coarse_im = hn::IfThenElse(before, coarse_im, hn::Set(d, f.im));
    }
    const double *row_re = t.fine_re + Twiddles::fine * k, *row_im = t.fine_im + Twiddles::fine * k;
    auto fine_re = hn::Zero(d), fine_im = fine_re;
    if constexpr (2 * D == Twiddles::fine) {
      const auto at = hn::SetTableIndices(d, s.in_half + i);
      const auto upper = hn::Gt(hn::LoadU(d, s.upper + i), hn::Zero(d));
      const auto from = [&](const double* row) HWY_ATTR {
        return hn::IfThenElse(upper, hn::TableLookupLanes(hn::LoadU(d, row + D), at),
                              hn::TableLookupLanes(hn::LoadU(d, row), at));
      };
      fine_re = from(row_re);
      fine_im = from(row_im);
    } else {
      const auto at = hn::LoadU(hn::RebindToSigned<Tag<double>>(), s.fine + i);
      fine_re = hn::GatherIndex(d, row_re, at);
      fine_im = hn::GatherIndex(d, row_im, at);
    }
    store_factors<T>(hn::Sub(hn::Mul(coarse_re, fine_re), hn::Mul(coarse_im, fine_im)),
                     hn::Add(hn::Mul(coarse_re, fine_im), hn::Mul(coarse_im, fine_re)), re + i, im + i);
  }
}

template <class T>
bool multiply_lanes(const Twiddles::Tables& t, const TileFormat& format, T* tile, const Pencils& p) {
  constexpr Index L = lanes<T>;
  if (format.order != TileFormat::Order::lanes || format.pencils != L) return false;
  const Tag<T> d;
  const auto mine = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(p.first)),
                               hn::FirstN(d, static_cast<std::size_t>(p.first + p.count)));
  const Index y = p.other - p.first;  // of lane 0
  const bool together = p.step == 1 && y >= 0 && y % Twiddles::fine + L <= Twiddles::fine;
  const Spread<T> spread(p);
  T re[L] = {}, im[L] = {};
  for (Index k = 0; k < format.length; ++k) {
    T* const row = tile + format.place(k) * 2 * L;
    auto fr = hn::Undefined(d), fi = fr;
    if (p.step == 0) {
      const ComplexFactor f = factor(t, k, p.other);
      fr = hn::Set(d, static_cast<T>(f.re));
      fi = hn::Set(d, static_cast<T>(f.im));
    } else {
      together ? factors(t, k, y, re, im) : spread_factors(t, k, spread, re, im);
      fr = hn::LoadU(d, re);
      fi = hn::LoadU(d, im);
    }
    const auto x_re = hn::Load(d, row), x_im = hn::Load(d, row + L);
    hn::BlendedStore(hn::Sub(hn::Mul(x_re, fr), hn::Mul(x_im, fi)), mine, d, row);
    hn::BlendedStore(hn::Add(hn::Mul(x_re, fi), hn::Mul(x_im, fr)), mine, d, row + L);
  }
  return true;
}

// Multiplies as many complex numbers as a register has lanes.
template <class T>
HWY_INLINE void multiply_some(T* x, const T* re, const T* im) {
  const Tag<T> d;
  auto x_re = hn::Zero(d), x_im = x_re, a = x_re, b = x_re;
  deinterleave<T>(hn::LoadU(d, x), hn::LoadU(d, x + lanes<T>), x_re, x_im);
  const auto fr = hn::LoadU(d, re), fi = hn::LoadU(d, im);
  interleave<T>(hn::Sub(hn::Mul(x_re, fr), hn::Mul(x_im, fi)), hn::Add(hn::Mul(x_re, fi), hn::Mul(x_im, fr)), a, b);
  hn::StoreU(a, d, x);
  hn::StoreU(b, d, x + lanes<T>);
}

// Multiplies complex numbers that follow each other in memory. Behind the factors there is room for a register.
template <class T>
HWY_INLINE void multiply_row(T* x, const T* re, const T* im, Index count) {
  constexpr Index L = lanes<T>;
  Index i = 0;
  for (; i + L <= count; i += L) multiply_some(x + 2 * i, re + i, im + i);
  if (i == count) return;
  T rest[2 * L] = {};  // a loop of scalars might become one of fused operations
  std::copy_n(x + 2 * i, 2 * (count - i), rest);
  multiply_some(rest, re + i, im + i);
  std::copy_n(rest, 2 * (count - i), x + 2 * i);
}

// Pencils beside each other: a group of near ones shares coarse factors. Measured: where elements of a pencil lie
// beside each other, factors must be turned around, which takes longer than the loops below.
template <class T>
bool multiply_neighbours(const Twiddles::Tables& t, T* first, const PencilsInMemory& p) {
  constexpr Index fine = Twiddles::fine;
  if (lanes<T> > fine || p.step_v != 1) return false;
  T re[2 * fine] = {}, im[2 * fine] = {};
  for (Index k = 0; k < p.length; ++k)
    for (Index v = 0, near = 0; v < p.count; v += near) {
      const Index r = (p.other + v) % fine;
      near = std::min(fine - r, p.count - v);
      times_fine<T>(t, power(t, k * (p.other + v - r)), fine * k, fine, re, im);
      multiply_row(first + 2 * (k * p.step_k + v), re + r, im + r, near);
    }
  return true;
}

#else

template <class T>
bool multiply_lanes(const Twiddles::Tables&, const TileFormat&, T*, const Pencils&) {
  return false;
}
template <class T>
bool multiply_neighbours(const Twiddles::Tables&, T*, const PencilsInMemory&) {
  return false;
}

#endif

bool multiply_f32(const Twiddles::Tables& t, const TileFormat& format, float* tile, const Pencils& p) {
  return multiply_lanes(t, format, tile, p);
}
bool multiply_f64(const Twiddles::Tables& t, const TileFormat& format, double* tile, const Pencils& p) {
  return multiply_lanes(t, format, tile, p);
}
bool multiply_neighbours_f32(const Twiddles::Tables& t, float* first, const PencilsInMemory& p) {
  return multiply_neighbours(t, first, p);
}
bool multiply_neighbours_f64(const Twiddles::Tables& t, double* first, const PencilsInMemory& p) {
  return multiply_neighbours(t, first, p);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/native/roots.hpp"
#include "sweep/host/tile_loops.hpp"

namespace shardfft {
namespace {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(multiply_neighbours_f32);
HWY_EXPORT(multiply_neighbours_f64);

bool multiply_vectors(const Twiddles::Tables& t, const TileFormat& format, float* tile, const Pencils& p) {
  return HWY_DYNAMIC_DISPATCH(multiply_f32)(t, format, tile, p);
}
bool multiply_vectors(const Twiddles::Tables& t, const TileFormat& format, double* tile, const Pencils& p) {
  return HWY_DYNAMIC_DISPATCH(multiply_f64)(t, format, tile, p);
}

bool multiply_vectors(const Twiddles::Tables& t, float* first, const PencilsInMemory& p) {
  return HWY_DYNAMIC_DISPATCH(multiply_neighbours_f32)(t, first, p);
}
bool multiply_vectors(const Twiddles::Tables& t, double* first, const PencilsInMemory& p) {
  return HWY_DYNAMIC_DISPATCH(multiply_neighbours_f64)(t, first, p);
}

// Any format.
template <class T>
void multiply_loops(const Twiddles::Tables& t, const TileFormat& format, T* tile, const Pencils& p) {
  const TileSteps steps(format);
  for (Index v = 0; v < p.count; ++v)
    for (Index k = 0; k < format.length; ++k) {
      const ComplexFactor f = factor(t, k, p.other + v * p.step);
      const auto fr = static_cast<T>(f.re), fi = static_cast<T>(f.im);
      T* const x = tile + format.place(k) * steps.k + (p.first + v) * steps.v;
      const T re = x[0], im = x[steps.imaginary];
      x[0] = re * fr - im * fi;
      x[steps.imaginary] = re * fi + im * fr;
    }
}

template <class T>
void multiply_tile(const Twiddles::Tables& t, const TileFormat& format, T* tile, const Pencils& p) {
  if (!multiply_vectors(t, format, tile, p)) multiply_loops(t, format, tile, p);
}

// The faster of the two steps goes inside.
template <class T>
void multiply_memory(const Twiddles::Tables& t, T* first, const PencilsInMemory& p) {
  if (multiply_vectors(t, first, p)) return;
  const auto multiply_one = [&](Index k, Index v) {
    const ComplexFactor f = factor(t, k, p.other + v);
    const auto fr = static_cast<T>(f.re), fi = static_cast<T>(f.im);
    T* const x = first + 2 * (k * p.step_k + v * p.step_v);
    const T re = x[0], im = x[1];
    x[0] = re * fr - im * fi;
    x[1] = re * fi + im * fr;
  };
  if (p.step_k < p.step_v)
    for (Index v = 0; v < p.count; ++v)
      for (Index k = 0; k < p.length; ++k) multiply_one(k, v);
  else
    for (Index k = 0; k < p.length; ++k)
      for (Index v = 0; v < p.count; ++v) multiply_one(k, v);
}

// Tables have about sqrt(n) powers each: those of 2^shift neighbours, and every 2^shift-th one.
int shift_of(Index n) {
  int shift = 0;
  while (Index{1} << (2 * shift) < n) ++shift;
  return shift;
}

}  // namespace

Index Twiddles::table_bytes(Index n, Index length) {
  const Index unit = Index{1} << shift_of(n);
  return 2 * static_cast<Index>(sizeof(double)) * (unit + n / unit + 1 + fine * length);
}

Twiddles::Twiddles(Index n, Index length, Transform1d transform) : shift_(shift_of(n)), length_(length) {
  const Index unit = Index{1} << shift_;
  const Fixed sign = transform == Transform1d::forward ? 1 : -1;
  const auto fill = [&](std::vector<double>& re, std::vector<double>& im, Index count, Index step) {
    re.reserve(static_cast<std::size_t>(count)), im.reserve(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      const native::Root root = native::root_of_unity(i * step, n);
      re.push_back(static_cast<double>(root.re));
      im.push_back(static_cast<double>(sign * root.im));
    }
  };
  fill(low_re_, low_im_, unit, 1);
  fill(high_re_, high_im_, n / unit + 1, unit);
  fine_re_.reserve(static_cast<std::size_t>(fine * length)), fine_im_.reserve(static_cast<std::size_t>(fine * length));
  for (Index k = 0; k < length; ++k)
    for (Index r = 0; r < fine; ++r) {
      const ComplexFactor f = power(tables(), k * r % n);
      fine_re_.push_back(f.re);
      fine_im_.push_back(f.im);
    }
}

void Twiddles::multiply(Scalar scalar, const TileFormat& format, std::byte* tile, Index first, Index count, Index other,
                        Index step) const {
  const Pencils pencils{first, count, other, step};
  if (scalar == Scalar::f32)
    multiply_tile(tables(), format, reinterpret_cast<float*>(tile), pencils);
  else
    multiply_tile(tables(), format, reinterpret_cast<double*>(tile), pencils);
}

void Twiddles::multiply(Scalar scalar, std::byte* first, Index step_k, Index step_v, Index count, Index other) const {
  const PencilsInMemory pencils{length_, step_k, step_v, count, other};
  if (scalar == Scalar::f32)
    multiply_memory(tables(), reinterpret_cast<float*>(first), pencils);
  else
    multiply_memory(tables(), reinterpret_cast<double*>(first), pencils);
}

}  // namespace shardfft
#endif
