// Views of every rank and layout.
#include "some_views.hpp"

namespace shardfft::testing {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

Shape shape_of_rank(int rank) {
  const Index n[] = {5, 4, 3, 2, 3, 2, 2, 3};
  return Coord(std::span<const Index>(n).first(static_cast<std::size_t>(rank)));
}

template <class Real, int rank, class Layout>
void there_and_back() {
  using Complex = ViewOf<Kokkos::complex<Real>, rank, Layout>;
  const Shape shape = shape_of_rank(rank);
  const Whole x = random_array(shape, true, 7);
  const auto in = view_of_shape<Complex>(shape), out = view_of_shape<Complex>(shape),
             again = view_of_shape<Complex>(shape);
  fill(in, x);
  std::vector<int> axes{rank - 1};
  if constexpr (rank == 1) {
    kokkos::fft(Host(), in, out);
    kokkos::ifft(Host(), out, again);
  } else {
    axes = {0, rank - 1};
    kokkos::fftn(Host(), in, out, kokkos::axis_type<2>{0, -1});
    kokkos::ifftn(Host(), out, again, kokkos::axis_type<2>{0, -1});
  }
  EXPECT_LT(distance(out, transformed(x, axes, -1)), rounding<Complex>) << "rank " << rank;
  EXPECT_LT(distance(again, x), rounding<Complex>) << "rank " << rank;
}

template <class Real, int rank, class Layout>
void reals_there_and_back() {
  using Reals = ViewOf<Real, rank, Layout>;
  using Complex = ViewOf<Kokkos::complex<Real>, rank, Layout>;
  const Shape shape = shape_of_rank(rank);
  const Whole x = random_array(shape, false, 8), wanted = half(dft(x, rank - 1, -1), rank - 1);
  const auto in = view_of_shape<Reals>(shape), again = view_of_shape<Reals>(shape);
  const auto out = view_of_shape<Complex>(wanted.shape);
  fill(in, x);
  kokkos::rfft(Host(), in, out);
  EXPECT_LT(distance(out, wanted), rounding<Complex>) << "rank " << rank;
  kokkos::irfft(Host(), out, again);
  EXPECT_LT(distance(again, x), rounding<Complex>) << "rank " << rank;
}

template <class Layout>
void all_ranks() {
  [&]<int... r>(std::integer_sequence<int, r...>) {
    (there_and_back<double, r + 1, Layout>(), ...);
    (reals_there_and_back<float, r + 1, Layout>(), ...);
  }(std::make_integer_sequence<int, 8>());
}

TEST(kokkos_ranks, ViewsOfRank1To8InLayoutRightAreTransformed) { all_ranks<LayoutRight>(); }
TEST(kokkos_ranks, ViewsOfRank1To8InLayoutLeftAreTransformed) { all_ranks<LayoutLeft>(); }
TEST(kokkos_ranks, ViewsOfRank1To8WithStridesAreTransformed) { all_ranks<LayoutStride>(); }

TEST(kokkos_ranks, InputAndOutputMayHaveDifferentLayouts) {
  const Whole x = random_array({4, 6, 5}, true, 9);
  const auto in = view_of_shape<ViewOf<Kokkos::complex<double>, 3, LayoutLeft>>(x.shape);
  const auto out = view_of_shape<ViewOf<Kokkos::complex<double>, 3, LayoutRight>>(x.shape);
  fill(in, x);
  kokkos::fftn(Host(), in, out);
  EXPECT_LT(distance(out, transformed(x, {0, 1, 2}, -1)), 1e-13);
}

TEST(kokkos_ranks, WhatLiesBetweenTheElementsOfAStridedViewIsLeftAlone) {
  Kokkos::View<Kokkos::complex<double>**> field("three of seven columns", 4, 7);
  Kokkos::deep_copy(field, Kokkos::complex<double>(9, 9));
  const auto part = Kokkos::subview(field, Kokkos::ALL, std::pair(2, 5));
  const Whole x = random_array({4, 3}, true, 10);
  fill(part, x);
  kokkos::fft(Host(), part, part, kokkos::Normalization::backward, 0);
  EXPECT_LT(distance(part, dft(x, 0, -1)), 1e-13);
  for (std::size_t i = 0; i < 4; ++i)
    for (const std::size_t j : {0, 1, 5, 6}) EXPECT_EQ(field(i, j), Kokkos::complex<double>(9, 9));
}

TEST(kokkos_ranks, ConstAndUnmanagedViewsAndThoseOfStdComplexAreTaken) {
  const Whole x = random_array({6, 5}, true, 11);
  std::vector<std::complex<double>> memory(30), result(30);
  const Kokkos::View<std::complex<double>**, LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> in(memory.data(),
                                                                                                         6, 5),
      out(result.data(), 6, 5);
  fill(in, x);
  const Kokkos::View<const std::complex<double>**, LayoutRight, Kokkos::HostSpace> reads = in;
  kokkos::fft2(Host(), reads, out);
  EXPECT_LT(distance(out, transformed(x, {0, 1}, -1)), 1e-13);
}

}  // namespace
}  // namespace shardfft::testing
