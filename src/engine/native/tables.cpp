#include "engine/native/tables.hpp"

#include "engine/native/roots.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

namespace {

template <class T>
void append(std::vector<T>& table, Root w) {
  table.push_back(static_cast<T>(w.re));
  table.push_back(static_cast<T>(w.im));
}

/// Twiddles of a butterfly of length `radix` that is evaluated at theta^power: as combine() in butterfly-inl.h asks for them.
template <class T>
void append_twiddles(std::vector<T>& table, int radix, Index power, Index k, Index done, Index order) {
  const int p = split_prime(radix), rest = radix / p;
  if (rest > 1) append_twiddles(table, rest, power * p, k, done, order);
  for (int u = 0; u < combined_points(radix); ++u)
    for (int c = 1; c < p; ++c) append(table, root_of_unity(c * power * (k + u * done), order));
}

template <class T>
void append_matrix(std::vector<T>& table, int radix, int first, int width) {
  for (int j = 1; j <= radix / 2; ++j)
    for (int u = first; u < first + width; ++u) {
      const Root w = root_of_unity(u * j, radix);
      append(table, {w.re, -w.im});
    }
}

/// a b mod n for 0 <= a, b < n <= 2^41, without overflow: b in two halves
Index multiply_mod(Index a, Index b, Index n) {
  constexpr int half = 21;
  return ((a * (b >> half) % n << half) % n + a * (b & ((Index{1} << half) - 1)) % n) % n;
}

/// True when the powers of g reach all residues modulo the prime n.
bool is_generator(Index g, Index n) {
  Index power = g, count = 1;
  for (; power != 1; ++count) power = multiply_mod(power, g, n);
  return count == n - 1;
}

}  // namespace

template <class T>
std::vector<T> twiddle_table(int radix, Index done) {
  std::vector<T> table;
  const int per_butterfly = radix <= max_own_radix ? twiddle_count(radix) : radix - 1;
  table.reserve(static_cast<std::size_t>(2 * done * per_butterfly));
  for (Index k = 0; k < done; ++k) append_twiddles(table, radix, 1, k, done, radix * done);
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
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = root_of_unity(k, 2 * n);
    append(table, {w.im / 2, -w.re / 2});
  }
  return table;
}

template <class T>
std::vector<T> join_table(Index n) {
  std::vector<T> table;
  for (Index k = 1; 2 * k < n; ++k) {
    const Root w = root_of_unity(k, 2 * n);
    append(table, {w.im, w.re});
  }
  return table;
}

template <class T>
std::vector<T> chirp_table(Index n) {
  std::vector<T> table;
  for (Index k = 0; k < n; ++k) append(table, root_of_unity(multiply_mod(k, k, 2 * n), 2 * n));
  return table;
}

std::vector<Index> generator_powers(Index n) {
  Index g = 1;
  while (!is_generator(g, n)) ++g;
  std::vector<Index> powers{1};
  while (static_cast<Index>(powers.size()) < n - 1) powers.push_back(multiply_mod(powers.back(), g, n));
  return powers;
}

#define SHARDFFT_TABLES(T)                              \
  template std::vector<T> twiddle_table<T>(int, Index); \
  template std::vector<T> matrix_table<T>(int);         \
  template std::vector<T> split_table<T>(Index);        \
  template std::vector<T> join_table<T>(Index);         \
  template std::vector<T> chirp_table<T>(Index);
SHARDFFT_TABLES(float)
SHARDFFT_TABLES(double)
SHARDFFT_TABLES(long double)

}  // namespace shardfft::native
