// What real-to-real transforms do to rows of a tile: a row of reals holds one element of every pencil, and rows 2m and
// 2m + 1 are the complex row m. So nothing here ever mixes two pencils.
#pragma once

#include <vector>

#include "engine/memory_pencils.hpp"
#include "shardfft/box.hpp"

namespace shardfft::native {

/// Rows of reals, each with a factor.
template <class T>
struct RowFactors {
  std::vector<Index> rows{};
  std::vector<T> factors{};
};

/// Complex rows that become others, in place. A row alone: its two reals times a matrix of 2 x 2, stored line by line.
/// Two rows together: their four reals times one of 4 x 4 that has eight numbers, lines
///   p1 p2 p3 p4 | p2 -p1 -p4 p3 | q1 q2 q3 q4 | -q2 q1 q4 -q3,
/// or times its transpose.
template <class T>
struct RowMixes {
  std::vector<Index> alone{};
  std::vector<T> alone_by{};   ///< 4 of each
  std::vector<Index> pairs{};  ///< two rows of each
  std::vector<T> pairs_by{};   ///< 8 of each
  bool transposed = false;
  /// Which element of a pencil each of the reals is, 2 for each row alone, 4 for each pair; negative: none. Of those
  /// that are mixed, or of the results.
  std::vector<Index> alone_elements{}, pair_elements{};
};

/// Rows of reals that are copied: the i-th one is from_times from[i] + from_plus, and goes to to_times to[i] + to_plus.
/// Null: i itself.
struct RowCopies {
  const Index* from = nullptr;
  const Index* to = nullptr;
  Index count = 0;
  Index from_times = 1, from_plus = 0;
  Index to_times = 1, to_plus = 0;
};

/// The code for tiles of some width.
template <class T>
struct RowRoutines {
  int pencils = 1;
  void (*scale)(const RowFactors<T>&, T* x) = nullptr;
  void (*mix)(const RowMixes<T>&, T* x) = nullptr;
  void (*copy)(const RowCopies&, const T* from, T* to) = nullptr;
  /// mix() of rows that lie in memory, to memory: real, not complex as elsewhere. Null where there are no vectors.
  void (*mix_from)(const RowMixes<T>&, const RowSource& from, T* x) = nullptr;
  void (*mix_to)(const RowMixes<T>&, const T* x, const RowTarget& to) = nullptr;
};

/// Routines of this machine's best instruction set, for as many pencils as it has lanes.
template <class T>
const RowRoutines<T>& row_routines();
template <>
const RowRoutines<float>& row_routines<float>();
template <>
const RowRoutines<double>& row_routines<double>();

/// Routines for one pencil; each row is one number.
template <class T>
const RowRoutines<T>& number_routines();

}  // namespace shardfft::native
