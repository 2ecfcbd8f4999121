// Whole arrays on every rank, and boxes cut out of them as heFFTe's manual lays them out.
#pragma once

#include <gtest/gtest.h>
#include <heffte.h>

#include "support/oracles/naive.hpp"

namespace shardfft::testing {

using Box3 = heffte::box3d<>;
using Order = std::array<int, 3>;

[[nodiscard]] inline int world_size() { return heffte::mpi::comm_size(MPI_COMM_WORLD); }
[[nodiscard]] inline int world_rank() { return heffte::mpi::world_rank(); }

[[nodiscard]] inline Box3 world_of(const Shape& n) {
  return Box3({0, 0, 0}, {static_cast<int>(n[0]) - 1, static_cast<int>(n[1]) - 1, static_cast<int>(n[2]) - 1});
}

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

/// Calls visit(coordinates) for the elements of a box in the order of its memory.
template <class Visit>
void in_memory_order(const Box3& box, Visit visit) {
  const auto [fast, mid, slow] = box.order;
  Coord at = Coord::filled(3, 0);
  const auto low = [&](int d) { return box.low[static_cast<std::size_t>(d)]; };
  const auto high = [&](int d) { return box.high[static_cast<std::size_t>(d)]; };
  for (at[slow] = low(slow); at[slow] <= high(slow); ++at[slow])
    for (at[mid] = low(mid); at[mid] <= high(mid); ++at[mid])
      for (at[fast] = low(fast); at[fast] <= high(fast); ++at[fast]) visit(std::as_const(at));
}

/// The elements of a box, as T.
template <class T>
[[nodiscard]] std::vector<T> cut(const Whole& whole, const Box3& box) {
  std::vector<T> part;
  in_memory_order(box, [&](const Coord& at) {
    if constexpr (IsComplex<T>::value)
      part.push_back(static_cast<T>(whole.at(at)));
    else
      part.push_back(static_cast<T>(whole.at(at).real()));
  });
  return part;
}

[[nodiscard]] inline Whole transformed(Whole x, int sign = -1) {
  for (int axis = 0; axis < 3; ++axis) x = dft(x, axis, sign);
  return x;
}
[[nodiscard]] inline Whole times(Whole x, long double factor) {
  for (auto& value : x.values) value *= factor;
  return x;
}

template <class T>
void expect_near(const std::vector<T>& got, const std::vector<T>& right, const std::string& what) {
  ASSERT_EQ(got.size(), right.size()) << what;
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(right[i])));
    error = std::max(error, static_cast<double>(std::abs(got[i] - right[i])));
  }
  const double epsilon = std::numeric_limits<decltype(std::abs(T{}))>::epsilon();
  EXPECT_LE(error, 60 * epsilon * (largest + 1)) << what;
}

}  // namespace shardfft::testing
