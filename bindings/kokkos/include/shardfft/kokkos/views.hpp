// What Kokkos::Views and execution spaces say of themselves, as plans want to know it.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "shardfft/box.hpp"
#include "shardfft/options.hpp"
#include "shardfft/strided.hpp"
#include "shardfft/view.hpp"

namespace shardfft::kokkos {

/// float, double, Kokkos::complex or std::complex of them, or none of these (size 0).
template <class T>
struct Number : ScalarOf<T> {
  using Real = T;
};
template <class T>
struct Number<std::complex<T>> : ScalarOf<std::complex<T>> {
  using Real = T;
};
template <class T>
struct Number<Kokkos::complex<T>> : ScalarOf<std::complex<T>> {
  using Real = T;
};
template <class V>
using number_of = Number<typename V::non_const_value_type>;

/// Axes of a View: a value in Kokkos 3, a function in later ones.
template <class V>
inline constexpr int rank_of = [] {
  if constexpr (requires { V::rank(); })
    return static_cast<int>(V::rank());
  else
    return static_cast<int>(V::rank);
}();

/// Views of the same numbers, rank and kind of layout, const or not, whoever owns their memory.
template <class A, class B>
inline constexpr bool are_alike =
    std::is_same_v<typename A::non_const_value_type, typename B::non_const_value_type> && rank_of<A> == rank_of<B> &&
    std::is_same_v<typename A::array_layout, typename B::array_layout>;

template <class Exec>
inline constexpr bool is_cuda = requires(const Exec& exec) { exec.cuda_stream(); };
template <class Exec>
inline constexpr bool is_hip = requires(const Exec& exec) { exec.hip_stream(); };
/// Execution spaces of the host: their memory is the host's.
template <class Exec>
inline constexpr bool is_host = !is_cuda<Exec> && !is_hip<Exec> &&
                                Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

template <class Exec, class V>
inline constexpr bool can_reach = Kokkos::SpaceAccessibility<Exec, typename V::memory_space>::accessible;

/// Fails to compile, and says why, unless both are Views that a transform in this execution space takes.
template <class Exec, class In, class Out>
constexpr void require_views() {
  static_assert(Kokkos::is_view<In>::value && Kokkos::is_view<Out>::value, "shardfft: input and output are Views");
  static_assert(number_of<In>::size != 0 && number_of<Out>::size != 0,
                "shardfft: a View holds float, double, or Kokkos::complex or std::complex of them");
  static_assert(number_of<In>::size == number_of<Out>::size,
                "shardfft: input and output are both of float or both of double");
  static_assert(number_of<In>::complex || number_of<Out>::complex, "shardfft: one of both Views is complex");
  static_assert(rank_of<In> == rank_of<Out>, "shardfft: input and output have the same rank");
  static_assert(rank_of<In> >= 1 && rank_of<In> <= max_dims, "shardfft: Views have rank 1 to 8");
  static_assert(!std::is_const_v<typename Out::value_type>, "shardfft: the output is not const");
  static_assert(is_cuda<Exec> || is_hip<Exec> || is_host<Exec>,
                "shardfft: execution spaces are those of the host, Cuda and HIP");
  static_assert(can_reach<Exec, In> && can_reach<Exec, Out>,
                "shardfft: the execution space reaches the memory of both Views");
}

/// Extents and strides.
template <class V>
[[nodiscard]] Strided strided(const V& view) {
  Coord extents = Coord::filled(rank_of<V>, 1), strides = extents;
  for (int a = 0; a < rank_of<V>; ++a) {
    extents[a] = static_cast<Index>(view.extent(static_cast<std::size_t>(a)));
    strides[a] = static_cast<Index>(view.stride(static_cast<std::size_t>(a)));
  }
  return {extents, strides};
}

/// Memory order of the axes, slowest first: of LayoutRight and LayoutLeft the same on every rank.
template <class V>
[[nodiscard]] std::vector<int> order_of(const Strided& lies) {
  using Layout = typename V::array_layout;
  std::vector<int> order = Strided(lies.extents, Coord::filled(rank_of<V>, 1)).order();
  if (std::is_same_v<Layout, Kokkos::LayoutLeft>)
    std::reverse(order.begin(), order.end());
  else if (!std::is_same_v<Layout, Kokkos::LayoutRight>)
    order = lies.order();
  return order;
}

/// A View's memory, for calls of shardfft::Plan.
template <class V>
[[nodiscard]] View view_of(const V& view) {
  View memory(view.data(), static_cast<std::size_t>(strided(view).span()) * sizeof(typename V::value_type));
  memory.scalar = number_of<V>::size;
  memory.complex = number_of<V>::complex;
  if (std::is_same_v<typename V::memory_space, Kokkos::HostSpace>) memory.space = Space::host;
  return memory;
}

/// A plan runs where `exec` does: as many threads, or its device in the order of its stream.
template <class Exec>
void follow(const Exec& exec, Options& options) {
  if constexpr (is_cuda<Exec>) {
    options.device = "cuda:" + std::to_string(exec.cuda_device());
    options.queue = exec.cuda_stream();
  } else if constexpr (is_hip<Exec>) {
    options.device = "hip:" + std::to_string(exec.hip_device());
    options.queue = exec.hip_stream();
  } else if (options.threads == 0) {
    options.threads = exec.concurrency();
  }
}

}  // namespace shardfft::kokkos
