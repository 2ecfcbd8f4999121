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

/// Constants in a table, each of which serves all lanes.
template <class T>
struct ForAllLanes {
  const T* at = nullptr;
  HWY_INLINE typename Lanes<T>::V operator[](Index i) const { return Lanes<T>::all(at[i]); }
  HWY_INLINE ForAllLanes operator+(Index i) const { return {at + i}; }
};

/// Constants of which each lane has its own: in the place of each, a vector of them.
template <class T>
struct ForEachLane {
  const T* at = nullptr;
  HWY_INLINE typename Lanes<T>::V operator[](Index i) const { return Lanes<T>::load(at + i * Lanes<T>::count); }
  HWY_INLINE ForEachLane operator+(Index i) const { return {at + i * Lanes<T>::count}; }
};

inline constexpr int most_loaded_first = 10;

/// A butterfly of length R: without twiddles when `first` (of a first pass, or of inputs that were multiplied by theirs), else of inputs that are turned already, with these weights. Input j is load(j), result u goes
/// to store(u, result); all inputs are loaded before the first result is stored. In large butterflies each is loaded when it is needed, and stored when it is there, so that they keep to the registers; small ones are faster
/// with all loads first.
template <int R, bool first, class T, class Weights = ForAllLanes<T>>
struct Butterfly {
  using L = Lanes<T>;
  using C = Complex<T>;
  static constexpr int p = split_prime(R), s = R / p;

  template <class Load, class Store>
  static HWY_INLINE void run(const Load& load, const Store& store, Weights weights = {}) {
    if constexpr (R <= most_loaded_first) {
      C x[R];
      unroll<R>([&](auto j) SHARDFFT_INSIDE { x[j] = load(j); });
      join([&](auto j) SHARDFFT_INSIDE { return x[j]; }, [&](auto u, const C& y) SHARDFFT_INSIDE { x[u] = y; }, weights);
      unroll<R>([&](auto u) SHARDFFT_INSIDE { store(u, x[u]); });
    } else {
      join(load, store, weights);
    }
  }

  /// Loads and stores in its own order.
  template <class Load, class Store>
  static HWY_INLINE void join(const Load& load, const Store& store, Weights weights) {
    C part[p][s];
    unroll<p>([&](auto c) SHARDFFT_INSIDE {
      if constexpr (s > 1)
        Butterfly<s, first, T, Weights>::join([&](auto j) SHARDFFT_INSIDE { return load(std::integral_constant<int, c + p * j>{}); }, [&](auto u, const C& y) SHARDFFT_INSIDE { part[c][u] = y; },
                                             weights + c * weight_count(s));
      else
        part[c][0] = load(c);
    });
    if constexpr (s > 1) weights = weights + p * weight_count(s);
    unroll<s>([&](auto u) SHARDFFT_INSIDE {
      C y[p];
      unroll<p>([&](auto c) SHARDFFT_INSIDE { y[c] = part[c][u]; });
      combine<u>(y, weights);
      unroll<p>([&](auto c) SHARDFFT_INSIDE { store(std::integral_constant<int, u + s * c>{}, y[c]); });
    });
  }

 private:
  template <int u>
  static HWY_INLINE void combine(C (&y)[p], Weights weights) {
    if constexpr (p == 2)
      combine_two<u>(y, weights);
    else
      combine_odd<u>(y, weights + u * weights_per_point(p));
  }

  template <int u>
  static HWY_INLINE void combine_two(C (&y)[2], Weights weights) {
    constexpr bool quarter = R % 4 == 0 && u >= R / 4;
    constexpr int point = quarter ? u - R / 4 : u;
    y[1] = turn_by<point, R, T>(y[1]);
    if constexpr (!first)
      combine_pair<quarter, T>(y[0], y[1], weights[point]);
    else if constexpr (point == 0)
      combine_pair<quarter, T>(y[0], y[1]);
    else
      combine_pair<quarter, T>(y[0], y[1], L::all(static_cast<T>(root_of_unity(point, R).re)));
  }

  template <int u>
  static HWY_INLINE void combine_odd(C (&y)[p], Weights weights) {
    constexpr bool weighted = !first || u > 0;
    const auto weight = [&](auto i) SHARDFFT_INSIDE {
      if constexpr (first) {
        constexpr auto own = odd_weights<p>(point_weights<p>(R, u));
        return L::all(static_cast<T>(own[i]));
      } else {
        return weights[i];
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
      Butterfly<4, true, T>::run([&](auto j) SHARDFFT_INSIDE { return load(std::integral_constant<int, c + 4 * j>{}); }, [&](auto u, const C& y) SHARDFFT_INSIDE { part[c][u] = rotated<c * u, T>(y); });
    });
    unroll<4>([&](auto u) SHARDFFT_INSIDE {
      Butterfly<4, true, T>::run([&](auto c) SHARDFFT_INSIDE { return part[c][u]; }, [&](auto v, const C& y) SHARDFFT_INSIDE { store(std::integral_constant<int, u + 4 * v>{}, y); });
    });
  }
};

/// A butterfly of any pass but the first, of inputs that still lack their twiddles; `table`: its constants, in this form.
template <TwiddleForm form, int R, class T, class Table, class Load, class Store>
HWY_INLINE void twiddle_and_join(const Load& load, const Store& store, Table table) {
  constexpr bool products = form == TwiddleForm::products;
  // Sixteen inputs and constants that serve all lanes are more than there are registers: measured, such butterflies are faster with what the compiler chooses.
  const auto once = [](const auto& x) SHARDFFT_INSIDE {
    if constexpr (R < 16 || std::is_same_v<Table, ForEachLane<T>>)
      return in_register(x);
    else
      return x;
  };
  const auto twiddled = [&](auto j) SHARDFFT_INSIDE {
    if constexpr (j == 0)
      return load(j);
    else if constexpr (products)
      return times<T>(once(load(j)), once(table[2 * (j - 1)]), once(table[2 * (j - 1) + 1]));
    else
      return turn<T>(once(load(j)), once(table[j - 1]));
  };
  if constexpr (R == 16 && products)
    FourByFour<T>::run(twiddled, store);
  else
    Butterfly<R, products, T, Table>::run(twiddled, store, products ? Table() : table + (R - 1));
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
