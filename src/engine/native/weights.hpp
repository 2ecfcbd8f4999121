// The constants of a butterfly with twiddles, in the form of tangents (twiddle_form.hpp has the other one).
//
// A twiddle is split as t = g (1 + i s/g), g its cosine and s its sine. The butterfly turns each of its inputs by the tangent, two fused operations,
// and leaves the factor g to the additions that follow: there it is the third operand of a fused operation, which costs nothing. A radix-8
// butterfly takes 66 fused operations instead of 80, and each depends on a short chain of others.
// Source: E. Linzer, E. Feig, Modified FFTs for fused multiply-add architectures, Math. Comp. 60 (1993) 347.
//
// A part of a butterfly is the transform of inputs o, o + q, o + 2q, ... that have weights g_o, g_{o+q}, ...; it is computed divided by g_o. So the
// weights of a combination are quotients. A twiddle of a quarter turn gets a small cosine instead of none: see least_cosine.
#pragma once

#include <array>

#include "engine/native/roots.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

/// exp(-2 pi i k / n), k < n, for each n up to that of the largest butterfly: they are asked for in every butterfly of every pass.
inline constexpr auto short_roots = [] {
  std::array<std::array<Root, max_own_radix>, max_own_radix + 1> roots{};
  for (int n = 1; n <= max_own_radix; ++n)
    for (int k = 0; k < n; ++k) roots[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)] = root_of_unity(k, n);
  return roots;
}();
constexpr const Root& short_root(int k, int n) { return short_roots[static_cast<std::size_t>(n)][static_cast<std::size_t>(k % n)]; }

/// The j for which sin(2 pi u j / p) is largest: by it the sines of an output are divided, so that their quotients are at most 1.
constexpr int largest_sine(int p, int u) {
  int best = 1;
  const auto size = [&](int j) { const long double s = short_root(u * j, p).im; return s < 0 ? -s : s; };
  for (int j = 2; j <= p / 2; ++j)
    if (size(j) > size(best)) best = j;
  return best;
}

/// Of a transform of odd length p, for each u = 1 .. p / 2 from 0 on, and each j = 1 .. p / 2 from 0 on.
template <int p>
struct OddTransform {
  static constexpr std::size_t half = p / 2;
  std::array<std::array<long double, half>, half> cosines{};  ///< of 2 pi u j / p
  std::array<std::array<long double, half>, half> sines{};    ///< divided by that of `largest`
  std::array<int, half> largest{};                            ///< largest_sine(p, u)
  std::array<long double, half> units{};                      ///< the sine of `largest` itself

  constexpr OddTransform() {
    for (std::size_t u = 0; u < half; ++u) {
      const int point = static_cast<int>(u) + 1;
      largest[u] = largest_sine(p, point);
      units[u] = -short_root(point * largest[u], p).im;
      for (std::size_t j = 0; j < half; ++j) {
        const Root& w = short_root(point * static_cast<int>(j + 1), p);
        cosines[u][j] = w.re;
        sines[u][j] = -w.im / units[u];
      }
    }
  }
};
template <int p>
inline constexpr OddTransform<p> odd_transform{};

/// Constants of a transform of odd length p whose input j still lacks the factor `weights[j]`, in the order of their use; h = p / 2:
///   for j = 1..h   w_{p-j} / w_j              for the sums and differences, divided by w_j
///   for j = 1..h   w_j                        for the sum of all
///   for u = 1..h   w_j cos(2 pi u j / p), j = 1..h
///                  w_j sin(2 pi u j / p), j = 1..h without L = largest_sine(p, u), divided by that of L, and then that of L itself
/// Of long plans hundreds of thousands are made: h divisions each, and no more.
/// put(x) is called with each.
template <int p, class Put>
constexpr void put_odd_weights(const std::array<long double, p>& weights, Put put) {
  constexpr std::size_t half = p / 2;
  const auto& own = odd_transform<p>;
  std::array<long double, half + 1> inverses{};
  for (std::size_t j = 1; j <= half; ++j) inverses[j] = 1 / weights[j];
  for (std::size_t j = 1; j <= half; ++j) put(weights[p - j] * inverses[j]);
  for (std::size_t j = 1; j <= half; ++j) put(weights[j]);
  for (std::size_t u = 0; u < half; ++u) {
    const auto largest = static_cast<std::size_t>(own.largest[u]);
    const long double inverse = inverses[largest];
    for (std::size_t j = 1; j <= half; ++j) put(weights[j] * own.cosines[u][j - 1]);
    for (std::size_t j = 1; j <= half; ++j)
      if (j != largest) put(weights[j] * inverse * own.sines[u][j - 1]);
    put(weights[largest] * own.units[u]);
  }
}

/// All of them.
template <int p>
constexpr std::array<long double, 2 * (p / 2) * (p / 2 + 1)> odd_weights(const std::array<long double, p>& weights) {
  std::array<long double, 2 * (p / 2) * (p / 2 + 1)> list{};
  std::size_t at = 0;
  put_odd_weights<p>(weights, [&](long double x) { list[at++] = x; });
  return list;
}

/// The weights w_j = w_0^... of a combination at point u of a butterfly of length `radix` without twiddles: cosines of its own constants.
template <int p>
constexpr std::array<long double, p> point_weights(int radix, int u) {
  std::array<long double, p> weights{};
  for (int j = 0; j < p; ++j) weights[static_cast<std::size_t>(j)] = short_root(u * j, radix).re;
  return weights;
}

/// Smallest prime by which a butterfly of length `radix` is split into smaller ones: 2 for even ones, 3 for 9, else the radix itself.
constexpr int split_prime(int radix) { return radix % 2 == 0 ? 2 : radix % 3 == 0 ? 3 : radix; }

/// Of the radix/p evaluation points at which p parts are combined, how many need weights of their own; the others differ by a factor of -i.
constexpr int combined_points(int radix) { return radix % 4 == 0 ? radix / 4 : radix / split_prime(radix); }

/// Weights of a combination of p parts at one point.
constexpr int weights_per_point(int p) { return p == 2 ? 1 : 2 * (p / 2) * (p / 2 + 1); }

/// Weights of a whole butterfly, its parts first.
constexpr int weight_count(int radix) {
  const int p = split_prime(radix), rest = radix / p;
  return (rest > 1 ? p * weight_count(rest) : 0) + combined_points(radix) * weights_per_point(p);
}

/// Constants of a butterfly: tangents of inputs 1 .. radix - 1, then weights; or the twiddles of these inputs.
constexpr int constant_count(TwiddleForm form, int radix) { return form == TwiddleForm::products ? 2 * (radix - 1) : radix - 1 + weight_count(radix); }

}  // namespace shardfft::native
