// Arrays with strides: std::mdspan, and whatever says of itself what mdspan says. <mdspan> is not included.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/options.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// Rank, extents, strides and a pointer. float, double or std::complex of them, const or not; 1 to 8 axes.
template <class M>
concept Mdspan = requires(const M& m, std::size_t axis) {
  typename M::element_type;
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.extents().extent(axis) } -> std::convertible_to<Index>;
  { m.mapping().stride(axis) } -> std::convertible_to<Index>;
  { m.data_handle() } -> std::convertible_to<const void*>;
} && ScalarOf<std::remove_cv_t<typename M::element_type>>::size != 0;

/// How an array lies: extents, and elements from one index to the next along each axis.
struct Strided {
  Shape extents{};
  Coord strides{};

  Strided() = default;
  /// The stride of an axis of one element is never used; it becomes 1, for places have positive ones.
  Strided(const Shape& shape, const Coord& steps) : extents(shape), strides(steps) {
    for (int a = 0; a < extents.dims(); ++a)
      if (extents[a] <= 1) strides[a] = std::max<Index>(strides[a], 1);
  }
  template <Mdspan M>
  explicit Strided(const M& m) : Strided(axes_of<M>(), axes_of<M>()) {
    for (int a = 0; a < extents.dims(); ++a) {
      const auto axis = static_cast<std::size_t>(a);
      extents[a] = static_cast<Index>(m.extents().extent(axis));
      strides[a] = static_cast<Index>(m.mapping().stride(axis));
    }
    *this = Strided(extents, strides);
  }

  [[nodiscard]] Index count() const { return product(extents); }
  /// Elements from the first to one behind the last; 0 without elements.
  [[nodiscard]] Index span() const {
    Index last = 0;
    for (int a = 0; a < extents.dims(); ++a) last += (extents[a] - 1) * strides[a];
    return count() == 0 ? 0 : last + 1;
  }
  /// Memory order: the axis with the largest stride first, equal ones as they are numbered.
  [[nodiscard]] std::vector<int> order() const {
    std::vector<int> axes(static_cast<std::size_t>(extents.dims()));
    std::iota(axes.begin(), axes.end(), 0);
    std::sort(axes.begin(), axes.end(),
              [&](int a, int b) { return strides[a] != strides[b] ? strides[a] > strides[b] : a < b; });
    return axes;
  }
  /// Whether the elements lie one after the other in this order of axes.
  [[nodiscard]] bool is_dense(const std::vector<int>& slowest_first) const {
    Index next = 1;
    for (auto axis = slowest_first.rbegin(); axis != slowest_first.rend(); next *= extents[*axis++])
      if (extents[*axis] > 1 && strides[*axis] != next) return false;
    return true;
  }
  /// For Options::input_memory and output_memory: none where there are no elements.
  [[nodiscard]] std::vector<Placement> places() const {
    if (count() == 0) return {};
    return {Placement{.offset = 0, .strides = strides}};
  }
  friend bool operator==(const Strided&, const Strided&) = default;

 private:
  template <class M>
  static Coord axes_of() {
    static_assert(M::rank() >= 1 && M::rank() <= max_dims, "shardfft: arrays have 1 to 8 axes");
    return Coord::filled(static_cast<int>(M::rank()), 1);
  }
};

/// The memory of an mdspan, from its first element to its last. A plan knows its strides only from
/// Options::input_memory or output_memory, which Strided(m).places() gives.
template <Mdspan M>
[[nodiscard]] View view_of(const M& m) {
  using Element = std::remove_cv_t<typename M::element_type>;
  View view(m.data_handle(), static_cast<std::size_t>(Strided(m).span()) * sizeof(Element));
  view.scalar = ScalarOf<Element>::size;
  view.complex = ScalarOf<Element>::complex;
  return view;
}

}  // namespace shardfft
