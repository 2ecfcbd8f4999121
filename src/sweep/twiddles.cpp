#include "support/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/twiddles.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "support/simd_complex-inl.h"
#include "sweep/twiddles.hpp"

#ifndef SHARDFFT_SWEEP_TWIDDLES_ONCE
#define SHARDFFT_SWEEP_TWIDDLES_ONCE
namespace shardfft {
namespace {

/// Which pencils of a tile are multiplied, and by which powers: as in Twiddles::multiply.
struct Pencils {
  Index first, count, other, step;
};

struct Factor {
  double re, im;
};

// Without fused operations, as the vector code below does it.
inline Factor product(const Factor& a, const Factor& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

inline Factor power(const Twiddles::Tables& t, Index m) {
  const Index high = m >> t.shift, low = m & ((Index{1} << t.shift) - 1);
  return product({t.high_re[high], t.high_im[high]}, {t.low_re[low], t.low_im[low]});
}

// Power k * y.
inline Factor factor(const Twiddles::Tables& t, Index k, Index y) {
  const Index r = y % Twiddles::near, at = Twiddles::near * k + r;
  return product(power(t, k * (y - r)), {t.near_re[at], t.near_im[at]});
}

}  // namespace
}  // namespace shardfft
#endif

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// The factors of row k of the tile, whose lanes have neighbouring indexes along the other half from y on, all of them in one group of near ones.
template <class T>
HWY_INLINE void factors(const Twiddles::Tables& t, Index k, Index y, T* re, T* im) {
  const Tag<double> d;
  const Index r = y % Twiddles::near, at = Twiddles::near * k + r;
  const Factor far = power(t, k * (y - r));
  const auto far_re = hn::Set(d, far.re), far_im = hn::Set(d, far.im);
  for (int i = 0; i < lanes<T>; i += lanes<double>) {
    const auto near_re = hn::LoadU(d, t.near_re + at + i), near_im = hn::LoadU(d, t.near_im + at + i);
    const auto fr = hn::Sub(hn::Mul(far_re, near_re), hn::Mul(far_im, near_im)), fi = hn::Add(hn::Mul(far_re, near_im), hn::Mul(far_im, near_re));
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::StoreU(fr, d, re + i);
      hn::StoreU(fi, d, im + i);
    } else {
      const hn::Rebind<float, Tag<double>> narrow;
      hn::StoreU(hn::DemoteTo(narrow, fr), narrow, re + i);
      hn::StoreU(hn::DemoteTo(narrow, fi), narrow, im + i);
    }
  }
}

template <class T>
bool multiply_lanes(const Twiddles::Tables& t, const TileFormat& format, T* tile, const Pencils& p) {
  constexpr Index L = lanes<T>;
  if (format.order != TileFormat::Order::lanes || format.pencils != L) return false;
  const Tag<T> d;
  const auto mine = hn::AndNot(hn::FirstN(d, static_cast<std::size_t>(p.first)), hn::FirstN(d, static_cast<std::size_t>(p.first + p.count)));
  const Index y = p.other - p.first;  // of lane 0
  const bool together = p.step == 1 && y >= 0 && y % Twiddles::near + L <= Twiddles::near;
  T re[L] = {}, im[L] = {};
  for (Index k = 0; k < format.length; ++k) {
    T* const row = tile + format.place(k) * 2 * L;
    auto fr = hn::Undefined(d), fi = fr;
    if (p.step == 0) {
      const Factor f = factor(t, k, p.other);
      fr = hn::Set(d, static_cast<T>(f.re));
      fi = hn::Set(d, static_cast<T>(f.im));
    } else {
      if (together)
        factors(t, k, y, re, im);
      else
        for (Index v = p.first; v < p.first + p.count; ++v) {
          const Factor f = factor(t, k, y + v);
          re[v] = static_cast<T>(f.re);
          im[v] = static_cast<T>(f.im);
        }
      fr = hn::LoadU(d, re);
      fi = hn::LoadU(d, im);
    }
    const auto x_re = hn::Load(d, row), x_im = hn::Load(d, row + L);
    hn::BlendedStore(hn::NegMulAdd(x_im, fi, hn::Mul(x_re, fr)), mine, d, row);
    hn::BlendedStore(hn::MulAdd(x_im, fr, hn::Mul(x_re, fi)), mine, d, row + L);
  }
  return true;
}

#else

template <class T>
bool multiply_lanes(const Twiddles::Tables&, const TileFormat&, T*, const Pencils&) {
  return false;
}

#endif

bool multiply_f32(const Twiddles::Tables& t, const TileFormat& format, float* tile, const Pencils& p) { return multiply_lanes(t, format, tile, p); }
bool multiply_f64(const Twiddles::Tables& t, const TileFormat& format, double* tile, const Pencils& p) { return multiply_lanes(t, format, tile, p); }

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "engine/native/roots.hpp"
#include "sweep/tile_loops.hpp"

namespace shardfft {
namespace {

HWY_EXPORT(multiply_f32);
HWY_EXPORT(multiply_f64);

bool multiply_vectors(const Twiddles::Tables& t, const TileFormat& format, float* tile, const Pencils& p) { return HWY_DYNAMIC_DISPATCH(multiply_f32)(t, format, tile, p); }
bool multiply_vectors(const Twiddles::Tables& t, const TileFormat& format, double* tile, const Pencils& p) { return HWY_DYNAMIC_DISPATCH(multiply_f64)(t, format, tile, p); }

// Any format.
template <class T>
void multiply_loops(const Twiddles::Tables& t, const TileFormat& format, T* tile, const Pencils& p) {
  const TileSteps steps(format);
  for (Index v = 0; v < p.count; ++v)
    for (Index k = 0; k < format.length; ++k) {
      const Factor f = factor(t, k, p.other + v * p.step);
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

}  // namespace

Twiddles::Twiddles(Index n, Index length, Transform1d transform) {
  while (Index{1} << (2 * shift_) < n) ++shift_;
  const Index unit = Index{1} << shift_;
  const long double sign = transform == Transform1d::forward ? 1 : -1;
  const auto fill = [&](std::vector<double>& re, std::vector<double>& im, Index count, Index step) {
    for (Index i = 0; i < count; ++i) {
      const native::Root root = native::root_of_unity(i * step, n);
      re.push_back(static_cast<double>(root.re));
      im.push_back(static_cast<double>(sign * root.im));
    }
  };
  fill(low_re_, low_im_, unit, 1);
  fill(high_re_, high_im_, n / unit + 1, unit);
  for (Index k = 0; k < length; ++k)
    for (Index r = 0; r < near; ++r) {
      const Factor f = power(tables(), k * r % n);
      near_re_.push_back(f.re);
      near_im_.push_back(f.im);
    }
}

void Twiddles::multiply(Scalar scalar, const TileFormat& format, std::byte* tile, Index first, Index count, Index other, Index step) const {
  const Pencils pencils{first, count, other, step};
  if (scalar == Scalar::f32)
    multiply_tile(tables(), format, reinterpret_cast<float*>(tile), pencils);
  else
    multiply_tile(tables(), format, reinterpret_cast<double*>(tile), pencils);
}

}  // namespace shardfft
#endif
