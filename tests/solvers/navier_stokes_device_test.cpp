// Flows whose arrays are in the memory of a device, the emulated one, against those of the host.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "shardfft/solvers/navier_stokes.hpp"
#include "support/chosen.hpp"
#include "support/thrown.hpp"

namespace shardfft::solvers {
namespace {

using shardfft::testing::sanitized;
using shardfft::testing::space;
using shardfft::testing::thrown;

constexpr Form all_forms[] = {Form::rotational, Form::convective, Form::divergence};

FlowProblem flow_of(const Shape& shape, Form form, Precision precision = f64) {
  FlowProblem problem;
  problem.shape = shape;
  problem.viscosity = 1.0 / 1600;
  problem.form = form;
  problem.precision = precision;
  return problem;
}

NavierStokes run(const Comm& comm, const FlowProblem& problem, int steps, const std::string& device, double dt = 0.01) {
  NavierStokes flow(comm, problem, {.device = device});
  flow.taylor_green();
  for (int i = 0; i < steps; ++i) flow.step(dt);
  return flow;
}

// The figure that other programs keep: docs/guide/navier_stokes.md.
TEST(NavierStokesOnDevice, HasTheEnergyThatOthersHave) {
  const FlowProblem problem = flow_of({32, 32, 32}, Form::rotational);
  const NavierStokes flow = run(local(), problem, sanitized ? 1 : 10, space());
  EXPECT_NEAR(flow.energy(), sanitized ? run(local(), problem, 1, "").energy() : 0.124953117517, 1e-12);
  EXPECT_NEAR(flow.enstrophy(), sanitized ? run(local(), problem, 1, "").enstrophy() : 0.375249931, 1e-9);
  EXPECT_LT(flow.divergence(), 1e-14);
  EXPECT_GT(flow.seconds().sweeps, 0);
  EXPECT_GT(flow.seconds().points, 0);
  EXPECT_GT(flow.seconds().modes, 0);
}

// Transforms round otherwise there, all else alike.
TEST(NavierStokesOnDevice, AgreesWithTheHostInEveryFormAndPrecision) {
  for (const Form form : all_forms)
    for (const Precision precision : {f64, f32})
      for (const bool dealias : {true, false}) {
        FlowProblem problem = flow_of({16, 12, 9}, form, precision);
        problem.dealias = dealias;
        problem.batched = dealias;
        const NavierStokes here = run(local(), problem, 2, ""), there = run(local(), problem, 2, space());
        const double near = precision == f64 ? 1e-14 : 1e-6;
        EXPECT_NEAR(there.energy(), here.energy(), near) << name(form) << dealias;
        EXPECT_NEAR(there.enstrophy(), here.enstrophy(), 10 * near) << name(form) << dealias;
        EXPECT_NEAR(there.largest_velocity(), here.largest_velocity(), 10 * near) << name(form) << dealias;
        EXPECT_NEAR(there.stable_step(), here.stable_step(), 10 * near);
        const std::vector<double> mine = here.spectrum(), its = there.spectrum();
        ASSERT_EQ(mine.size(), its.size());
        for (std::size_t s = 0; s < mine.size(); ++s) EXPECT_NEAR(its[s], mine[s], near) << s;
      }
}

// Sweeps there take as many axes as a rank's part allows, so that bits depend on the number of ranks.
TEST(NavierStokesOnDevice, AgreesOnAnyNumberOfRanksBatchedAndNot) {
  for (const Form form : all_forms) {
    FlowProblem problem = flow_of({12, 10, 9}, form);
    const FlowSums alone = run(local(), problem, 2, space()).sums();
    for (const bool batched : {true, false})
      for (const int ranks : sanitized ? std::vector{3} : std::vector{1, 3, 13}) {
        problem.batched = batched;
        on_ranks(ranks, [&](const Comm& comm) {
          const FlowSums sums = run(comm, problem, 2, space()).sums();
          EXPECT_NEAR(sums.energy, alone.energy, 1e-15) << name(form) << batched << " on " << ranks;
          EXPECT_NEAR(sums.enstrophy, alone.enstrophy, 1e-14) << name(form) << batched << " on " << ranks;
        });
      }
  }
}

TEST(NavierStokesOnDevice, GoesOnFromAStateOfTheHost) {
  const FlowProblem problem = flow_of({12, 12, 12}, Form::rotational);
  const NavierStokes before = run(local(), problem, 2, "");
  NavierStokes flow(local(), problem, {.device = space()});
  flow.restore(before.state(), 0.02, 2);
  EXPECT_EQ(flow.hash(), before.hash()) << "what it was given it gives back";
  flow.step(0.01);
  EXPECT_NEAR(flow.energy(), run(local(), problem, 3, "").energy(), 1e-15);
}

TEST(NavierStokesOnDevice, IsOnTheHostWhereTransformsAloneGoThroughADevice) {
  const FlowProblem problem = flow_of({12, 12, 12}, Form::divergence);
  NavierStokes flow(local(), problem, {.device = space(), .arrays = "host"});
  flow.taylor_green();
  for (int i = 0; i < 3; ++i) flow.step(0.01);
  EXPECT_EQ(flow.space(), Space::host);
  EXPECT_NEAR(flow.energy(), run(local(), problem, 3, "").energy(), 1e-15);
}

TEST(NavierStokesOnDevice, SaysWhenVelocitiesBlowUpAndWhatItDoesNotDo) {
  FlowProblem problem = flow_of({16, 16, 16}, Form::rotational);
  EXPECT_NE(thrown([&] { (void)run(local(), problem, 10, space(), 2); }).find("velocities must stay bounded"),
            std::string::npos);
  problem.fused = true;
  EXPECT_NE(thrown([&] { (void)run(local(), problem, 10, space(), 2); }).find("velocities must stay bounded"),
            std::string::npos);
}

// Points are never stored: a product between two transforms, and the squares of velocities where they are looked at.
TEST(NavierStokesOnDevice, FusedIsTheSameFlow) {
  for (const Precision precision : {f64, f32})
    for (const bool dealias : {true, false})
      for (const int ranks : sanitized ? std::vector{3} : std::vector{1, 2, 5, 13}) {
        FlowProblem problem = flow_of({12, 10, 9}, Form::rotational, precision);
        problem.dealias = dealias;
        const NavierStokes alone = run(local(), problem, 2, "");
        const double energy = alone.energy(), enstrophy = alone.enstrophy(), largest = alone.largest_velocity();
        problem.fused = true;
        on_ranks(ranks, [&](const Comm& comm) {
          const NavierStokes flow = run(comm, problem, 2, space());
          const double near = precision == f64 ? 1e-14 : 1e-6;
          EXPECT_NEAR(flow.energy(), energy, near) << ranks << dealias;
          EXPECT_NEAR(flow.enstrophy(), enstrophy, 10 * near) << ranks << dealias;
          EXPECT_NEAR(flow.largest_velocity(), largest, 10 * near) << ranks << dealias;
        });
      }
}

}  // namespace
}  // namespace shardfft::solvers
