#include "shardfft/solvers/open_poisson.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <vector>

#include "poisson/truncated_kernel.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"

namespace shardfft::solvers {
namespace {

using std::vector;

/// E1(x), x > 0, by its continued fraction or its series. Not every standard library has std::expint().
double e1(double x) {
  if (x > 1) {
    double below = 0;
    for (int k = 100; k > 0; --k) below = k / (1 + k / (x + below));
    return std::exp(-x) / (x + below);
  }
  double sum = -std::numbers::egamma - std::log(x), power = 1;
  for (int k = 1; k < 30; ++k) {
    power *= -x / k;
    sum -= power / k;
  }
  return sum;
}

/// A Gaussian of mass 1 at `centre`, and its potential.
struct Gaussian {
  Position centre{};
  double sigma = 0.07;
  [[nodiscard]] double radius(const Position& x, int dims) const {
    double square = 0;
    for (int a = 0; a < dims; ++a)
      square += std::pow(x[static_cast<std::size_t>(a)] - centre[static_cast<std::size_t>(a)], 2);
    return std::sqrt(square);
  }
  [[nodiscard]] double f(const Position& x, int dims) const {
    const double r = radius(x, dims);
    return std::exp(-r * r / (2 * sigma * sigma)) / std::pow(2 * std::numbers::pi * sigma * sigma, dims / 2.0);
  }
  [[nodiscard]] double u(const Position& x, int dims) const {
    const double r = radius(x, dims), t = r / (std::sqrt(2.0) * sigma);
    if (dims == 3)
      return r == 0 ? std::sqrt(2 / std::numbers::pi) / (4 * std::numbers::pi * sigma)
                    : std::erf(t) / (4 * std::numbers::pi * r);
    // -(log r + E1(t^2) / 2) / (2 pi)
    if (r == 0) return -(std::log(2 * sigma * sigma) - std::numbers::egamma) / (4 * std::numbers::pi);
    return -(2 * std::log(r) + e1(t * t)) / (4 * std::numbers::pi);
  }
};

/// Largest error relative to the largest value.
double error_of(const OpenProblem& problem, const Gaussian& known) {
  OpenPoisson open(local(), problem);
  const int dims = problem.shape.dims();
  vector<double> f(static_cast<std::size_t>(product(problem.shape))), u(f.size());
  for_each_element(open.layout(), 0, [&](const Coord& at, std::size_t i) { f[i] = known.f(open.position(at), dims); });
  const PoissonReport report = open.solve(f, u);
  EXPECT_GT(report.error_bound, 0);
  double error = 0, largest = 0;
  for_each_element(open.layout(), 0, [&](const Coord& at, std::size_t i) {
    const double exact = known.u(open.position(at), dims);
    error = std::max(error, std::abs(u[i] - exact));
    largest = std::max(largest, std::abs(exact));
  });
  return error / largest;
}

TEST(OpenPoisson, KnowsThePotentialOfAGaussian) {
  EXPECT_LT(error_of({.shape = {32, 32, 32}}, {.centre = {0.5, 0.5, 0.5}}), 1e-12);
  EXPECT_LT(error_of({.shape = {16, 16, 16}}, {.centre = {0.5, 0.5, 0.5}}), 1e-4);
}

// What is usual instead: 1/r at the points, and its mean over a cube where r is zero.
TEST(OpenPoisson, IsFarMoreExactThanSumsOfOneOverR) {
  constexpr int n = 32;
  constexpr double mean_over_cube = 2.3800774, h = 1.0 / n;
  const Gaussian known{.centre = {0.5, 0.5, 0.5}};
  double error = 0;
  for (int at = 0; at < n; ++at) {  // along a line through the middle
    const Position x{(at + 0.5) * h, (n / 2 + 0.5) * h, (n / 2 + 0.5) * h};
    double sum = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const Position y{(i + 0.5) * h, (j + 0.5) * h, (k + 0.5) * h};
          const double r = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
          sum += known.f(y, 3) * (r == 0 ? mean_over_cube / h : 1 / r) * h * h * h / (4 * std::numbers::pi);
        }
    error = std::max(error, std::abs(sum - known.u(x, 3)));
  }
  EXPECT_NEAR(error / known.u(known.centre, 3), 6.5e-3, 5e-4);
}

TEST(OpenPoisson, TakesNoMoreMemoryForFInPlaceThanFHas) {
  OpenPoisson open(local(), {.shape = {8, 8, 8}}, {.in_place = true});
  EXPECT_EQ(open.make_array().bytes(), 8 * 8 * 8 * sizeof(double));
}

TEST(OpenPoisson, TakesAnyBoxAndAnyPlaceInIt) {
  EXPECT_LT(error_of({.shape = {24, 40, 30}, .lengths = {1, 2, 1.25}}, {.centre = {0.45, 1.5, 0.6}, .sigma = 0.08}),
            1e-6);
  EXPECT_LT(error_of({.shape = {96, 12, 12}, .spacing = {1. / 12, 1. / 12, 1. / 12}},
                     {.centre = {6, 0.5, 0.5}, .sigma = 0.11}),
            1e-4);
}

TEST(OpenPoisson, KnowsThePlane) {
  EXPECT_LT(error_of({.shape = {64, 64}}, {.centre = {0.5, 0.5}, .sigma = 0.06}), 1e-12);
  EXPECT_LT(error_of({.shape = {64, 48}, .lengths = {2, 1.5}}, {.centre = {1.1, 0.7}, .sigma = 0.09}), 1e-10);
}

TEST(OpenPoisson, GivesTheSameBitsOnAnyNumberOfRanksAndInPlace) {
  for (const Precision precision : {f64, f32}) {
    std::set<std::uint64_t> hashes;
    for (const int ranks : {1, 2, 3, 5})
      on_ranks(ranks, [&](const Comm& comm) {
        OpenPoisson open(comm, {.shape = {6, 9, 8}, .precision = precision},
                         {.input = ranks == 3 ? pencils(1) : LayoutSpec(), .in_place = true});
        Array f = open.make_array();
        const Gaussian known{.centre = {0.4, 0.5, 0.6}, .sigma = 0.2};
        for_each_element(open.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
          const double x = known.f(open.position(at), 3);
          if (precision == f64)
            f.as<double>()[i] = x;
          else
            f.as<float>()[i] = static_cast<float>(x);
        });
        (void)open.solve(f, f);
        const std::uint64_t hash = open.plan().hash_input(f);
        if (comm.rank() == 0) hashes.insert(hash);
      });
    EXPECT_EQ(hashes.size(), 1);
  }
}

// The shapes include those whose k and -k belong to different ranks.
TEST(TruncatedKernel, IsTheSameWhateverRankHasWhichModes) {
  const KernelBox box{.shape = {4, 5, 6}, .spacing = {0.1, 0.2, 0.15}};
  const Shape modes{8, 10, 7};
  const auto factors = [&](const Comm& comm, const LayoutSpec& spec) {
    const Layout layout(spec, modes, comm.size());
    const Operator f = truncated_kernel(comm, box, layout, f64, 1).convolve;
    vector<std::complex<double>> ones(static_cast<std::size_t>(product(modes)));
    for_each_element(layout, comm.rank(), [&](const Coord& at, std::size_t) {
      const auto i = static_cast<std::size_t>((at[0] * 10 + at[1]) * 7 + at[2]);
      ones[i] = {1, 1};
      f.run(f.self.get(), Modes{.first = at, .axis = 2, .count = 1, .data = reinterpret_cast<std::byte*>(&ones[i])});
    });
    return ones;
  };
  const auto expected = factors(local(), slabs(0));
  for (const LayoutSpec& spec : {slabs(0), slabs(1), slabs(2), pencils(0), pencils(1), process_grid({2, 2, 1})})
    on_ranks(4, [&](const Comm& comm) {
      const auto got = factors(comm, spec);
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got[i] == 0.0 || got[i] == expected[i]) << to_string(spec) << " " << i;
    });
}

TEST(OpenPoisson, SaysOnAllRanksWhatIsWrong) {
  on_ranks(2, [&](const Comm& comm) {
    EXPECT_THROW(OpenPoisson(comm, {.shape = {8}}), Error);
    EXPECT_THROW(OpenPoisson(comm, {.shape = {8, 8, 8}, .spacing = {1, 1}}), Error);
    EXPECT_THROW(OpenPoisson(comm, {.shape = {8, 8 + comm.rank()}}), Error);
    OpenPoisson open(comm, {.shape = {8, 8}});
    Array f = open.make_array();
    EXPECT_THROW((void)open.solve(f, f), Error);
  });
}

}  // namespace
}  // namespace shardfft::solvers
