// Views of any rank and layout, filled from small whole arrays and compared with them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "shardfft/kokkos.hpp"
#include "support/oracles/naive.hpp"

namespace shardfft::testing {

/// Kokkos lives as long as the tests do.
class KokkosLife final : public ::testing::Environment {
  void SetUp() override { Kokkos::initialize(); }
  void TearDown() override { Kokkos::finalize(); }
};
[[maybe_unused]] inline ::testing::Environment* const kokkos_life =
    ::testing::AddGlobalTestEnvironment(new KokkosLife);  // GoogleTest owns it

using Host = Kokkos::DefaultHostExecutionSpace;

template <class T, int rank>
struct Pointers {
  using type = typename Pointers<T, rank - 1>::type*;
};
template <class T>
struct Pointers<T, 0> {
  using type = T;
};
template <class T, int rank, class Layout>
using ViewOf = Kokkos::View<typename Pointers<T, rank>::type, Layout, Kokkos::HostSpace>;

/// A View of these extents. LayoutStride: axis 0 is the fastest, the last one the slowest but one, with a gap behind
/// each row.
template <class V>
[[nodiscard]] V view_of_shape(const Shape& shape) {
  typename V::array_layout layout;
  for (int a = 0; a < shape.dims(); ++a) layout.dimension[a] = static_cast<std::size_t>(shape[a]);
  if constexpr (std::is_same_v<typename V::array_layout, Kokkos::LayoutStride>) {
    std::size_t stride = 1;
    for (int a = 0; a < shape.dims(); ++a) {
      const int axis = a == 0 || shape.dims() < 3 ? a : (a + 1 < shape.dims() ? a + 1 : 1);
      layout.stride[axis] = stride;
      stride = stride * layout.dimension[axis] + 1;
    }
  }
  return V("view", layout);
}

template <class V>
[[nodiscard]] auto& element(const V& view, const Coord& at) {
  return [&]<std::size_t... axis>(std::index_sequence<axis...>) -> auto& {
    return view(static_cast<std::size_t>(at[static_cast<int>(axis)])...);
  }(std::make_index_sequence<static_cast<std::size_t>(kokkos::rank_of<V>)>());
}

template <class T>
[[nodiscard]] Reference as_reference(const T& value) {
  if constexpr (kokkos::Number<T>::complex)
    return {static_cast<long double>(value.real()), static_cast<long double>(value.imag())};
  else
    return static_cast<long double>(value);
}

/// Box `part` of `whole` into a View of its extents.
template <class V>
void fill(const V& view, const Whole& whole, const Box& part) {
  using T = typename V::non_const_value_type;
  using Real = typename kokkos::Number<T>::Real;
  for_each(part, [&](const Coord& at) {
    Coord local = at;
    for (int a = 0; a < at.dims(); ++a) local[a] -= part.lo[a];
    const Reference value = whole.at(at);
    if constexpr (kokkos::Number<T>::complex)
      element(view, local) = T(static_cast<Real>(value.real()), static_cast<Real>(value.imag()));
    else
      element(view, local) = static_cast<Real>(value.real());
  });
}
template <class V>
void fill(const V& view, const Whole& whole) {
  fill(view, whole, shardfft::whole(whole.shape));
}

/// Norm of the difference between a View and box `part`, relative to the norm of all of `wanted`.
template <class V>
[[nodiscard]] double distance(const V& view, const Whole& wanted, const Box& part) {
  long double difference = 0, all = 0;
  for (const Reference& value : wanted.values) all += std::norm(value);
  for_each(part, [&](const Coord& at) {
    Coord local = at;
    for (int a = 0; a < at.dims(); ++a) local[a] -= part.lo[a];
    difference += std::norm(as_reference(element(view, local)) - wanted.at(at));
  });
  return static_cast<double>(std::sqrt(difference / all));
}
template <class V>
[[nodiscard]] double distance(const V& view, const Whole& wanted) {
  return distance(view, wanted, shardfft::whole(wanted.shape));
}

/// What may be lost to rounding.
template <class V>
inline constexpr double rounding = kokkos::number_of<V>::size == sizeof(float) ? 1e-5 : 1e-13;

[[nodiscard]] inline Whole transformed(Whole x, const std::vector<int>& axes, int sign) {
  for (const int axis : axes) x = dft(x, axis, sign);
  return x;
}
[[nodiscard]] inline Whole times(Whole x, long double scale) {
  for (Reference& value : x.values) value *= scale;
  return x;
}

}  // namespace shardfft::testing
