// Short transforms in registers, by decimation in time.
//
// With P(t) = sum_j x_j t^j, a butterfly of length R with twiddles computes P(theta w^u), u = 0 .. R-1, w = exp(-2 pi i / R). For R = p s,
//   P(t) = sum_{c<p} t^c P_c(t^p),   P_c made of x_c, x_{c+p}, ...
// so the p parts are evaluated by butterflies of length s, and combined at the s points by p-point transforms. weights.hpp says where the
// twiddles are.
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
#include "engine/native/weights.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// x (1 + i tangent)
template <class T>
HWY_INLINE Complex<T> turn(const Complex<T>& x, typename Lanes<T>::V tangent) {
  using L = Lanes<T>;
  return {L::neg_mul_add(tangent, x.im, x.re), L::mul_add(tangent, x.re, x.im)};
}

/// x (1 + i tangent) for the tangent of exp(-2 pi i k / n)
template <int k, int n, class T>
HWY_INLINE Complex<T> turn_by(const Complex<T>& x) {
  using L = Lanes<T>;
  if constexpr (k == 0) {
    return x;
  } else if constexpr (8 * k == n) {
    return {L::add(x.re, x.im), L::sub(x.im, x.re)};
  } else {
    constexpr Root w = root_of_unity(k, n);
    return turn<T>(x, L::all(static_cast<T>(w.im / w.re)));
  }
}

/// a, b = a + b, a - b; with `quarter`, b stands for -i b.
template <bool quarter, class T>
HWY_INLINE void combine_pair(Complex<T>& a, Complex<T>& b) {
  using L = Lanes<T>;
  const auto re = quarter ? b.im : b.re;
  const auto im = quarter ? b.re : b.im;
  const auto plus = L::add(a.im, im), minus = L::sub(a.im, im);
  b = {L::sub(a.re, re), quarter ? plus : minus};
  a = {L::add(a.re, re), quarter ? minus : plus};
}

/// a, b = a + g b, a - g b; with `quarter`, b stands for -i b.
template <bool quarter, class T>
HWY_INLINE void combine_pair(Complex<T>& a, Complex<T>& b, typename Lanes<T>::V g) {
  using L = Lanes<T>;
  const auto re = quarter ? b.im : b.re;
  const auto im = quarter ? b.re : b.im;
  const auto plus = L::mul_add(g, im, a.im), minus = L::neg_mul_add(g, im, a.im);
  b = {L::neg_mul_add(g, re, a.re), quarter ? plus : minus};
  a = {L::mul_add(g, re, a.re), quarter ? minus : plus};
}

/// What remains of a transform of odd length p once x_0 and the sums x_j + x_{p-j} and differences x_j - x_{p-j} are there. `weight(i)` is
/// number i of odd_weights; without weights (all of them 1) the sum of all takes none.
template <int p, bool weighted, class T, class Weight>
HWY_INLINE void finish_odd(const Complex<T>& x0, const Complex<T> (&sum)[p / 2], const Complex<T> (&difference)[p / 2], Complex<T> (&y)[p],
                           const Weight& weight) {
  using L = Lanes<T>;
  constexpr int half = p / 2;
  y[0] = x0;
  unroll<half>([&](auto j) SHARDFFT_INSIDE {
    if constexpr (weighted) {
      const auto g = weight(std::integral_constant<int, half + j>{});
      y[0] = {L::mul_add(g, sum[j].re, y[0].re), L::mul_add(g, sum[j].im, y[0].im)};
    } else {
      y[0] = {L::add(y[0].re, sum[j].re), L::add(y[0].im, sum[j].im)};
    }
  });
  unroll<half>([&](auto u0) SHARDFFT_INSIDE {
    constexpr int u = u0 + 1, largest = largest_sine(p, u), cosines = 2 * half + 2 * half * u0, sines = cosines + half;
    Complex<T> even = x0, odd = difference[largest - 1];
    unroll<half>([&](auto j) SHARDFFT_INSIDE {
      const auto c = weight(std::integral_constant<int, cosines + j>{});
      even = {L::mul_add(c, sum[j].re, even.re), L::mul_add(c, sum[j].im, even.im)};
      if constexpr (j + 1 != largest) {
        const auto s = weight(std::integral_constant<int, sines + (j + 1 < largest ? j : j - 1)>{});
        odd = {L::mul_add(s, difference[j].re, odd.re), L::mul_add(s, difference[j].im, odd.im)};
      }
    });
    const auto s = weight(std::integral_constant<int, sines + half - 1>{});
    y[u] = {L::mul_add(s, odd.im, even.re), L::neg_mul_add(s, odd.re, even.im)};
    y[p - u] = {L::neg_mul_add(s, odd.im, even.re), L::mul_add(s, odd.re, even.im)};
  });
}

/// A butterfly of length R: without twiddles when `first` (of a first pass, or of inputs that were multiplied by theirs), else of inputs that are turned already, with the weights that `weights` points at.
template <int R, bool first, class T>
struct Butterfly {
  using L = Lanes<T>;
  using C = Complex<T>;
  static constexpr int p = split_prime(R), s = R / p;

  static HWY_INLINE void run(C (&x)[R], const T* HWY_RESTRICT weights) {
    C part[p][s];
    unroll<R>([&](auto j) SHARDFFT_INSIDE { part[j % p][j / p] = x[j]; });
    if constexpr (s > 1) {
      unroll<p>([&](auto c) SHARDFFT_INSIDE { Butterfly<s, first, T>::run(part[c], weights + c * weight_count(s)); });
      weights += p * weight_count(s);
    }
    unroll<s>([&](auto u) SHARDFFT_INSIDE {
      C y[p];
      unroll<p>([&](auto c) SHARDFFT_INSIDE { y[c] = part[c][u]; });
      combine<u>(y, weights);
      unroll<p>([&](auto c) SHARDFFT_INSIDE { x[u + s * c] = y[c]; });
    });
  }

 private:
  template <int u>
  static HWY_INLINE void combine(C (&y)[p], const T* HWY_RESTRICT weights) {
    if constexpr (p == 2)
      combine_two<u>(y, weights);
    else
      combine_odd<u>(y, weights + u * weights_per_point(p));
  }

  template <int u>
  static HWY_INLINE void combine_two(C (&y)[2], const T* HWY_RESTRICT weights) {
    constexpr bool quarter = R % 4 == 0 && u >= R / 4;
    constexpr int point = quarter ? u - R / 4 : u;
    y[1] = turn_by<point, R, T>(y[1]);
    if constexpr (!first)
      combine_pair<quarter, T>(y[0], y[1], L::all(weights[point]));
    else if constexpr (point == 0)
      combine_pair<quarter, T>(y[0], y[1]);
    else
      combine_pair<quarter, T>(y[0], y[1], L::all(static_cast<T>(root_of_unity(point, R).re)));
  }

  template <int u>
  static HWY_INLINE void combine_odd(C (&y)[p], const T* HWY_RESTRICT weights) {
    constexpr bool weighted = !first || u > 0;
    const auto weight = [&](auto i) SHARDFFT_INSIDE {
      if constexpr (first) {
        constexpr auto own = odd_weights<p>(point_weights<p>(R, u));
        return L::all(static_cast<T>(own[i]));
      } else {
        return L::all(weights[i]);
      }
    };
    C sum[p / 2], difference[p / 2];
    unroll<p / 2>([&](auto j0) SHARDFFT_INSIDE {
      constexpr int j = j0 + 1;
      sum[j0] = turn_by<u * j % R, R, T>(y[j]);
      difference[j0] = turn_by<u * (p - j) % R, R, T>(y[p - j]);
      if constexpr (weighted)
        combine_pair<false, T>(sum[j0], difference[j0], weight(j0));
      else
        combine_pair<false, T>(sum[j0], difference[j0]);
    });
    finish_odd<p, weighted, T>(C(y[0]), sum, difference, y, weight);
  }
};

/// A butterfly of any pass but the first, of inputs that still lack their twiddles; `table`: its constants, in this form.
template <TwiddleForm form, int R, class T>
HWY_INLINE void twiddle_and_join(Complex<T> (&x)[R], const T* HWY_RESTRICT table) {
  constexpr bool products = form == TwiddleForm::products;
  unroll<R - 1>([&](auto j) SHARDFFT_INSIDE {
    if constexpr (products)
      x[j + 1] = times<T>(x[j + 1], table + 2 * j);
    else
      x[j + 1] = turn<T>(x[j + 1], Lanes<T>::all(table[j]));
  });
  Butterfly<R, products, T>::run(x, products ? nullptr : table + R - 1);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
