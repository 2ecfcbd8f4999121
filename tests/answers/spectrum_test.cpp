// Known waves in shells.
#include "shardfft/answers/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plan/calls/expect_error.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

const Shape extents{12, 10, 16};
const std::vector<double> box{6, 5, 16};  // 0.5, 0.5 and 1 between points

/// amplitude cos(k . x) on this rank.
Array wave(const Plan& plan, const Coord& k, double amplitude) {
  Array x = plan.make_input();
  for_each_element(plan.input(), plan.comm().rank(), [&](const Coord& at, std::size_t i) {
    double turn = 0;
    for (int a = 0; a < at.dims(); ++a) turn += static_cast<double>(k[a] * at[a]) / static_cast<double>(extents[a]);
    x.as<double>()[i] = amplitude * std::cos(2 * std::numbers::pi * turn);
  });
  return x;
}

std::vector<SpectrumShell> spectrum_of(const Comm& comm, const Coord& first, const Coord& second,
                                       const SpectrumRequest& request, Scaling scaled) {
  Plan plan(comm, {.shape = extents, .kind = r2c, .forward = scaled});
  Array a = plan.make_output(), b = plan.make_output();
  plan.forward(wave(plan, first, 3), a);
  plan.forward(wave(plan, second, 2), b);
  return spectrum(plan, a, b, request);
}

TEST(Spectrum, HasTheVarianceOfAWaveInItsShell) {
  // |k| = 2 pi sqrt((1/6)^2 + (2/5)^2 + (3/16)^2), in shells of 2 pi / 5.
  const Coord k{1, -2, 3};
  const auto shell = static_cast<std::size_t>(5 * std::sqrt(1 / 36. + 4 / 25. + 9 / 256.));
  for (const int ranks : {1, 3})
    for (const Scaling scaled : {Scaling::none, Scaling::by_sqrt_n, Scaling::by_n})
      on_ranks(ranks, [&](const Comm& comm) {
        const auto rows = spectrum_of(comm, k, k, {.lengths = box, .power = PowerAs::sum}, scaled);
        for (std::size_t s = 0; s < rows.size(); ++s) {
          EXPECT_NEAR(rows[s].power, s == shell ? 4.5 : 0, 1e-12);
          EXPECT_NEAR(rows[s].power_b, s == shell ? 2 : 0, 1e-12);
          EXPECT_NEAR(rows[s].cross_re, s == shell ? 3 : 0, 1e-12);
          EXPECT_NEAR(rows[s].k_low, static_cast<double>(s) * 2 * std::numbers::pi / 5, 1e-12);
          EXPECT_EQ(rows[s].beyond_nyquist, rows[s].k_high > std::numbers::pi * (1 + 1e-9));
        }
        EXPECT_NEAR(rows[shell].correlation, 1, 1e-12);
        const auto density = spectrum_of(comm, k, k, {.lengths = box}, scaled);
        EXPECT_NEAR(density[shell].power, 4.5 * 6 * 5 * 16 / static_cast<double>(density[shell].modes), 1e-9);
        EXPECT_NEAR(density[shell].error, density[shell].power * std::sqrt(2. / static_cast<double>(rows[shell].modes)),
                    1e-9);
      });
}

TEST(Spectrum, CountsEveryModeOnce) {
  on_ranks(2, [](const Comm& comm) {
    for (const bool centred : {false, true}) {
      Index modes = 0;
      for (const auto& row :
           spectrum_of(comm, {0, 0, 0}, {0, 0, 0}, {.lengths = box, .centred = centred}, Scaling::none))
        modes += row.modes;
      EXPECT_EQ(modes, product(extents));
    }
  });
}

TEST(Spectrum, SaysWhatItTakes) {
  const auto with = [](const Problem& problem, const SpectrumRequest& request) {
    return [=](const Comm& comm) {
      const Plan plan(comm, problem);
      const Array a = plan.make_output();
      (void)spectrum(plan, a, {}, request);
    };
  };
  expect_error(2, Status::invalid_argument, {"one length for each axis"}, with({.shape = extents}, {.lengths = {1}}));
  expect_error(2, Status::invalid_argument, {"of a plan c2c or r2c"},
               with({.shape = extents, .kind = r2r, .kinds = {AxisKind::cosine2, AxisKind::sine1, AxisKind::hartley}},
                    {.lengths = box}));
  expect_error(2, Status::invalid_argument, {"width of a shell"},
               with({.shape = extents}, {.lengths = box, .width = -1}));
  expect_error(2, Status::invalid_argument, {"1 to 3 dimensions"},
               with({.shape = {3, 3, 3, 3}}, {.lengths = {1, 1, 1, 1}, .power = PowerAs::dimensionless}));
}

}  // namespace
}  // namespace shardfft::testing
