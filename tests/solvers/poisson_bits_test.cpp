// Solvers of Poisson's equation give the same bits on any number of ranks: on random problems.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/solvers/open_poisson.hpp"
#include "solvers/poisson_problems.hpp"
#include "support/chosen.hpp"

namespace shardfft::solvers {
namespace {

using testing::chosen_problems;
using testing::chosen_seed;

Index pick(std::mt19937_64& random, Index low, Index high) {
  return std::uniform_int_distribution<Index>(low, high)(random);
}

template <class T>
void fill(const Layout& layout, const Comm& comm, Array& f) {
  for_each_element(layout, comm.rank(), [&](const Coord& at, std::size_t i) {
    double sum = 0.3;
    for (int a = 0; a < at.dims(); ++a) sum = 3 * sum + static_cast<double>(at[a]);
    f.as<T>()[i] = static_cast<T>(std::sin(sum));
  });
}

/// What `Solver` makes of numbers that depend on the position alone.
template <class Solver, class Problem>
std::uint64_t hash_of(int ranks, const Problem& problem, const Options& options) {
  std::uint64_t result = 0;
  on_ranks(ranks, [&](const Comm& comm) {
    Solver solver(comm, problem, options);
    Array f = solver.make_array(), u = solver.make_array();
    problem.precision == f32 ? fill<float>(solver.layout(), comm, f) : fill<double>(solver.layout(), comm, f);
    (void)solver.solve(f, u);
    const std::uint64_t hash = solver.plan().hash_input(u);
    if (comm.rank() == 0) result = hash;
  });
  return result;
}

LayoutSpec words(std::mt19937_64& random, int dims) {
  const int axis = static_cast<int>(pick(random, 0, dims - 1));
  return std::array{slabs(axis), pencils(axis), bricks(), cyclic(axis)}[static_cast<std::size_t>(pick(random, 0, 3))];
}

TEST(PoissonBits, AreTheSameOnAnyNumberOfRanksWhateverTheShapeSchemeAndEnds) {
  const int problems = chosen_problems(40);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261129) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const int dims = static_cast<int>(pick(random, 2, 3));
    PoissonProblem problem{.shape = Coord::filled(dims, 1),
                           .points = pick(random, 0, 1) == 0 ? Points::cells : Points::nodes,
                           .scheme = std::array{Scheme::spectral, Scheme::second_order, Scheme::fourth_order,
                                                Scheme::sixth_order, Scheme::compact}[static_cast<std::size_t>(i % 5)],
                           .shift = pick(random, 0, 1) == 0 ? 0.0 : 0.6,
                           .precision = pick(random, 0, 1) == 0 ? f32 : f64,
                           .project = true};
    for (int a = 0; a < dims; ++a) {
      problem.shape[a] = pick(random, 4, dims == 2 ? 14 : 9);
      problem.lengths.push_back(0.7 + 0.13 * static_cast<double>(pick(random, 0, 9)));
      problem.ends.push_back(all_ends[pick(random, 0, 4)]);
    }
    if (i % 4 == 3) {  // cells that grow along an axis
      const int a = static_cast<int>(pick(random, 0, dims - 1));
      auto& ends = problem.ends[static_cast<std::size_t>(a)];
      if (ends.low == Boundary::periodic) ends = dirichlet;
      problem.points = Points::cells, problem.scheme = Scheme::second_order, problem.stretched = a;
      for (Index face = 0; face <= problem.shape[a]; ++face)
        problem.faces.push_back(static_cast<double>(face) * (1 + 0.05 * static_cast<double>(face)));
      problem.lengths[static_cast<std::size_t>(a)] = problem.faces.back();
    }
    const Options options{.input = words(random, dims)};
    const auto alone = hash_of<Poisson>(1, problem, options);
    for (const int ranks : {2, 3, 5, 7})
      EXPECT_EQ(hash_of<Poisson>(ranks, problem, options), alone)
          << ranks << " ranks, seed " << seed << ": " << to_string(problem.shape) << ", input "
          << to_string(options.input) << ", stretched " << problem.stretched << ", " << to_string(problem.precision);
  }
}

TEST(PoissonBits, OfOpenBoxesAreTheSameOnAnyNumberOfRanks) {
  const int problems = chosen_problems(10);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261130) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const int dims = static_cast<int>(pick(random, 2, 3));
    OpenProblem problem{.shape = Coord::filled(dims, 1), .precision = i % 2 == 0 ? f32 : f64};
    for (int a = 0; a < dims; ++a) problem.shape[a] = pick(random, 3, 9);
    const Options options{.input = pick(random, 0, 1) == 0 ? LayoutSpec() : slabs(0)};
    const auto alone = hash_of<OpenPoisson>(1, problem, options);
    for (const int ranks : {2, 3, 5, 7})
      EXPECT_EQ(hash_of<OpenPoisson>(ranks, problem, options), alone)
          << ranks << " ranks, seed " << seed << ": " << to_string(problem.shape) << ", "
          << to_string(problem.precision);
  }
}

}  // namespace
}  // namespace shardfft::solvers
