#include "engine/native/tables.hpp"

#include "engine/native/factors.hpp"
#include "engine/native/passes/butterfly_constants.hpp"
#include "engine/native/root_products.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

namespace {

template <class Table>
void append(Table& table, const Root& w) {
  using T = typename Table::value_type;
  table.push_back(static_cast<T>(w.re));
  table.push_back(static_cast<T>(w.im));
}

/// Twiddles of a butterfly of any odd radix, in the order of pass_any.
template <class T>
void append_twiddles(LargeVector<T>& table, Index radix, Index k, const Roots& roots) {
  for (Index j = 1; j <= radix / 2; ++j) {
    append(table, roots(j * k));
    append(table, roots((radix - j) * k));
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
LargeVector<T> twiddle_table(Index radix, Index done) {
  LargeVector<T> table;
  const Roots roots(radix * done);
  table.reserve(static_cast<std::size_t>(done * twiddle_count(radix)));
  for (Index k = 0; k < done; ++k)
    if (is_own_radix(radix))
      for (Index j = 1; j < radix; ++j) append(table, roots(j * k));
    else
      append_twiddles(table, radix, k, roots);
  return table;
}

template <class T>
LargeVector<T> plain_twiddles(Index radix, Index done) {
  LargeVector<T> table;
  const Roots roots(radix * done);
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
  const Roots roots(2 * n);
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = roots(k);
    append(table, {Fixed(1) + w.im, -w.re});
  }
  return table;
}

template <class T>
std::vector<T> join_table(Index n) {
  std::vector<T> table;
  const Roots roots(2 * n);
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = roots(k);
    append(table, {w.im, w.re});
  }
  return table;
}

template <class T>
std::vector<T> chirp_table(Index n, int turns, Index length) {
  std::vector<T> table;
  const Roots chirps(2 * n), roots(length);
  for (Index k = 0; k < n; ++k) {
    append(table, chirps(multiply_mod(k, k, 2 * n)) * roots((turns * k % length + length) % length));
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

std::vector<Fixed> rader_response(const std::vector<Index>& powers, Index n) {
  std::vector<Fixed> response;
  const Roots roots(n);
  append(response, roots(powers[0]));
  for (std::size_t q = powers.size() - 1; q > 0; --q) append(response, roots(powers[q]));
  return response;
}

std::vector<Fixed> bluestein_response(Index n, Index inner) {
  std::vector<Fixed> response(static_cast<std::size_t>(2 * inner));
  const Roots roots(2 * n);
  for (Index k = 0; k < n; ++k) {
    const Root chirp = roots(multiply_mod(k, k, 2 * n));
    for (const Index at : {k, (inner - k) % inner}) {
      response[static_cast<std::size_t>(2 * at)] = chirp.re;
      response[static_cast<std::size_t>(2 * at + 1)] = -chirp.im;
    }
  }
  return response;
}

#define SHARDFFT_TABLES(T)                                 \
  template LargeVector<T> twiddle_table<T>(Index, Index);  \
  template LargeVector<T> plain_twiddles<T>(Index, Index); \
  template std::vector<T> matrix_table<T>(int);            \
  template std::vector<T> split_table<T>(Index);           \
  template std::vector<T> join_table<T>(Index);            \
  template std::vector<T> chirp_table<T>(Index, int, Index);
SHARDFFT_TABLES(float)
SHARDFFT_TABLES(double)
SHARDFFT_TABLES(Fixed)

}  // namespace shardfft::native
