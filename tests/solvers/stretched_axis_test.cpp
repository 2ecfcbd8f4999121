// One axis with cells of any length.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "solvers/poisson_problems.hpp"

namespace shardfft::solvers {
namespace {

using std::vector;

// Minus the second derivative on cells between faces, by fluxes; `z` last.
double stretched_residual(const PoissonProblem& problem, const vector<double>& f, const vector<double>& u) {
  const Index n0 = problem.shape[0], n1 = problem.shape[1], n2 = problem.shape[2];
  const auto at = [&](Index i, Index j, Index k) { return static_cast<std::size_t>((i * n1 + j) * n2 + k); };
  const double h0 = problem.lengths[0] / static_cast<double>(n0), h1 = problem.lengths[1] / static_cast<double>(n1);
  const auto& z = problem.faces;
  const auto centre = [&](Index k) {
    return (z[static_cast<std::size_t>(k)] + z[static_cast<std::size_t>(k) + 1]) / 2;
  };
  double worst = 0, scale = 0;
  for (Index i = 0; i < n0; ++i)
    for (Index j = 0; j < n1; ++j)
      for (Index k = 0; k < n2; ++k) {
        const double here = u[at(i, j, k)];
        double left = problem.shift * here;
        const auto [a, sa] = continued(i - 1, n0, problem.ends[0], problem.points);
        const auto [b, sb] = continued(i + 1, n0, problem.ends[0], problem.points);
        left += (2 * here - sa * u[at(a, j, k)] - sb * u[at(b, j, k)]) / (h0 * h0);
        const auto [c, sc] = continued(j - 1, n1, problem.ends[1], problem.points);
        const auto [d, sd] = continued(j + 1, n1, problem.ends[1], problem.points);
        left += (2 * here - sc * u[at(i, c, k)] - sd * u[at(i, d, k)]) / (h1 * h1);
        const double width = z[static_cast<std::size_t>(k) + 1] - z[static_cast<std::size_t>(k)];
        double out = 0;
        if (k > 0) out += (here - u[at(i, j, k - 1)]) / (centre(k) - centre(k - 1));
        if (k + 1 < n2) out += (here - u[at(i, j, k + 1)]) / (centre(k + 1) - centre(k));
        if (k == 0 && problem.ends[2].low == Boundary::odd) out += here / (width / 2);
        if (k + 1 == n2 && problem.ends[2].high == Boundary::odd) out += here / (width / 2);
        left += out / width;
        worst = std::max(worst, std::abs(left - f[at(i, j, k)]));
        scale = std::max({scale, std::abs(f[at(i, j, k)]), std::abs(here) / (width * width)});
      }
  return worst / scale;
}

vector<double> tanh_faces(Index n, double length) {
  vector<double> faces;
  for (Index i = 0; i <= n; ++i)
    faces.push_back(
        length / 2 *
        (1 + std::tanh(1.5 * (2.0 * static_cast<double>(i) / static_cast<double>(n) - 1)) / std::tanh(1.5)));
  return faces;
}

PoissonProblem channel(const vector<Ends>& ends, Index n) {
  return {.shape = {n, n + 2, n + 4},
          .lengths = {1, 1.5, 1},
          .ends = ends,
          .project = true,
          .stretched = 2,
          .faces = tanh_faces(n + 4, 1)};
}

TEST(StretchedAxis, SolvesItsEquations) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> some(-1, 1);
  for (const auto& ends : {vector<Ends>{periodic, periodic, neumann},
                           {periodic, dirichlet, dirichlet},
                           {neumann, neumann, neumann},
                           {neumann_dirichlet, periodic, dirichlet_neumann}}) {
    const PoissonProblem problem = channel(ends, 12);
    Poisson poisson(local(), problem, {.threads = 1});
    vector<double> f(static_cast<std::size_t>(product(problem.shape))), u(f.size());
    for (double& x : f) x = some(random);
    const PoissonReport report = poisson.solve(f, u);
    for (double& x : f) x -= report.mean;
    EXPECT_LT(stretched_residual(problem, f, u), 1e-12) << name_of(ends, Points::cells);
    if (!report.gauge) continue;
    double mean = 0;
    for_each_element(poisson.layout(), 0, [&](const Coord& at, std::size_t i) {
      const auto k = static_cast<std::size_t>(at[2]);
      mean += u[i] * (problem.faces[k + 1] - problem.faces[k]);
    });
    EXPECT_NEAR(mean / static_cast<double>(problem.shape[0] * problem.shape[1]), 0, 1e-16);
  }
}

TEST(StretchedAxis, HasOrderTwoAndTakesAnyAxisAndValues) {
  for (int stretched = 0; stretched < 3; ++stretched) {
    const auto error = [&](Index n) {
      PoissonProblem problem{.shape = {n, n, n},
                             .lengths = {1, 1, 1},
                             .ends = {dirichlet, periodic, neumann},
                             .project = true,
                             .stretched = stretched,
                             .faces = tanh_faces(n, 1)};
      problem.ends[static_cast<std::size_t>(stretched)] = dirichlet_neumann;
      return error_of(problem, solve_known(local(), problem));
    };
    EXPECT_NEAR(std::log2(error(16) / error(32)), 2, 0.15) << stretched;
  }
}

TEST(StretchedAxis, GivesTheSameBitsOnAnyNumberOfRanks) {
  for (const auto& ends : {vector<Ends>{periodic, periodic, neumann}, {neumann, dirichlet, dirichlet}}) {
    std::set<std::uint64_t> hashes;
    for (const int ranks : {1, 2, 3, 5})
      on_ranks(ranks, [&](const Comm& comm) {
        Poisson poisson(comm, channel(ends, 6));
        Array f = poisson.make_array(), u = poisson.make_array();
        for_each_element(poisson.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
          f.as<double>()[i] = std::sin(static_cast<double>(at[0] + 3 * at[1] + 7 * at[2] * at[2]));
        });
        (void)poisson.solve(f, u);
        const std::uint64_t hash = poisson.plan().hash_input(u);
        if (comm.rank() == 0) hashes.insert(hash);
      });
    EXPECT_EQ(hashes.size(), 1);
  }
}

}  // namespace
}  // namespace shardfft::solvers
