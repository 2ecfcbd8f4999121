// Solvers give the listed bits on every instruction set. A new list is a new version of the bits, as that of
// tests/plan/bits.
#include <gtest/gtest.h>

#include <cstdint>

#include "engine/targets.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/programs/bits.hpp"
#include "shardfft/solvers/navier_stokes.hpp"
#include "shardfft/solvers/open_poisson.hpp"
#include "solvers/poisson_problems.hpp"

namespace shardfft::solvers {
namespace {

template <class Solver, class Problem>
std::uint64_t hash_of(const Problem& problem) {
  Solver solver(local(), problem, {.threads = 1});
  Array f = solver.make_array(), u = solver.make_array();
  fill_with_noise(solver.layout(), 0, problem.precision, false, f, 1);
  (void)solver.solve(f, u);
  return solver.plan().hash_input(u);
}

template <class Hash>
void expect_on_every_target(std::uint64_t listed, const char* what, const Hash& hash) {
  int targets = 0;
  testing::on_every_target([&] {
    if (!has_listed_bits()) return;
    ++targets;
    EXPECT_EQ(hash(), listed) << what;
  });
  if (targets == 0) GTEST_SKIP() << "no instruction set here has fused multiply-adds";
}

TEST(SolverBits, OfPoissonsEquationAreListed) {
  const auto expect = [](std::uint64_t listed, const char* what, const PoissonProblem& problem) {
    expect_on_every_target(listed, what, [&] { return hash_of<Poisson>(problem); });
  };
  expect(0xeec44f0669f136f4, "periodic", {.shape = {20, 18, 24}, .scheme = Scheme::spectral, .project = true});
  expect(0xc353d94b67ab33e2, "walls",
         {.shape = {20, 18, 24}, .ends = {dirichlet, neumann, dirichlet_neumann}, .scheme = Scheme::sixth_order});
  expect(0xf1d2774d9649a9b3, "compact, f32",
         {.shape = {40, 36}, .ends = {dirichlet, periodic}, .scheme = Scheme::compact, .precision = f32});
  expect(0x195758243d755b5c, "stretched",
         {.shape = {6, 20},
          .ends = {neumann, periodic},
          .project = true,
          .stretched = 0,
          .faces = {0, 1, 2, 4, 7, 11, 16}});
}

TEST(SolverBits, OfPoissonsEquationInOpenSpaceAreListed) {
  expect_on_every_target(0xdf54c62ec75d7f75, "open",
                         [] { return hash_of<OpenPoisson>(OpenProblem{.shape = {12, 10, 14}}); });
}

TEST(SolverBits, OfTheTaylorGreenVortexAreListed) {
  expect_on_every_target(0xa9169b70b7ddc196, "flow", [] {
    NavierStokes flow(local(), {.shape = {16, 16, 16}, .viscosity = 0.01}, {.threads = 1});
    flow.taylor_green();
    for (int i = 0; i < 5; ++i) flow.step(0.02);
    return flow.hash();
  });
}

}  // namespace
}  // namespace shardfft::solvers
