// Poisson's equation in periodic boxes whose arrays are on a device, the emulated one, against the host's solution.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "shardfft/solvers/poisson.hpp"
#include "support/chosen.hpp"
#include "support/thrown.hpp"

namespace shardfft::solvers {
namespace {

using shardfft::testing::space;
using shardfft::testing::thrown;

template <class T>
std::vector<T> solved(const Comm& comm, const PoissonProblem& problem, const Options& options, PoissonReport& report) {
  Poisson solver(comm, problem, options);
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

TEST(PoissonOnDevice, OtherBoxesAndTolerancesAreRefused) {
  const auto refused = [](const PoissonProblem& problem, const Options& options) {
    return thrown([&] { Poisson(local(), problem, options); });
  };
  const PoissonProblem walls{.shape = {6, 6}, .ends = {dirichlet, periodic}};
  EXPECT_NE(refused(walls, {.device = space()}).find("are of the host"), std::string::npos);
  EXPECT_NE(refused({.shape = {6, 6}}, {.tolerance = 1e-3, .device = space()}).find("apply on a device is exact"),
            std::string::npos);
  Poisson solver(local(), {.shape = {6, 6}}, {.device = space()});
  EXPECT_NE(thrown([&] { (void)solver.estimate(solver.make_array()); }).find("estimated on the host"),
            std::string::npos);
}

}  // namespace
}  // namespace shardfft::solvers
