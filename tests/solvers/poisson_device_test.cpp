// Poisson's equation with arrays on a device, the emulated one, against the host's solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "shardfft/collective.hpp"
#include "shardfft/solvers/open_poisson.hpp"
#include "support/chosen.hpp"
#include "support/thrown.hpp"

namespace shardfft::solvers {
namespace {

using shardfft::testing::space;
using shardfft::testing::thrown;

template <class T, class Solver = Poisson, class Problem = PoissonProblem>
std::vector<T> solved(const Comm& comm, const Problem& problem, const Options& options, PoissonReport& report) {
  Solver solver(comm, problem, options);
  Array f = solver.make_array(), other = solver.make_array();
  Array& u = options.in_place ? f : other;
  std::vector<T> numbers(solver.plan().input_bytes() / sizeof(T));
  std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
  for (T& x : numbers) x = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
  solver.plan().copy(numbers, f);
  report = solver.solve(f, u);
  solver.plan().copy(u, numbers);
  return numbers;
}

template <class T>
void check(const Comm& comm, PoissonProblem problem, Options options) {
  problem.precision = sizeof(T) == 4 ? f32 : f64;
  PoissonReport here, there;
  const std::vector<T> expected = solved<T>(comm, problem, options, here);
  options.device = space();
  const std::vector<T> found = solved<T>(comm, problem, options, there);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], sizeof(T) == 4 ? 1e-5 : 1e-14) << to_string(problem.shape);
  EXPECT_EQ(there.gauge, here.gauge);
  if (problem.project && here.gauge)
    EXPECT_TRUE(std::isnan(there.mean));
  else
    EXPECT_EQ(there.mean, here.mean);
}

TEST(PoissonOnDevice, HasTheSolutionOfTheHost) {
  for (const Scheme scheme : {Scheme::spectral, Scheme::second_order, Scheme::compact})
    for (const Shape& shape : {Shape{12}, {10, 9}, {8, 9, 10}})
      for (const int ranks : {1, 3})
        for (const bool in_place : {false, true})
          on_ranks(ranks, [&](const Comm& comm) {
            PoissonProblem problem{.shape = shape, .scheme = scheme, .project = true};
            check<double>(comm, problem, {.in_place = in_place});
            check<float>(comm, problem, {.in_place = in_place});
            problem.project = false;
            problem.shift = 1.5;
            check<double>(comm, problem, {.input = slabs(shape.dims() - 1), .in_place = in_place});
          });
}

TEST(PoissonOnDevice, LooksAtTheMeanUnlessItIsToBeDropped) {
  PoissonReport report;
  EXPECT_NE(thrown([&] {
              (void)solved<double>(local(), {.shape = {6, 5}}, {.device = space()}, report);
            }).find("the mean of f and of the values at the ends is zero"),
            std::string::npos);
  PoissonProblem allows{.shape = {6, 5}, .compatible = 10};
  check<double>(local(), allows, {});
}

// Problems of any ends, points and layouts, with values and tolerances.
TEST(PoissonOnDevice, HasTheSolutionOfTheHostInAnyBox) {
  const int problems = shardfft::testing::chosen_problems(60);
  for (int i = 0; i < problems && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = shardfft::testing::chosen_seed(20261130) + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto any_of = [&](auto... values) { return std::array{values...}[random() % sizeof...(values)]; };
    PoissonProblem problem{.points = any_of(Points::cells, Points::nodes), .shift = any_of(0.0, 2.5), .project = true};
    const int dims = any_of(1, 2, 3);
    problem.shape = Shape::filled(dims, 0);
    for (int a = 0; a < dims; ++a) {
      problem.shape[a] = 2 + static_cast<Index>(random() % 11);
      problem.ends.push_back(any_of(periodic, neumann, dirichlet, dirichlet_neumann, neumann_dirichlet));
    }
    problem.scheme =
        any_of(Scheme::second_order, Scheme::fourth_order, Scheme::sixth_order, Scheme::compact, Scheme::spectral);
    if (i % 3 == 0) {
      problem.scheme = Scheme::second_order;
      for (const Ends& ends : problem.ends) {
        const auto some = [](const Position& x) { return 1 + x[0] - x[1] * x[2]; };
        problem.values.push_back(ends.low == Boundary::periodic ? EndValues{} : EndValues{.low = some, .high = some});
      }
    }
    const Options options{.input = any_of(slabs(0), slabs(dims - 1), bricks()), .in_place = i % 2 == 0};
    on_ranks(any_of(1, 2, 3, 5), [&](const Comm& comm) {
      i % 4 < 2 ? check<double>(comm, problem, options) : check<float>(comm, problem, options);
    });
  }
}

TEST(PoissonOnDevice, KeepsATolerance) {
  on_ranks(4, [](const Comm& comm) {
    const PoissonProblem problem{
        .shape = {24, 20, 16}, .ends = {dirichlet, periodic, neumann}, .scheme = Scheme::spectral};
    PoissonReport exact, lossy;
    const auto expected = solved<double>(comm, problem, {}, exact);
    const auto found = solved<double>(
        comm, problem, {.tolerance = 1e-4, .device = space(), .expert = {.codec = "block_float", .encode_near = true}},
        lossy);
    double lost = 0;
    for (std::size_t i = 0; i < found.size(); ++i) lost = std::max(lost, std::abs(found[i] - expected[i]));
    EXPECT_GT(all_max(comm, lost), 0);
    EXPECT_LT(lost, 1e-4);
    EXPECT_LT(lossy.bytes_after, lossy.bytes_before);
  });
}

TEST(PoissonOnDevice, HasTheSolutionOfTheHostWithoutEnds) {
  for (const Shape& shape : {Shape{7, 6}, {6, 5, 8}})
    for (const int ranks : {1, 2, 3, 5})
      for (const Precision precision : {f64, f32})
        on_ranks(ranks, [&](const Comm& comm) {
          const auto check_of = [&]<class T>(T bound) {
            OpenProblem problem{.shape = shape, .precision = precision};
            PoissonReport report;
            Options options{.in_place = ranks % 2 == 0};
            const auto expected = solved<T, OpenPoisson>(comm, problem, options, report);
            options.device = space();
            const auto found = solved<T, OpenPoisson>(comm, problem, options, report);
            for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], bound);
          };
          precision == f32 ? check_of(1e-5F) : check_of(1e-14);
        });
}

TEST(PoissonOnDevice, CopiesArraysOfTheHostThereAndBack) {
  for (const bool in_place : {false, true})
    on_ranks(3, [&](const Comm& comm) {
      const PoissonProblem problem{.shape = {6, 7, 8}, .ends = {dirichlet, periodic, neumann}};
      PoissonReport report;
      const auto expected = solved<double>(comm, problem, {.in_place = in_place}, report);
      Poisson solver(comm, problem, {.in_place = in_place, .device = space()});
      const std::size_t bytes = solver.plan().input_bytes();
      Array f(bytes), other(bytes);
      std::mt19937_64 random(static_cast<std::uint64_t>(comm.rank()));
      for (double& x : f.as<double>()) x = std::uniform_real_distribution<>(-1, 1)(random);
      Array& u = in_place ? f : other;
      (void)solver.solve(f, u);
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(u.as<double>()[i], expected[i], 1e-14);
    });
}

TEST(PoissonOnDevice, StretchedAxesAndEstimatesAreOfTheHost) {
  const PoissonProblem stretched{
      .shape = {6, 2}, .ends = {periodic, dirichlet}, .stretched = 1, .faces = {0.0, 0.3, 1.0}};
  EXPECT_NE(thrown([&] { Poisson(local(), stretched, {.device = space()}); }).find("say arrays = \"host\""),
            std::string::npos);
  Poisson solver(local(), {.shape = {6, 6}}, {.device = space()});
  EXPECT_NE(thrown([&] { (void)solver.estimate(solver.make_array()); }).find("estimated on the host"),
            std::string::npos);
}

}  // namespace
}  // namespace shardfft::solvers
