// numpy.fft on Views: norms, lengths, Hermitian signals, real transforms over several axes, errors.
#include "some_views.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using kokkos::Normalization;
using Real2 = Kokkos::View<double**, Kokkos::HostSpace>;
using Real3 = Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Complex1 = Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace>;
using Complex2 = Kokkos::View<Kokkos::complex<double>**, Kokkos::HostSpace>;
using Complex3 = Kokkos::View<Kokkos::complex<double>***, Kokkos::LayoutLeft, Kokkos::HostSpace>;

TEST(kokkos_functions, DivideTheDirectionThatNormNames) {
  const Whole x = random_array({6, 4}, true, 1);
  const Complex2 in("in", 6, 4), out("out", 6, 4);
  fill(in, x);
  const struct {
    Normalization norm;
    long double forward, backward;
  } norms[] = {{Normalization::forward, 24, 1},
               {Normalization::backward, 1, 24},
               {Normalization::ortho, std::sqrt(24.0L), std::sqrt(24.0L)},
               {Normalization::none, 1, 1}};
  for (const auto& [norm, forward, backward] : norms) {
    kokkos::fft2(Host(), in, out, norm);
    EXPECT_LT(distance(out, times(transformed(x, {0, 1}, -1), 1 / forward)), 1e-13);
    kokkos::ifftn(Host(), in, out, kokkos::axis_type<2>{0, 1}, norm);
    EXPECT_LT(distance(out, times(transformed(x, {0, 1}, 1), 1 / backward)), 1e-13);
  }
}

TEST(kokkos_functions, HalveTheLastOfTheAxesOfReals) {
  const Whole x = random_array({5, 6, 7}, false, 2);
  const Real3 in("in", 5, 6, 7), again("again", 5, 6, 7);
  fill(in, x);
  const Whole last_is_0 = half(transformed(x, {2, 0}, -1), 0), last_is_2 = half(transformed(x, {0, 1, 2}, -1), 2);
  const Complex3 out_0("out", 3, 6, 7), out_2("out", 5, 6, 4);
  kokkos::rfft2(Host(), in, out_0, Normalization::backward, {2, 0});
  EXPECT_LT(distance(out_0, last_is_0), 1e-13);
  kokkos::irfft2(Host(), out_0, again, Normalization::backward, {2, 0});
  EXPECT_LT(distance(again, x), 1e-13);
  kokkos::rfftn(Host(), in, out_2);
  EXPECT_LT(distance(out_2, last_is_2), 1e-13);
  kokkos::irfftn(Host(), out_2, again);
  EXPECT_LT(distance(again, x), 1e-13);
}

TEST(kokkos_functions, OfHermitianSignalsHaveTheOtherSign) {
  for (const Index n : {6, 7})
    for (const Normalization norm : {Normalization::backward, Normalization::forward, Normalization::ortho}) {
      const Whole x = random_array({n / 2 + 1, 3}, true, 3), all = complete_hermitian(x, 0, n);
      const long double scale = norm == Normalization::forward ? 1.0L / static_cast<long double>(n)
                                : norm == Normalization::ortho ? 1 / std::sqrt(static_cast<long double>(n))
                                                               : 1;
      const auto in = view_of_shape<Complex2>(x.shape), again = view_of_shape<Complex2>(x.shape);
      const auto out = view_of_shape<Real2>({n, 3});
      fill(in, x);
      kokkos::hfft(Host(), in, out, norm, 0);
      EXPECT_LT(distance(out, times(dft(all, 0, -1), scale)), 1e-13) << n;
      kokkos::ihfft(Host(), out, again, norm, 0);
      EXPECT_LT(distance(again, half(all, 0)), 1e-13) << n;
    }
}

TEST(kokkos_functions, CutOffTheInputOrContinueItByZeros) {
  const Whole x = random_array({6, 5}, true, 4), reals = random_array({6, 5}, false, 5);
  const Complex2 in("in", 6, 5);
  fill(in, x);
  for (const Index n : {4, 9}) {
    const Whole same = first_points(x, 0, n);  // cut off, or continued by zeros
    const auto out = view_of_shape<Complex2>({n, 5});
    kokkos::fft(Host(), in, out, Normalization::backward, 0, static_cast<std::size_t>(n));
    EXPECT_LT(distance(out, dft(same, 0, -1)), 1e-13) << n;
  }
  const Complex2 shorter("out", 4, 5);
  kokkos::ifft(Host(), in, shorter, Normalization::none, 0, 4);
  EXPECT_LT(distance(shorter, dft(first_points(x, 0, 4), 0, 1)), 1e-13);

  const Real2 real_in("in", 6, 5);
  fill(real_in, reals);
  const Complex2 both("out", 8, 3);
  kokkos::rfftn(Host(), real_in, both, kokkos::axis_type<2>{0, 1}, Normalization::backward, {8, 4});
  EXPECT_LT(distance(both, half(transformed(first_points(first_points(reals, 0, 8), 1, 4), {0, 1}, -1), 1)), 1e-13);
}

TEST(kokkos_functions, ContinueAHalfSpectrumByZeros) {
  const Whole x = random_array({4, 3}, true, 6);
  for (const Index n : {9, 10}) {
    const auto in = view_of_shape<Complex2>(x.shape);
    const auto out = view_of_shape<Real2>({4, n});
    fill(in, x);
    kokkos::irfft(Host(), in, out, Normalization::none, -1, static_cast<std::size_t>(n));
    const Whole all = complete_hermitian(first_points(x, 1, n / 2 + 1), 1, n);
    EXPECT_LT(distance(out, dft(all, 1, 1)), 1e-13) << n;
  }
}

TEST(kokkos_functions, TransformInPlace) {
  const Whole x = random_array({6, 4}, true, 7), reals = random_array({6, 5}, false, 8);
  const Complex2 same("same", 6, 4), rows("rows", 6, 3);
  fill(same, x);
  kokkos::fft2(Host(), same, same);
  EXPECT_LT(distance(same, transformed(x, {0, 1}, -1)), 1e-13);
  // Rows of 5 reals lie where their half spectra of 3 will.
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace> in_rows(reinterpret_cast<double*>(rows.data()),
                                                                                Kokkos::LayoutStride(6, 6, 5, 1));
  fill(in_rows, reals);
  kokkos::rfft2(Host(), in_rows, rows);
  EXPECT_LT(distance(rows, half(transformed(reals, {0, 1}, -1), 1)), 1e-13);
  kokkos::irfft2(Host(), rows, in_rows);
  EXPECT_LT(distance(in_rows, reals), 1e-13);
}

TEST(kokkos_functions, KeepPlansThatServeOtherViewsOfTheSameKindOnly) {
  for (int round = 0; round < 3; ++round)
    for (const Index n : {4, 5, 6}) {
      const Whole x = random_array({n, n + 1}, true, static_cast<std::uint64_t>(round + 10 * n));
      const Whole wanted = transformed(x, {0, 1}, -1);
      const auto in = view_of_shape<Complex2>(x.shape);
      fill(in, x);
      const auto serves = [&](const auto& out) {
        kokkos::fft2(Host(), in, out);
        EXPECT_LT(distance(out, wanted), 1e-13);
      };
      serves(view_of_shape<Complex2>(x.shape));
      serves(view_of_shape<ViewOf<Kokkos::complex<double>, 2, Kokkos::LayoutLeft>>(x.shape));
      serves(view_of_shape<ViewOf<Kokkos::complex<double>, 2, Kokkos::LayoutStride>>(x.shape));
      serves(in);
    }
}

TEST(kokkos_functions, GiveNothingOfAnEmptyBatchAndRefuseAnEmptyAxis) {
  const Complex2 none("none", 0, 4), out("out", 0, 4), halves("halves", 0, 3);
  const Real2 reals("reals", 0, 4);
  EXPECT_EQ(thrown([&] { kokkos::fft(Host(), none, out); }), "");
  EXPECT_EQ(thrown([&] { kokkos::ifft(Host(), none, out); }), "");
  EXPECT_EQ(thrown([&] { kokkos::rfft(Host(), reals, halves); }), "");
  EXPECT_EQ(thrown([&] { kokkos::irfft(Host(), halves, reals); }), "");
  EXPECT_EQ(thrown([&] { kokkos::hfft(Host(), halves, reals); }), "");
  EXPECT_EQ(thrown([&] { kokkos::ihfft(Host(), reals, halves); }), "");
  EXPECT_NE(thrown([&] { kokkos::fft2(Host(), none, out); }).find("got 0 x 4"), std::string::npos);
  EXPECT_NE(thrown([&] { kokkos::fft(Host(), none, out, Normalization::backward, 2); }).find("got 2"),
            std::string::npos);
}

TEST(kokkos_functions, SayWhichViewsDoNotFit) {
  const Complex2 in("in", 6, 4), narrow("out", 6, 3);
  const Real2 reals("reals", 6, 5);
  EXPECT_EQ(thrown([&] { kokkos::fft2(Host(), in, narrow); }),
            "invalid_problem: the input View has the extents that follow from the other View, 6 x 3; got 6 x 4; "
            "allocate it so");
  EXPECT_EQ(thrown([&] { kokkos::rfft(Host(), reals, in); }),
            "invalid_problem: the output View has the extents that follow from the other View, 6 x 3; got 6 x 4; "
            "allocate it so");
  EXPECT_EQ(thrown([&] { kokkos::fft(Host(), in, in, Normalization::backward, 2); }),
            "invalid_problem: axes of a View of rank 2 are from -2 to 1, each once; got 2; name others");
  EXPECT_EQ(thrown([&] { kokkos::fft2(Host(), in, in, Normalization::backward, {1, -1}); }),
            "invalid_problem: axes of a View of rank 2 are from -2 to 1, each once; got -1; name others");
  const Complex2 longer("out", 9, 4);
  EXPECT_EQ(thrown([&] { kokkos::ifft(Host(), in, longer, Normalization::backward, 0, 9); }),
            "unsupported: a spectrum is continued by zeros along the halved axis alone; got 6 of 9 elements along axis "
            "0; copy it into a View of zeros");
}

TEST(kokkos_functions, RefuseAViewWhoseElementsShareAPlace) {
  std::vector<Kokkos::complex<double>> memory(12);
  const Kokkos::View<Kokkos::complex<double>**, Kokkos::LayoutStride, Kokkos::HostSpace> same_rows(
      memory.data(), Kokkos::LayoutStride(3, 0, 4, 1));
  const Complex2 out("out", 3, 4);
  EXPECT_NE(thrown([&] { kokkos::fft2(Host(), same_rows, out); }).find("stride"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
