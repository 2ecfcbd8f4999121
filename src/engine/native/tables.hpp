// The tables of the steps: exact roots, rounded once.
#pragma once

#include <vector>

#include "shardfft/box.hpp"
#include "support/fixed.hpp"
#include "support/memory/large_vector.hpp"

namespace shardfft::native {

/// Twiddles of a pass in the order of its butterflies, k < done: theta^j, 1 <= j < radix, theta = exp(-2 pi i k /
/// (radix done)); for radices without a butterfly of their own, in the order of pass_any.
template <class T>
[[nodiscard]] LargeVector<T> twiddle_table(Index radix, Index done);

/// theta^j for k < done and j < radix
template <class T>
[[nodiscard]] LargeVector<T> plain_twiddles(Index radix, Index done);

/// Cosines and sines of a pass of any odd radix, in the order in which it sums up its outputs: four at a time, then
/// one.
template <class T>
[[nodiscard]] std::vector<T> matrix_table(int radix);

/// 1 - i w^k for 1 <= k < n/2, w = exp(-2 pi i / 2n)
template <class T>
[[nodiscard]] std::vector<T> split_table(Index n);

/// i conj(w^k) for 1 <= k < n/2
template <class T>
[[nodiscard]] std::vector<T> join_table(Index n);

/// exp(-i pi k^2 / n) exp(-2 pi i turns k / length) for k < n
template <class T>
[[nodiscard]] std::vector<T> chirp_table(Index n, int turns, Index length);

/// g^q mod n for q < n - 1 and the smallest generator g of the residues modulo the prime n
[[nodiscard]] std::vector<Index> generator_powers(Index n);

/// What Rader's algorithm convolves with, re, im pairs: w^{g^-q} for q < n - 1, w = exp(-2 pi i / n), from the powers
/// of g
[[nodiscard]] std::vector<Fixed> rader_response(const std::vector<Index>& powers, Index n);

/// What Bluestein's algorithm convolves with: exp(i pi k^2 / n) for -n < k < n, wrapped around to `inner` elements
[[nodiscard]] std::vector<Fixed> bluestein_response(Index n, Index inner);

}  // namespace shardfft::native
