// The tables of the steps: exact roots, rounded once.
#pragma once

#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::native {

/// Twiddles of a pass in the order of its butterflies: for k < done, those of theta = exp(-2 pi i k / (radix done)).
template <class T>
[[nodiscard]] std::vector<T> twiddle_table(int radix, Index done);

/// Cosines and sines of a pass of any odd radix, in the order in which it sums up its outputs: four at a time, then one.
template <class T>
[[nodiscard]] std::vector<T> matrix_table(int radix);

/// -i w^k / 2 for 1 <= k < n/2, w = exp(-2 pi i / 2n)
template <class T>
[[nodiscard]] std::vector<T> split_table(Index n);

/// i conj(w^k) for 1 <= k < n/2
template <class T>
[[nodiscard]] std::vector<T> join_table(Index n);

/// exp(-i pi k^2 / n) for k < n
template <class T>
[[nodiscard]] std::vector<T> chirp_table(Index n);

/// g^q mod n for q < n - 1 and the smallest generator g of the residues modulo the prime n
[[nodiscard]] std::vector<Index> generator_powers(Index n);

}  // namespace shardfft::native
