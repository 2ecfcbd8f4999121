#include "engine/native/tables.hpp"

#include <array>
#include <limits>

#include "engine/native/root_products.hpp"
#include "engine/native/step.hpp"
#include "engine/native/weights.hpp"

namespace shardfft::native {

namespace {

template <class Table>
void append(Table& table, const Root& w) {
  using T = typename Table::value_type;
  table.push_back(static_cast<T>(w.re));
  table.push_back(static_cast<T>(w.im));
}

/// Below it a cosine is replaced by it: small enough to be lost in rounding, not so small that the tangent is far from the numbers of T.
template <class T>
constexpr long double least_cosine = [] {
  long double x = 1;
  for (int i = 0; i < std::numeric_limits<T>::digits + 6; ++i) x /= 2;
  return x;
}();

/// Cosine of a twiddle, never zero.
template <class T>
long double cosine(Root w) {
  return w.re > -least_cosine<T> && w.re < least_cosine<T> ? least_cosine<T> : w.re;
}

/// The weights of the part of a butterfly that begins at `weights`, has `radix` inputs, `apart` from one another: in the order of Butterfly::run. Returns the end of what was written.
template <class T, int p>
T* put_combinations(T* to, int radix, const long double* weights, int apart) {
  std::array<long double, p> quotients{1};
  for (int c = 1; c < p; ++c) quotients[static_cast<std::size_t>(c)] = weights[c * apart] / weights[0];
  for (int u = 0; u < combined_points(radix); ++u) {
    auto own = quotients;
    if (u > 0) {  // at 0 all are 1
      const auto point = point_weights<p>(radix, u);
      for (std::size_t c = 1; c < p; ++c) own[c] *= point[c];
    }
    if constexpr (p == 2)
      *to++ = static_cast<T>(own[1]);
    else
      put_odd_weights<p>(own, [&](long double x) { *to++ = static_cast<T>(x); });
  }
  return to;
}

template <class T>
T* put_weights(T* to, int radix, const long double* weights, int apart) {
  const int p = split_prime(radix);
  if (radix > p)
    for (int c = 0; c < p; ++c) to = put_weights(to, radix / p, weights + c * apart, p * apart);
  switch (p) {
    case 2: return put_combinations<T, 2>(to, radix, weights, apart);
    case 3: return put_combinations<T, 3>(to, radix, weights, apart);
    case 5: return put_combinations<T, 5>(to, radix, weights, apart);
    case 7: return put_combinations<T, 7>(to, radix, weights, apart);
    case 11: return put_combinations<T, 11>(to, radix, weights, apart);
    default: return put_combinations<T, 13>(to, radix, weights, apart);
  }
}

/// Of a butterfly with its own code, at theta = exp(-2 pi i k / n).
template <class T>
T* put_constants(T* to, int radix, Index k, const Roots<T>& roots, TwiddleForm form) {
  std::array<long double, max_own_radix> weights{1};
  for (int j = 1; j < radix; ++j) {
    const Root w = roots(j * k);
    if (form == TwiddleForm::products) {
      *to++ = static_cast<T>(w.re);
      *to++ = static_cast<T>(w.im);
    } else {
      weights[static_cast<std::size_t>(j)] = cosine<T>(w);
      *to++ = static_cast<T>(w.im / cosine<T>(w));
    }
  }
  return form == TwiddleForm::products ? to : put_weights(to, radix, weights.data(), 1);
}

/// Of a butterfly of any odd radix: as pass_any asks for them.
template <class T>
void append_twiddles(LargeVector<T>& table, Index radix, Index k, const Roots<T>& roots) {
  for (Index j = 1; j <= radix / 2; ++j) {
    const Root w = roots((radix - j) * k);
    append(table, roots(j * k));
    append(table, {w.im / cosine<T>(w), cosine<T>(w)});
  }
}

template <class T>
void append_matrix(std::vector<T>& table, int radix, int first, int width) {
  for (int j = 1; j <= radix / 2; ++j)
    for (int u = first; u < first + width; ++u) {
      const Root w = root_of_unity(u * j, radix);
      append(table, {w.re, -w.im});
    }
}

Index power_mod(Index a, Index exponent, Index n) {
  Index power = 1;
  for (; exponent > 0; exponent /= 2, a = multiply_mod(a, a, n))
    if (exponent % 2 == 1) power = multiply_mod(power, a, n);
  return power;
}

/// True when the powers of g reach all residues modulo the prime n: when none of the powers (n-1)/q, q prime, is 1.
bool is_generator(Index g, Index n) {
  Index rest = n - 1;
  for (Index q = 2; q * q <= rest; ++q) {
    if (rest % q != 0) continue;
    if (power_mod(g, (n - 1) / q, n) == 1) return false;
    while (rest % q == 0) rest /= q;
  }
  return rest == 1 || power_mod(g, (n - 1) / rest, n) != 1;
}

}  // namespace

template <class T>
LargeVector<T> twiddle_table(Index radix, Index done, TwiddleForm form) {
  LargeVector<T> table;
  const Roots<T> roots(radix * done);
  if (radix <= max_own_radix) {
    table.resize(static_cast<std::size_t>(done * constant_count(form, static_cast<int>(radix))));
    T* to = table.data();
    for (Index k = 0; k < done; ++k) to = put_constants(to, static_cast<int>(radix), k, roots, form);
  } else {
    table.reserve(static_cast<std::size_t>(done * 2 * (radix - 1)));
    for (Index k = 0; k < done; ++k) append_twiddles(table, radix, k, roots);
  }
  return table;
}

template <class T>
LargeVector<T> plain_twiddles(Index radix, Index done) {
  LargeVector<T> table;
  const Roots<T> roots(radix * done);
  for (Index k = 0; k < done; ++k)
    for (Index j = 0; j < radix; ++j) append(table, roots(j * k));
  return table;
}

template <class T>
std::vector<T> matrix_table(int radix) {
  std::vector<T> table;
  int u = 1;
  for (; u + 3 <= radix / 2; u += 4) append_matrix(table, radix, u, 4);
  for (; u <= radix / 2; ++u) append_matrix(table, radix, u, 1);
  return table;
}

template <class T>
std::vector<T> split_table(Index n) {
  std::vector<T> table;
  const Roots<T> roots(2 * n);
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = roots(k);
    append(table, {w.im / 2, -w.re / 2});
  }
  return table;
}

template <class T>
std::vector<T> join_table(Index n) {
  std::vector<T> table;
  const Roots<T> roots(2 * n);
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = roots(k);
    append(table, {w.im, w.re});
  }
  return table;
}

template <class T>
std::vector<T> chirp_table(Index n, int turns, Index length) {
  std::vector<T> table;
  const Roots<T> chirps(2 * n), roots(length);
  for (Index k = 0; k < n; ++k) {
    const Root c = chirps(multiply_mod(k, k, 2 * n)), w = roots((turns * k % length + length) % length);
    append(table, {c.re * w.re - c.im * w.im, c.re * w.im + c.im * w.re});
  }
  return table;
}

std::vector<Index> generator_powers(Index n) {
  Index g = 1;
  while (!is_generator(g, n)) ++g;
  std::vector<Index> powers{1};
  while (static_cast<Index>(powers.size()) < n - 1) powers.push_back(multiply_mod(powers.back(), g, n));
  return powers;
}

std::vector<long double> rader_response(const std::vector<Index>& powers, Index n) {
  std::vector<long double> response;
  const Roots<double> roots(n);
  append(response, roots(powers[0]));
  for (std::size_t q = powers.size() - 1; q > 0; --q) append(response, roots(powers[q]));
  return response;
}

std::vector<long double> bluestein_response(Index n, Index inner) {
  std::vector<long double> response(static_cast<std::size_t>(2 * inner));
  const Roots<double> roots(2 * n);
  for (Index k = 0; k < n; ++k) {
    const Root chirp = roots(multiply_mod(k, k, 2 * n));
    for (const Index at : {k, (inner - k) % inner}) {
      response[static_cast<std::size_t>(2 * at)] = chirp.re;
      response[static_cast<std::size_t>(2 * at + 1)] = -chirp.im;
    }
  }
  return response;
}

#define SHARDFFT_TABLES(T)                                             \
  template LargeVector<T> twiddle_table<T>(Index, Index, TwiddleForm); \
  template LargeVector<T> plain_twiddles<T>(Index, Index);             \
  template std::vector<T> matrix_table<T>(int);                        \
  template std::vector<T> split_table<T>(Index);                       \
  template std::vector<T> join_table<T>(Index);                        \
  template std::vector<T> chirp_table<T>(Index, int, Index);
SHARDFFT_TABLES(float)
SHARDFFT_TABLES(double)
SHARDFFT_TABLES(long double)

}  // namespace shardfft::native
