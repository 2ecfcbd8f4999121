// Short transforms in registers, by decimation in time.
//
// With P(t) = sum_j x_j t^j, a butterfly of length R with twiddles computes P(theta w^u), u = 0 .. R-1, w = exp(-2 pi i / R). For R = p s,
//   P(t) = sum_{c<p} t^c P_c(t^p),   P_c made of x_c, x_{c+p}, ...
// so the p parts are evaluated at theta^p by butterflies of length s, and combined at the s points t = theta w^u by p-point transforms.
// A two-point combination with its twiddle costs six fused operations: r = a + t b, and a - t b = 2a - r.
#if defined(SHARDFFT_NATIVE_BUTTERFLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#undef SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#else
#define SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#endif

#include "engine/native/lanes-inl.h"
#include "engine/native/roots.hpp"
#include "engine/native/step.hpp"
#include "engine/native/unroll-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// a, b = a + t b, a - t b; with `quarter`, t stands for -i t.
template <bool quarter, class T>
HWY_INLINE void combine_pair(Complex<T>& a, Complex<T>& b, typename Lanes<T>::V tr, typename Lanes<T>::V ti) {
  using L = Lanes<T>;
  Complex<T> r;
  if constexpr (quarter) {
    r.re = L::mul_add(tr, b.im, L::mul_add(ti, b.re, a.re));
    r.im = L::mul_add(ti, b.im, L::neg_mul_add(tr, b.re, a.im));
  } else {
    r.re = L::neg_mul_add(ti, b.im, L::mul_add(tr, b.re, a.re));
    r.im = L::mul_add(ti, b.re, L::mul_add(tr, b.im, a.im));
  }
  const auto two = L::all(T(2));
  b = {L::mul_sub(two, a.re, r.re), L::mul_sub(two, a.im, r.im)};
  a = r;
}

/// The same with t = 1.
template <bool quarter, class T>
HWY_INLINE void combine_pair(Complex<T>& a, Complex<T>& b) {
  using L = Lanes<T>;
  const auto re = quarter ? b.im : b.re;
  const auto im = quarter ? b.re : b.im;
  const auto plus = L::add(a.im, im), minus = L::sub(a.im, im);
  b = {L::sub(a.re, re), quarter ? plus : minus};
  a = {L::add(a.re, re), quarter ? minus : plus};
}

/// The same with t = exp(-i pi / 4) = h (1 - i).
template <bool quarter, class T>
HWY_INLINE void combine_pair_eighth(Complex<T>& a, Complex<T>& b) {
  using L = Lanes<T>;
  const auto h = L::all(static_cast<T>(root_of_unity(1, 8).re));
  const auto sum = L::add(b.re, b.im), difference = L::sub(b.im, b.re);
  const Complex<T> r = a;
  if constexpr (quarter) {
    a = {L::mul_add(h, difference, r.re), L::neg_mul_add(h, sum, r.im)};
    b = {L::neg_mul_add(h, difference, r.re), L::mul_add(h, sum, r.im)};
  } else {
    a = {L::mul_add(h, sum, r.re), L::mul_add(h, difference, r.im)};
    b = {L::neg_mul_add(h, sum, r.re), L::neg_mul_add(h, difference, r.im)};
  }
}

/// The j for which sin(2 pi u j / p) is largest: by it the sines of an output are divided, so that their quotients are at most 1.
template <int p>
constexpr int largest_sine(int u) {
  int best = 1;
  const auto size = [u](int j) { const long double s = root_of_unity(u * j, p).im; return s < 0 ? -s : s; };
  for (int j = 2; j <= p / 2; ++j)
    if (size(j) > size(best)) best = j;
  return best;
}

/// What remains of a transform of odd length p once x_0 and the sums x_j + x_{p-j} and differences x_j - x_{p-j} are there.
template <int p, class T>
HWY_INLINE void finish_odd(const Complex<T>& x0, const Complex<T> (&sum)[p / 2], const Complex<T> (&difference)[p / 2], Complex<T> (&y)[p]) {
  using L = Lanes<T>;
  constexpr int half = p / 2;
  y[0] = x0;
  unroll<half>([&](auto j) SHARDFFT_INSIDE { y[0] = {L::add(y[0].re, sum[j].re), L::add(y[0].im, sum[j].im)}; });
  unroll<half>([&](auto u0) SHARDFFT_INSIDE {
    constexpr int u = u0 + 1, largest = largest_sine<p>(u);
    constexpr Root unit = root_of_unity(u * largest, p);
    Complex<T> even = x0, odd = difference[largest - 1];
    unroll<half>([&](auto j0) SHARDFFT_INSIDE {
      constexpr Root w = root_of_unity(u * (j0 + 1), p);
      const auto c = L::all(static_cast<T>(w.re));
      even = {L::mul_add(c, sum[j0].re, even.re), L::mul_add(c, sum[j0].im, even.im)};
      if constexpr (j0 + 1 != largest) {
        const auto s = L::all(static_cast<T>(w.im / unit.im));
        odd = {L::mul_add(s, difference[j0].re, odd.re), L::mul_add(s, difference[j0].im, odd.im)};
      }
    });
    const auto s = L::all(static_cast<T>(-unit.im));
    y[u] = {L::mul_add(s, odd.im, even.re), L::neg_mul_add(s, odd.re, even.im)};
    y[p - u] = {L::neg_mul_add(s, odd.im, even.re), L::mul_add(s, odd.re, even.im)};
  });
}

/// a, b = ta a + tb b, ta a - tb b
template <class T>
HWY_INLINE void twiddle_and_fold(Complex<T>& a, Complex<T>& b, typename Lanes<T>::V ar, typename Lanes<T>::V ai, typename Lanes<T>::V br,
                                 typename Lanes<T>::V bi) {
  a = times<T>(a, ar, ai);
  combine_pair<false, T>(a, b, br, bi);
}

/// A butterfly of length R over the twiddles that `twiddles` points at (none, theta = 1, when `first`).
template <int R, bool first, class T>
struct Butterfly {
  using L = Lanes<T>;
  using C = Complex<T>;
  static constexpr int p = split_prime(R), s = R / p;

  static HWY_INLINE void run(C (&x)[R], const T* HWY_RESTRICT twiddles) {
    if constexpr (s > 1) {
      C part[p][s];
      unroll<R>([&](auto j) SHARDFFT_INSIDE { part[j % p][j / p] = x[j]; });
      unroll<p>([&](auto c) SHARDFFT_INSIDE { Butterfly<s, first, T>::run(part[c], twiddles); });
      if constexpr (!first) twiddles += 2 * twiddle_count(s);
      unroll<s>([&](auto u) SHARDFFT_INSIDE {
        C y[p];
        unroll<p>([&](auto c) SHARDFFT_INSIDE { y[c] = part[c][u]; });
        combine<u>(y, twiddles);
        unroll<p>([&](auto c) SHARDFFT_INSIDE { x[u + s * c] = y[c]; });
      });
    } else {
      combine<0>(x, twiddles);
    }
  }

 private:
  template <int u>
  static HWY_INLINE void combine(C (&y)[p], const T* HWY_RESTRICT twiddles) {
    if constexpr (p == 2) {
      combine_two<u>(y, twiddles);
    } else {
      C sum[p / 2], difference[p / 2];
      unroll<p / 2>([&](auto j0) SHARDFFT_INSIDE {
        constexpr int j = j0 + 1;
        C a = y[j], b = y[p - j];
        fold<u, j>(a, b, twiddles);
        sum[j0] = a;
        difference[j0] = b;
      });
      finish_odd<p, T>(C(y[0]), sum, difference, y);
    }
  }

  template <int u>
  static HWY_INLINE void combine_two(C (&y)[2], const T* HWY_RESTRICT twiddles) {
    constexpr bool quarter = R % 4 == 0 && u >= R / 4;
    constexpr int point = quarter ? u - R / 4 : u;
    if constexpr (!first) {
      combine_pair<quarter, T>(y[0], y[1], L::all(twiddles[2 * point]), L::all(twiddles[2 * point + 1]));
    } else if constexpr (point == 0) {
      combine_pair<quarter, T>(y[0], y[1]);
    } else if constexpr (8 * point == R) {
      combine_pair_eighth<quarter, T>(y[0], y[1]);
    } else {
      constexpr Root w = root_of_unity(point, R);
      combine_pair<quarter, T>(y[0], y[1], L::all(static_cast<T>(w.re)), L::all(static_cast<T>(w.im)));
    }
  }

  template <int u, int j>
  static HWY_INLINE void fold(C& a, C& b, const T* HWY_RESTRICT twiddles) {
    if constexpr (!first) {
      const T* ta = twiddles + 2 * (u * (p - 1) + j - 1);
      const T* tb = twiddles + 2 * (u * (p - 1) + p - j - 1);
      twiddle_and_fold<T>(a, b, L::all(ta[0]), L::all(ta[1]), L::all(tb[0]), L::all(tb[1]));
    } else if constexpr (u == 0) {
      combine_pair<false, T>(a, b);
    } else {
      constexpr Root wa = root_of_unity(u * j, R), wb = root_of_unity(u * (p - j), R);
      twiddle_and_fold<T>(a, b, L::all(static_cast<T>(wa.re)), L::all(static_cast<T>(wa.im)), L::all(static_cast<T>(wb.re)),
                          L::all(static_cast<T>(wb.im)));
    }
  }
};

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
