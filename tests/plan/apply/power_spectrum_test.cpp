// Shells of a spectrum: known waves, the norm of all, and the same bits on any ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "plan/calls/expect_error.hpp"
#include "support/oracles/local_data.hpp"
#include "support/pi.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {
namespace {

const std::vector<double> cube{2 * std::numbers::pi, 2 * std::numbers::pi, 2 * std::numbers::pi};

/// Power spectrum of the transform of `x`, on as many ranks.
template <class T = double>
std::vector<double> shells(const Problem& problem, const Whole& x, int ranks, const LayoutSpec& output = any,
                           const std::vector<double>& lengths = cube) {
  std::vector<double> result;
  on_ranks(ranks, [&](Comm comm) {
    Options options{.output = output};
    options.expert.axis_order.assign(problem.axes.rbegin(), problem.axes.rend());  // it makes the bits of the spectrum
    Plan plan(comm, problem, options);
    LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in(problem)),
        out(packed_memory(plan.output(), comm.rank()), complex_out(problem));
    in.fill(x);
    plan.forward(in.view(), out.view());
    const auto mine = spectral::power_spectrum(plan, out.view(), lengths);
    if (comm.rank() == 0) result = mine;
  });
  return result;
}

Whole wave(const Shape& shape, const Coord& k) {
  Whole x{.shape = shape};
  x.values.resize(static_cast<std::size_t>(product(shape)));
  for_each(whole(shape), [&](const Coord& at) {
    long double turn = 0.3L;
    for (int a = 0; a < shape.dims(); ++a) turn += 2 * long_pi * k[a] * at[a] / static_cast<long double>(shape[a]);
    x.at(at) = std::cos(turn);
  });
  return x;
}

TEST(PowerSpectrum, HasEachWaveInTheShellOfItsWaveNumber) {
  const Shape shape{12, 10, 16};
  for (const Kind kind : {c2c, r2c}) {
    const Problem problem{.shape = shape, .kind = kind, .axes = {0, 1, 2}, .forward = Scaling::by_n};
    for (const Coord& k : {Coord{0, 0, 0}, {0, 0, 3}, {2, -1, 2}, {-5, 4, 7}, {3, 0, 0}}) {
      const auto found = shells(problem, wave(shape, k), 3);
      const double length = std::sqrt(static_cast<double>(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]));
      ASSERT_EQ(found.size(), static_cast<std::size_t>(std::sqrt(6 * 6 + 5 * 5 + 8 * 8) + 0.5) + 1);
      for (std::size_t s = 0; s < found.size(); ++s) {
        const bool here = s == static_cast<std::size_t>(length + 0.5);
        const double cosine = std::cos(0.3);  // cos^2 of a phase, or two waves of 1/2 each
        EXPECT_NEAR(found[s], !here ? 0 : length == 0 ? cosine * cosine : 0.5, 1e-14) << "shell " << s;
      }
    }
  }
}

TEST(PowerSpectrum, HasTheSameBitsOnAnyRanksAndTheNormOfTheField) {
  using enum AxisKind;
  const std::vector<Problem> problems{
      {.shape = {12, 9, 16}, .kind = c2c, .axes = {0, 1, 2}, .forward = Scaling::by_sqrt_n},
      {.shape = {12, 9, 16}, .kind = r2c, .axes = {0, 1, 2}, .forward = Scaling::by_sqrt_n},
      {.shape = {12, 9, 15}, .kind = r2c, .axes = {1, 2}, .forward = Scaling::by_sqrt_n},
      {.shape = {12, 9, 16},
       .kind = r2r,
       .axes = {0, 1, 2},
       .forward = Scaling::orthonormal,
       .kinds = {cosine2, sine1, hartley}}};
  for (const Problem& problem : problems) {
    const Whole x = random_array(problem.shape, complex_in(problem), 3);
    double norm = 0;
    for (const auto& v : x.values) norm += static_cast<double>(std::norm(v));
    const auto first = shells(problem, x, 1);
    double sum = 0;
    for (const double shell : first) sum += shell;
    EXPECT_NEAR(sum, norm, 1e-12 * norm) << to_string(problem);
    for (const int ranks : {2, 3, 7})
      for (const LayoutSpec& output : {any, slabs(0), cyclic(1)})
        EXPECT_EQ(shells(problem, x, ranks, output), first)
            << to_string(problem) << " on " << ranks << " ranks, " << to_string(output);
  }
}

TEST(PowerSpectrum, CountsWhatIsKeptOfFewerModes) {
  const Shape shape{12, 10, 16};
  const Problem all{.shape = shape, .kind = r2c, .axes = {0, 1, 2}, .forward = Scaling::by_n};
  Problem fewer = all;
  fewer.modes = {7, 7, 9};
  const Coord k{3, -2, 4};
  const auto found = shells(fewer, wave(shape, k), 2), whole = shells(all, wave(shape, k), 2);
  EXPECT_NEAR(found[5], 0.5, 1e-14);  // |k| = 5.4
  EXPECT_LT(found.size(), whole.size());
  for (std::size_t s = 0; s < found.size(); ++s) EXPECT_NEAR(found[s], whole[s], 1e-14);
}

TEST(PowerSpectrum, SaysWhatItTakes) {
  const Problem problem{.shape = {8, 6, 4}};
  const auto with = [&](const std::vector<double>& lengths, double width, std::size_t bytes) {
    return [=](const Comm& comm) {
      const Plan plan(comm, problem);
      Array out = plan.make_output();
      const View view = out;
      (void)spectral::power_spectrum(plan, View(view.data, std::min(bytes, view.bytes)), lengths, width);
    };
  };
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  expect_error(2, Status::invalid_argument, {"one length for each axis of the array, 3; got 1"}, with({1}, 0, all));
  expect_error(2, Status::invalid_argument, {"width of a shell", "got -1"}, with(cube, -1, all));
  expect_error(2, Status::invalid_argument, {"make them wider"}, with(cube, 1e-9, all));
  expect_error(2, Status::invalid_argument, {"bytes on this rank; got 16"}, with(cube, 0, 16));
  on_ranks(2, [&](Comm comm) {
    const Plan plan(comm, problem);
    Array out = plan.make_output();
    if (comm.rank() == 1) out.as<double>()[0] = std::numeric_limits<double>::infinity();
    const auto found = spectral::power_spectrum(plan, out, cube);
    EXPECT_EQ(std::count(found.begin(), found.end(), std::numeric_limits<double>::infinity()), 1);
    EXPECT_EQ(std::count(found.begin(), found.end(), 0.0), static_cast<std::ptrdiff_t>(found.size()) - 1);
  });
}

}  // namespace
}  // namespace shardfft::testing
