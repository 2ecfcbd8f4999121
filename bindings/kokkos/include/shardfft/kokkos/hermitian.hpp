// What hfft and ihfft do beside irfft and rfft, in one pass over the output.
#pragma once

#include <Kokkos_Core.hpp>
#include <array>

#include "shardfft/kokkos/views.hpp"

namespace shardfft::kokkos {

/// A View's elements by one number, a part of them along one axis; copied to devices.
template <class T>
struct Elements {
  T* data = nullptr;
  Index extents[max_dims]{}, strides[max_dims]{};
  int rank = 0;

  template <class V>
  Elements(const V& view, int axis, Index along_axis) : data(view.data()), rank(rank_of<V>) {
    for (int a = 0; a < rank; ++a) {
      extents[a] = a == axis ? along_axis : static_cast<Index>(view.extent(static_cast<std::size_t>(a)));
      strides[a] = static_cast<Index>(view.stride(static_cast<std::size_t>(a)));
    }
  }
  [[nodiscard]] Index count() const {
    Index n = 1;
    for (int a = 0; a < rank; ++a) n *= extents[a];
    return n;
  }
  /// Offset of element i; `place` becomes its index along `axis`.
  KOKKOS_INLINE_FUNCTION Index offset(Index i, int axis, Index& place) const {
    Index at = 0;
    for (int a = rank - 1; a >= 0; --a) {
      const Index index = i % extents[a];
      i /= extents[a];
      at += index * strides[a];
      if (a == axis) place = index;
    }
    return at;
  }
};

/// x[k] and x[n - k] change places along `axis`: what a transform gives whose exponent has the other sign.
template <class T>
struct Reverse {
  Elements<T> elements;
  int axis;
  Index n;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    Index before = 0;  // elements of the first half begin at 1
    const Index at = elements.offset(i, axis, before), step = elements.strides[axis], k = before + 1;
    T &one = elements.data[at + step], &other = elements.data[at + (n - k - before) * step];
    const T kept = one;
    one = other;
    other = kept;
  }
};

template <class T>
struct Conjugate {
  Elements<T> elements;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    Index unused = 0;
    using Real = typename Number<T>::Real;
    Real* parts = reinterpret_cast<Real*>(elements.data + elements.offset(i, -1, unused));
    parts[1] = -parts[1];
  }
};

template <class Exec, class Functor>
void for_each_index(const Exec& exec, const char* label, Index count, const Functor& functor) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count), functor);
  if constexpr (is_host<Exec>) exec.fence();
}

template <class Exec, class V>
void reverse_along(const Exec& exec, const V& view, int axis) {
  using T = typename V::non_const_value_type;
  const Index n = static_cast<Index>(view.extent(static_cast<std::size_t>(axis)));
  const Elements<T> first_half(view, axis, (n - 1) / 2);
  for_each_index(exec, "shardfft reverse", first_half.count(), Reverse<T>{first_half, axis, n});
}

template <class Exec, class V>
void conjugate(const Exec& exec, const V& view) {
  using T = typename V::non_const_value_type;
  const Elements<T> all(view, -1, 0);
  for_each_index(exec, "shardfft conjugate", all.count(), Conjugate<T>{all});
}

}  // namespace shardfft::kokkos
