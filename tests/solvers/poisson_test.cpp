#include "shardfft/solvers/poisson.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "solvers/poisson_problems.hpp"

namespace shardfft::solvers {
namespace {

using std::vector;

class EveryMix : public testing::TestWithParam<Points> {};
INSTANTIATE_TEST_SUITE_P(Points, EveryMix, testing::Values(Points::cells, Points::nodes),
                         [](const auto& one) { return one.param == Points::cells ? "cells" : "nodes"; });

TEST_P(EveryMix, HasTheOrderOfItsScheme) {
  struct Expected {
    Scheme scheme;
    double order, within;
  };
  for (const auto& ends : mixes())
    for (const auto& [scheme, order, within] :
         {Expected{Scheme::second_order, 2, 0.05}, Expected{Scheme::fourth_order, 4, 0.1},
          Expected{Scheme::compact, 4, 0.1}, Expected{Scheme::sixth_order, 6, 0.25}}) {
      const double shift = ends[0].low == Boundary::even || scheme == Scheme::compact ? 3 : 0;
      const auto error = [&](Index intervals) {
        const PoissonProblem problem = box(ends, GetParam(), intervals, scheme, shift);
        return error_of(problem, solve_known(local(), problem));
      };
      EXPECT_NEAR(std::log2(error(16) / error(32)), order, within)
          << name_of(ends, GetParam()) << " scheme " << static_cast<int>(scheme) << " shift " << shift;
    }
}

TEST_P(EveryMix, IsExactWithSpectralDerivatives) {
  for (const auto& ends : mixes()) {
    const PoissonProblem problem = box(ends, GetParam(), 24, Scheme::spectral);
    EXPECT_LT(error_of(problem, solve_known(local(), problem)), 1e-13) << name_of(ends, GetParam());
  }
}

/// Minus the second derivative along `axis`, by coefficients of the points at distances 0, 1, 2, 3.
vector<double> minus_second(const PoissonProblem& problem, int axis, double h, const vector<double>& coefficients,
                            const vector<double>& u) {
  const Layout layout(slabs(0), problem.shape, 1);
  const auto element = [&](const Coord& at) {
    Index i = 0;
    for (int a = 0; a < at.dims(); ++a) i = i * problem.shape[a] + at[a];
    return static_cast<std::size_t>(i);
  };
  vector<double> result(u.size());
  for_each_element(layout, 0, [&](Coord at, std::size_t i) {
    const Index here = at[axis];
    double sum = coefficients[0] * u[i];
    for (std::size_t d = 1; d < coefficients.size(); ++d)
      for (const Index step : {-static_cast<Index>(d), static_cast<Index>(d)}) {
        const auto [place, sign] =
            continued(here + step, problem.shape[axis], problem.ends[static_cast<std::size_t>(axis)], problem.points);
        at[axis] = place;
        sum += coefficients[d] * sign * u[element(at)];
      }
    result[i] = sum / (h * h);
  });
  return result;
}

// (1 - sum b) (L + shift) + sum l b by stencils, where b = h^2 l / 12.
vector<double> compact_left(const PoissonProblem& problem, const vector<double>& h, const vector<double>& u) {
  vector<double> left(u.size(), 0.0);
  const vector<double> three{2, -1};
  for (std::size_t i = 0; i < u.size(); ++i) left[i] = problem.shift * u[i];
  for (int a = 0; a < 3; ++a) {
    const vector<double> l = minus_second(problem, a, h[static_cast<std::size_t>(a)], three, u);
    for (std::size_t i = 0; i < u.size(); ++i) left[i] += l[i];
    const double shifted = h[static_cast<std::size_t>(a)] * h[static_cast<std::size_t>(a)] / 12;
    for (std::size_t i = 0; i < u.size(); ++i) left[i] -= problem.shift * shifted * l[i];
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      const vector<double> mixed = minus_second(problem, b, h[static_cast<std::size_t>(b)], three, l);
      for (std::size_t i = 0; i < u.size(); ++i) left[i] -= shifted * mixed[i];
    }
  }
  return left;
}

TEST_P(EveryMix, SolvesTheEquationsOfItsStencil) {
  const vector<vector<double>> stencils{
      {2, -1}, {5.0 / 2, -4.0 / 3, 1.0 / 12}, {49.0 / 18, -3.0 / 2, 3.0 / 20, -1.0 / 90}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> some(-1, 1);
  for (const auto& ends : mixes())
    for (int scheme = 0; scheme < 4; ++scheme) {
      PoissonProblem problem = box(ends, GetParam(), 7, static_cast<Scheme>(scheme), 0.5);
      Poisson poisson(local(), problem, {.threads = 1});
      vector<double> f(static_cast<std::size_t>(product(problem.shape))), u(f.size()), h;
      for (double& x : f) x = some(random);
      (void)poisson.solve(f, u);
      for (int a = 0; a < 3; ++a) {
        const Coord zero = Coord::filled(3, 0);
        Coord one = zero;
        one[a] = 1;
        h.push_back(poisson.position(one)[static_cast<std::size_t>(a)] -
                    poisson.position(zero)[static_cast<std::size_t>(a)]);
      }
      vector<double> left(f.size(), 0.0), right = f;
      if (static_cast<Scheme>(scheme) == Scheme::compact) {
        left = compact_left(problem, h, u);
        for (int a = 0; a < 3; ++a) {
          const auto l = minus_second(problem, a, h[static_cast<std::size_t>(a)], {2, -1}, f);
          const double b = h[static_cast<std::size_t>(a)] * h[static_cast<std::size_t>(a)] / 12;
          for (std::size_t i = 0; i < f.size(); ++i) right[i] -= b * l[i];
        }
      } else {
        for (int a = 0; a < 3; ++a) {
          const auto l =
              minus_second(problem, a, h[static_cast<std::size_t>(a)], stencils[static_cast<std::size_t>(scheme)], u);
          for (std::size_t i = 0; i < f.size(); ++i) left[i] += l[i];
        }
        for (std::size_t i = 0; i < f.size(); ++i) left[i] += problem.shift * u[i];
      }
      double residual = 0;
      for (std::size_t i = 0; i < f.size(); ++i) residual = std::max(residual, std::abs(left[i] - right[i]));
      const double size = 3 * 16 * 49.0;  // of the matrix, times the largest u, about 1/shift
      EXPECT_LT(residual, 50 * 0x1p-53 * size) << name_of(ends, GetParam()) << " scheme " << scheme;
    }
}

TEST(KnownSolution, IsWhatItSaysItIs) {
  for (const auto& ends : mixes()) {
    const PoissonProblem problem = box(ends, Points::cells, 8, Scheme::spectral, 2);
    const KnownSolution known(problem);
    const Position x{0.3, 0.45, 0.8};
    const double h = 1e-3;
    double f = 2 * known.u(x);
    for (std::size_t a = 0; a < 3; ++a) {
      Position before = x, after = x;
      before[a] -= h, after[a] += h;
      f += (2 * known.u(x) - known.u(before) - known.u(after)) / (h * h);
    }
    EXPECT_NEAR(known.f(x), f, 1e-4 * (1 + std::abs(f)));
  }
}

TEST_P(EveryMix, KnowsAboutWhatItsDifferencesLose) {
  for (const auto& ends : mixes())
    for (const Scheme scheme : {Scheme::second_order, Scheme::fourth_order, Scheme::compact, Scheme::spectral}) {
      const bool spectral = scheme == Scheme::spectral;
      const PoissonProblem problem = box(ends, GetParam(), spectral ? 12 : 16, scheme, 1);
      const Solved run = solve_known(local(), problem);
      Poisson poisson(local(), problem, {.threads = 1});
      const PoissonEstimate estimate = poisson.estimate(run.f);
      const double error = error_of(problem, run), margin = spectral ? 30 : 2;
      EXPECT_GT(estimate.error, error / margin) << name_of(ends, GetParam()) << static_cast<int>(scheme);
      EXPECT_LT(estimate.error, error * margin) << name_of(ends, GetParam()) << static_cast<int>(scheme);
      if (!spectral) { EXPECT_GT(estimate.tolerance, 0); }
      EXPECT_LT(estimate.tolerance, estimate.error);
    }
}

TEST(Poisson, EstimatesTheSameInPlaceAndNoToleranceWhereItIsExact) {
  for (const auto& ends : {vector<Ends>{periodic, neumann, dirichlet}, {dirichlet, neumann, dirichlet}})
    on_ranks(3, [&](const Comm& comm) {
      const PoissonProblem problem = box(ends, Points::cells, 8, Scheme::second_order, 1);
      const KnownSolution known(problem);
      vector<PoissonEstimate> estimates;
      for (const bool in_place : {false, true}) {
        Poisson poisson(comm, problem, {.threads = 1, .in_place = in_place});
        Array f = poisson.make_array();
        for_each_element(poisson.layout(), comm.rank(),
                         [&](const Coord& at, std::size_t i) { f.as<double>()[i] = known.f(poisson.position(at)); });
        const std::uint64_t before = poisson.plan().hash_input(f);
        estimates.push_back(poisson.estimate(f));
        EXPECT_EQ(poisson.plan().hash_input(f), before);
      }
      EXPECT_EQ(estimates[0].error, estimates[1].error);
      EXPECT_EQ(estimates[0].tolerance, estimates[1].tolerance);
    });
  const PoissonProblem resolved = box({periodic, neumann, dirichlet}, Points::cells, 32, Scheme::spectral, 1);
  Poisson poisson(local(), resolved, {.threads = 1});
  const Solved exact = solve_known(local(), resolved);
  const PoissonEstimate rounding = poisson.estimate(exact.f);
  EXPECT_LT(rounding.error, 1e-13);
  EXPECT_EQ(rounding.tolerance, 0);
  Poisson heated(local(),
                 {.shape = {8}, .ends = {dirichlet}, .values = {{.low = [](const Position&) { return 1.0; }}}});
  Array f = heated.make_array();
  EXPECT_THROW((void)heated.estimate(f), Error);
}

/// L2 norm of the numbers of all ranks.
double norm_of(const Comm& comm, const vector<double>& x) {
  double squares = 0;
  for (const double v : x) squares += v * v;
  return std::sqrt(all_sum(comm, squares));
}

TEST_P(EveryMix, ErrsByNoMoreThanItsBoundWithATolerance) {
  for (const auto& ends : mixes())
    on_ranks(3, [&](const Comm& comm) {
      const PoissonProblem problem = box(ends, GetParam(), 8, Scheme::second_order);
      const Solved exact = solve_known(comm, problem);
      const Solved rough = solve_known(
          comm, problem, {.tolerance = 1e-3, .threads = 1, .expert = {.codec = "mantissa", .encode_near = true}});
      vector<double> lost = rough.u;
      for (std::size_t i = 0; i < lost.size(); ++i) lost[i] -= exact.u[i];
      const double error = norm_of(comm, lost) / norm_of(comm, exact.f);
      EXPECT_GT(error, 1e-7) << name_of(ends, GetParam()) << ": nothing was lost";
      EXPECT_LE(error, rough.report.error_bound + exact.report.error_bound) << name_of(ends, GetParam());
    });
}

// Threads are nodes of their own to a codec that is told so.
TEST(Poisson, AddsNoMoreToItsErrorWithTheToleranceThatItsDifferencesDeserve) {
  const PoissonProblem problem = box({periodic, neumann, dirichlet}, Points::cells, 24, Scheme::second_order, 1);
  on_ranks(4, [&](const Comm& comm) {
    Poisson exact(comm, problem, {.threads = 1});
    const KnownSolution known(problem);
    Array f = exact.make_array(), u = exact.make_array(), rough = exact.make_array();
    for_each_element(exact.layout(), comm.rank(),
                     [&](const Coord& at, std::size_t i) { f.as<double>()[i] = known.f(exact.position(at)); });
    (void)exact.solve(f, u);
    const PoissonEstimate estimate = exact.estimate(f);
    Poisson coarse(comm, problem, {.tolerance = estimate.tolerance, .threads = 1, .expert = {.encode_near = true}});
    const PoissonReport report = coarse.solve(f, rough);
    EXPECT_LT(report.bytes_after, 0.6 * report.bytes_before);
    double lost = 0, size = 0;
    for (std::size_t i = 0; i < u.as<double>().size(); ++i) {
      lost += std::pow(rough.as<double>()[i] - u.as<double>()[i], 2);
      size += std::pow(u.as<double>()[i], 2);
    }
    EXPECT_LT(std::sqrt(all_sum(comm, lost) / all_sum(comm, size)), estimate.error);
  });
}

TEST(Poisson, GivesTheSameBitsOnAnyNumberOfRanks) {
  for (const auto& ends : {vector<Ends>{periodic, periodic, periodic},
                           {neumann, periodic, dirichlet},
                           {neumann, neumann, neumann},
                           {dirichlet, neumann_dirichlet, dirichlet_neumann}})
    for (const Points points : {Points::cells, Points::nodes}) {
      std::set<std::uint64_t> hashes, reports;
      for (const int ranks : {1, 2, 3, 5})
        on_ranks(ranks, [&](const Comm& comm) {
          const PoissonProblem problem = box(ends, points, 10, Scheme::fourth_order);
          Poisson poisson(comm, problem, {.input = ranks == 3 ? bricks() : ranks == 5 ? cyclic(1) : slabs(0)});
          const KnownSolution known(problem);
          Array f = poisson.make_array(), u = poisson.make_array();
          for_each_element(poisson.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
            f.as<double>()[i] = known.f(poisson.position(at)) + static_cast<double>(at[0] * at[1]);
          });
          const PoissonReport report = poisson.solve(f, u);
          const std::uint64_t hash = poisson.plan().hash_input(u);
          if (comm.rank() == 0) hashes.insert(hash), reports.insert(std::bit_cast<std::uint64_t>(report.mean));
        });
      EXPECT_EQ(hashes.size(), 1) << name_of(ends, points);
      EXPECT_EQ(reports.size(), 1) << name_of(ends, points);
    }
}

TEST(Poisson, MayWriteOverTheRightHandSide) {
  for (const auto& ends : {vector<Ends>{periodic, periodic, periodic}, {neumann, periodic, dirichlet}}) {
    const PoissonProblem problem = box(ends, Points::cells, 8, Scheme::second_order);
    const Solved apart = solve_known(local(), problem);
    Poisson poisson(local(), problem, {.in_place = true});
    Array f = poisson.make_array();
    std::ranges::copy(apart.f, f.as<double>().begin());
    (void)poisson.solve(f, f);
    EXPECT_TRUE(std::ranges::equal(apart.u, f.as<double>().first(apart.u.size())));
    vector<double> u(apart.u.size());
    (void)poisson.solve(apart.f, u);
    EXPECT_EQ(apart.u, u);
  }
}

TEST(Poisson, IsAsExactAsFloatsAre) {
  for (const auto& ends : {vector<Ends>{periodic, periodic, periodic}, {neumann, periodic, dirichlet}}) {
    PoissonProblem problem = box(ends, Points::cells, 16, Scheme::compact);
    const Solved wide = solve_known(local(), problem);
    problem.precision = f32;
    Poisson poisson(local(), problem, {.threads = 1});
    vector<float> f(wide.f.begin(), wide.f.end()), u(f.size());
    (void)poisson.solve(f, u);
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], wide.u[i], 2e-6);
  }
}

// u = x^2 + 2 y - z and its values and slopes at the ends: second differences of it are exact, so u is.
TEST_P(EveryMix, TakesValuesAndSlopesAtTheEnds) {
  const auto u_of = [](const Position& x) { return x[0] * x[0] + 2 * x[1] - x[2]; };
  for (const auto& ends : mixes()) {
    if (std::ranges::any_of(ends, [](Ends e) { return e.low == Boundary::periodic; })) continue;
    PoissonProblem problem = box(ends, GetParam(), 9, Scheme::second_order);
    problem.project = false;
    const double slopes[] = {2 * problem.lengths[0], 2, -1}, slopes_low[] = {0, -2, 1};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto value = [&](Boundary end, double slope) {
        return [&, end, slope](const Position& x) { return end == Boundary::odd ? u_of(x) : slope; };
      };
      problem.values.push_back({value(ends[a].low, slopes_low[a]), value(ends[a].high, slopes[a])});
    }
    Poisson poisson(local(), problem, {.threads = 1});
    vector<double> f(static_cast<std::size_t>(product(problem.shape)), -2.0), u(f.size()), exact(f.size());
    // Half a cell from a value, the stencil sees a quarter of the second derivative less.
    for_each_element(poisson.layout(), 0, [&](const Coord& at, std::size_t i) {
      exact[i] = u_of(poisson.position(at));
      const bool beside =
          GetParam() == Points::cells && ((at[0] == 0 && ends[0].low == Boundary::odd) ||
                                          (at[0] + 1 == problem.shape[0] && ends[0].high == Boundary::odd));
      if (beside) f[i] = -1.5;
    });
    const PoissonReport report = poisson.solve(f, u);
    const double shift = report.gauge ? mean_of(problem, exact) : 0;
    for (std::size_t i = 0; i < u.size(); ++i) ASSERT_NEAR(u[i], exact[i] - shift, 1e-12) << name_of(ends, GetParam());
  }
}

TEST_P(EveryMix, RefusesARightHandSideWithoutSolutionOrDropsItsMean) {
  PoissonProblem problem = box({neumann, periodic, neumann}, GetParam(), 8, Scheme::second_order);
  problem.project = false;
  on_ranks(3, [&](const Comm& comm) {
    Poisson poisson(comm, problem);
    Array f = poisson.make_array(), u = poisson.make_array();
    for (double& x : f.as<double>()) x = 0.25;
    try {
      (void)poisson.solve(f, u);
      ADD_FAILURE() << "solved";
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::invalid_argument);
      EXPECT_NE(std::string(e.what()).find("got a mean of 0.25"), std::string::npos) << e.what();
    }
  });
  problem.project = true;
  Poisson poisson(local(), problem, {.threads = 1});
  vector<double> f(static_cast<std::size_t>(product(problem.shape))), u(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::sin(static_cast<double>(i));
  const PoissonReport report = poisson.solve(f, u);
  EXPECT_TRUE(report.gauge);
  EXPECT_NEAR(report.mean, mean_of(problem, f), 1e-16);
  EXPECT_NEAR(mean_of(problem, u), 0, 1e-17);
}

}  // namespace
}  // namespace shardfft::solvers
