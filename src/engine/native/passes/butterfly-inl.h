// Short transforms in registers, by decimation in time.
//
// With P(t) = sum_j x_j t^j, a butterfly of length R computes P(w^u), u = 0 .. R-1, w = exp(-2 pi i / R). For R = p s,
//   P(t) = sum_{c<p} t^c P_c(t^p),   P_c made of x_c, x_{c+p}, ...
// so the p parts are evaluated by butterflies of length s, and combined at the s points by p-point transforms, which
// multiply part c by w^{u c} within their additions.
//
// If p and s have no common factor, parts need no constants: part c has the inputs s c + p j, and result u of the whole
// transform is result u mod p of the transform over the parts' results u mod s.
// Source: I. Good, The interaction algorithm and practical Fourier analysis, J. R. Statist. Soc. B 20 (1958) 361.
//
// Twiddles are multiplied with the inputs first. Additions within a butterfly could take them, too: 72 fused operations
// in a butterfly of 8 instead of 80, of which most are additions. On the whole that was slower where it was measured.
#if defined(SHARDFFT_NATIVE_BUTTERFLY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#undef SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#else
#define SHARDFFT_NATIVE_BUTTERFLY_INL_H_
#endif

#include "engine/native/passes/butterfly_constants.hpp"
#include "engine/native/passes/lanes-inl.h"
#include "engine/native/passes/unroll-inl.h"
#include "engine/native/roots.hpp"
#include "engine/native/step.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

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

/// a + w b
template <class T>
HWY_INLINE Complex<T> plus_times(const Complex<T>& a, const Complex<T>& w, const Complex<T>& b) {
  using L = Lanes<T>;
  return {L::mul_add(w.re, b.re, L::neg_mul_add(w.im, b.im, a.re)),
          L::mul_add(w.re, b.im, L::mul_add(w.im, b.re, a.im))};
}

/// 2 a - sum: what is left of a where the other part of `sum` changes its sign
template <class T>
HWY_INLINE Complex<T> reflected(const Complex<T>& a, const Complex<T>& sum) {
  using L = Lanes<T>;
  return {L::twice_minus(a.re, sum.re), L::twice_minus(a.im, sum.im)};
}

/// a, b = a + w b, a - w b; with `quarter`, w stands for -i w.
template <bool quarter, class T>
HWY_INLINE void combine_pair(Complex<T>& a, Complex<T>& b, const Complex<T>& w) {
  using L = Lanes<T>;
  Complex<T> sum = plus_times<T>(a, w, b);
  if constexpr (quarter)
    sum = {L::mul_add(w.re, b.im, L::mul_add(w.im, b.re, a.re)),
           L::neg_mul_add(w.re, b.re, L::mul_add(w.im, b.im, a.im))};
  b = reflected<T>(a, sum);
  a = sum;
}

/// a, b = v a + w b, v a - w b
template <class T>
HWY_INLINE void combine_products(Complex<T>& a, Complex<T>& b, const Complex<T>& v, const Complex<T>& w) {
  const Complex<T> first = times<T>(a, v.re, v.im);
  a = plus_times<T>(first, w, b);
  b = reflected<T>(first, a);
}

/// What remains of a transform of odd length p once x_0 and the sums x_j + x_{p-j} and differences x_j - x_{p-j} are
/// there. The sines of an output are divided by the largest, which multiplies their sum.
template <int p, class T>
HWY_INLINE void finish_odd(const Complex<T>& x0, const Complex<T> (&sum)[p / 2], const Complex<T> (&difference)[p / 2],
                           Complex<T> (&y)[p]) {
  using L = Lanes<T>;
  constexpr int half = p / 2;
  y[0] = x0;
  unroll<half>([&](auto j) SHARDFFT_INSIDE { y[0] = {L::add(y[0].re, sum[j].re), L::add(y[0].im, sum[j].im)}; });
  unroll<half>([&](auto u0) SHARDFFT_INSIDE {
    constexpr int u = u0 + 1, largest = largest_sine(p, u);
    constexpr Fixed unit = -short_root(u * largest, p).im;
    Complex<T> even = x0, odd = difference[largest - 1];
    unroll<half>([&](auto j) SHARDFFT_INSIDE {
      constexpr Root w = short_root(u * (j + 1), p);
      const auto c = L::all(static_cast<T>(w.re));
      even = {L::mul_add(c, sum[j].re, even.re), L::mul_add(c, sum[j].im, even.im)};
      if constexpr (j + 1 != largest) {
        const auto s = L::all(static_cast<T>(-w.im / unit));
        odd = {L::mul_add(s, difference[j].re, odd.re), L::mul_add(s, difference[j].im, odd.im)};
      }
    });
    const auto s = L::all(static_cast<T>(unit));
    y[u] = {L::mul_add(s, odd.im, even.re), L::neg_mul_add(s, odd.re, even.im)};
    y[p - u] = {L::neg_mul_add(s, odd.im, even.re), L::mul_add(s, odd.re, even.im)};
  });
}

/// Twiddles in a table, each of which serves all lanes.
template <class T>
struct ForAllLanes {
  const T* at = nullptr;
  HWY_INLINE typename Lanes<T>::V operator[](Index i) const { return Lanes<T>::all(at[i]); }
  HWY_INLINE ForAllLanes operator+(Index i) const { return {at + i}; }
};

/// Twiddles of which each lane has its own: in the place of each, a vector of them.
template <class T>
struct ForEachLane {
  const T* at = nullptr;
  HWY_INLINE typename Lanes<T>::V operator[](Index i) const { return Lanes<T>::load(at + i * Lanes<T>::count); }
  HWY_INLINE ForEachLane operator+(Index i) const { return {at + i * Lanes<T>::count}; }
};

inline constexpr int most_loaded_first = 10;

/// A butterfly of length R. Input j is load(j), result u goes to store(u, result); all inputs are loaded before the
/// first result is stored. In large butterflies each is loaded when it is needed, and stored when it is there, so that
/// they keep to the registers; small ones are faster with all loads first.
template <int R, class T>
struct Butterfly {
  using L = Lanes<T>;
  using C = Complex<T>;
  static constexpr bool freely = splits_freely(R);
  static constexpr int p = part_count(R), s = R / p;

  template <class Load, class Store>
  static HWY_INLINE void run(const Load& load, const Store& store) {
    if constexpr (R <= most_loaded_first) {
      C x[R];
      unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = load(j); });
      join([&](auto j) SHARDFFT_INSIDE { return x[j]; }, [&](auto u, const C& y) SHARDFFT_INSIDE { x[u] = y; });
      unroll<R>([&](auto u) SHARDFFT_INSIDE { store(u, x[u]); });
    } else {
      join(load, store);
    }
  }

  /// Loads and stores in its own order.
  template <class Load, class Store>
  static HWY_INLINE void join(const Load& load, const Store& store) {
    C part[p][s];
    unroll<p>([&](auto c) SHARDFFT_INSIDE {
      if constexpr (s == 1)
        part[c][0] = load(c);
      else
        Butterfly<s, T>::join([&](auto j) SHARDFFT_INSIDE { return load(std::integral_constant<int, input(c, j)>{}); },
                              [&](auto u, const C& y) SHARDFFT_INSIDE { part[c][u] = y; });
    });
    unroll<s>([&](auto u) SHARDFFT_INSIDE {
      C y[p];
      unroll<p>([&](auto c) SHARDFFT_INSIDE { y[c] = part[c][u]; });
      combine<u>(y);
      unroll<p>([&](auto v) SHARDFFT_INSIDE { store(std::integral_constant<int, output(u, v)>{}, y[v]); });
    });
  }

 private:
  static constexpr int input(int c, int j) { return freely ? (s * c + p * j) % R : c + p * j; }
  /// The result that is number u in the parts' transforms and number v over the parts.
  static constexpr int output(int u, int v) {
    int at = u;
    while (freely && at % p != v) at += s;
    return freely ? at : u + s * v;
  }

  /// What part c is multiplied by at a point.
  template <int point, int c>
  static HWY_INLINE C factor() {
    constexpr Root w = short_root(point * c, R);
    return {L::all(static_cast<T>(w.re)), L::all(static_cast<T>(w.im))};
  }

  template <int u>
  static HWY_INLINE void combine(C (&y)[p]) {
    if constexpr (p == 2)
      combine_two<u>(y);
    else
      combine_odd<u>(y);
  }

  template <int u>
  static HWY_INLINE void combine_two(C (&y)[2]) {
    constexpr bool quarter = !freely && R % 4 == 0 && u >= R / 4;
    constexpr int point = quarter ? u - R / 4 : u;
    if constexpr (freely || point == 0)
      combine_pair<quarter, T>(y[0], y[1]);
    else
      combine_pair<quarter, T>(y[0], y[1], factor<point, 1>());
  }

  template <int u>
  static HWY_INLINE void combine_odd(C (&y)[p]) {
    C sum[p / 2], difference[p / 2];
    unroll<p / 2>([&](auto j0) SHARDFFT_INSIDE {
      constexpr int j = j0 + 1;
      sum[j0] = y[j];
      difference[j0] = y[p - j];
      if constexpr (freely || u == 0)
        combine_pair<false, T>(sum[j0], difference[j0]);
      else
        combine_products<T>(sum[j0], difference[j0], factor<u, j>(), factor<u, p - j>());
    });
    finish_odd<p, T>(C(y[0]), sum, difference, y);
  }
};

/// x exp(-2 pi i k / 16), for constants that are not folded into additions.
template <int k, class T>
HWY_INLINE Complex<T> rotated(const Complex<T>& x) {
  using L = Lanes<T>;
  if constexpr (k == 0) {
    return x;
  } else if constexpr (k == 4) {
    return {x.im, L::neg(x.re)};
  } else {
    constexpr Root w = root_of_unity(k, 16);
    return times<T>(x, L::all(static_cast<T>(w.re)), L::all(static_cast<T>(w.im)));
  }
}

/// A butterfly of 16 as 4 x 4.
template <class T>
struct FourByFour {
  using C = Complex<T>;
  template <class Load, class Store>
  static HWY_INLINE void run(const Load& load, const Store& store) {
    C part[4][4];
    unroll<4>([&](auto c) SHARDFFT_INSIDE {
      Butterfly<4, T>::run([&](auto j) SHARDFFT_INSIDE { return load(std::integral_constant<int, c + 4 * j>{}); },
                           [&](auto u, const C& y) SHARDFFT_INSIDE { part[c][u] = rotated<c * u, T>(y); });
    });
    unroll<4>([&](auto u) SHARDFFT_INSIDE {
      Butterfly<4, T>::run([&](auto c) SHARDFFT_INSIDE { return part[c][u]; },
                           [&](auto v, const C& y)
                               SHARDFFT_INSIDE { store(std::integral_constant<int, u + 4 * v>{}, y); });
    });
  }
};

/// A butterfly of any pass but the first, of inputs that still lack their twiddles; `table`: these.
template <int R, class T, class Table, class Load, class Store>
HWY_INLINE void twiddle_and_join(const Load& load, const Store& store, Table table) {
  // Sixteen inputs and twiddles that serve all lanes are more than there are registers: measured, such butterflies are
  // faster with what the compiler chooses.
  const auto once = [](const auto& x) SHARDFFT_INSIDE {
    if constexpr (R < 16 || std::is_same_v<Table, ForEachLane<T>>)
      return in_register(x);
    else
      return x;
  };
  const auto twiddled = [&](auto j) SHARDFFT_INSIDE {
    if constexpr (j == 0)
      return load(j);
    else
      return times<T>(once(load(j)), once(table[2 * (j - 1)]), once(table[2 * (j - 1) + 1]));
  };
  if constexpr (R == 16)
    FourByFour<T>::run(twiddled, store);
  else
    Butterfly<R, T>::run(twiddled, store);
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
