#include "shardfft/solvers/navier_stokes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "support/chosen.hpp"
#include "support/ranks/in_child.hpp"

namespace shardfft::solvers {
namespace {

using testing::sanitized;

constexpr Form forms[] = {Form::rotational, Form::convective, Form::divergence};

FlowProblem taylor_green(Index n, Form form = Form::rotational) {
  FlowProblem problem;
  problem.shape = {n, n, n};
  problem.viscosity = 1.0 / 1600;
  problem.form = form;
  return problem;
}

/// After `steps` of `dt` from the Taylor-Green vortex.
NavierStokes flow_after(const Comm& comm, const FlowProblem& problem, int steps, double dt = 0.01) {
  NavierStokes flow(comm, problem);
  flow.taylor_green();
  for (int i = 0; i < steps; ++i) flow.step(dt);
  return flow;
}

// Exact; docs/guide/navier_stokes.md.
TEST(NavierStokes, BeginsWithTheEnergyOfTaylorAndGreen) {
  const NavierStokes flow = flow_after(local(), taylor_green(16), 0);
  EXPECT_NEAR(flow.energy(), 1.0 / 8, 1e-15);
  EXPECT_NEAR(flow.enstrophy(), 3.0 / 8, 1e-14);
  EXPECT_NEAR(flow.dissipation(), 0.75 / 1600, 1e-16);
  EXPECT_NEAR(flow.largest_velocity(), 1, 1e-14);
  EXPECT_LT(flow.divergence(), 1e-15);
}

// Numbers that spectralDNS and mpi4py-fft keep for this case.
TEST(NavierStokes, InEveryFormHasTheEnergyThatOthersHave) {
  if (sanitized) return;  // the next test runs every form
  for (const Form form : forms)
    for (const bool batched : {true, false}) {
      FlowProblem problem = taylor_green(32, form);
      problem.batched = batched;
      const FlowSums sums = flow_after(local(), problem, 10).sums();
      EXPECT_NEAR(sums.energy, 0.124953117517, 1e-12) << name(form) << batched;
      EXPECT_NEAR(sums.enstrophy, 0.375249931, 1e-9) << name(form) << batched;
      EXPECT_LT(sums.divergence, 1e-14);
    }
}

// With the 2/3 rule all are the same Galerkin scheme.
TEST(NavierStokes, FormsAgreeToRounding) {
  for (const Index n : {16, 20}) {
    std::vector<double> energies;
    for (const Form form : forms)
      energies.push_back(flow_after(local(), taylor_green(n, form), sanitized ? 2 : 20).energy());
    for (const double energy : energies) EXPECT_NEAR(energy, energies[0], 1e-13) << n;
  }
}

/// curl(u) = u, in units of the box over 2 pi.
std::array<double, 3> beltrami(double x, double y, double z) {
  return {std::sin(z) + 0.3 * std::cos(y), 0.7 * std::sin(x) + std::cos(z), 0.3 * std::sin(y) + 0.7 * std::cos(x)};
}

// If the curl is the velocity, advection is a gradient, and the flow decays as exp(-viscosity t), whatever its form.
TEST(NavierStokes, LetsABeltramiFlowDecayAsItMust) {
  for (const Form form : forms)
    for (const bool dealias : {true, false}) {
      FlowProblem problem = taylor_green(12, form);
      problem.shape = {12, 9, 10};
      problem.viscosity = 0.1;
      problem.dealias = dealias;
      NavierStokes flow(local(), problem);
      flow.set(beltrami);
      const double energy = flow.energy();
      for (int i = 0; i < 10; ++i) flow.step(0.02);
      EXPECT_NEAR(flow.energy(), energy * std::exp(-2 * 0.1 * 0.2), 1e-12) << name(form) << dealias;
      EXPECT_NEAR(flow.enstrophy(), flow.energy(), 1e-12) << name(form) << dealias;
    }
}

// One flow in a box that is smaller, slower and as viscous relative to both.
TEST(NavierStokes, ScalesWithTheLengthsOfTheBox) {
  const FlowProblem wide = taylor_green(16);
  FlowProblem narrow = wide;
  for (double& length : narrow.lengths) length /= 4;
  narrow.viscosity /= 4;
  NavierStokes a = flow_after(local(), wide, 5, 0.02), b = flow_after(local(), narrow, 5, 0.005);
  EXPECT_NEAR(a.energy(), b.energy(), 1e-15);
  EXPECT_NEAR(16 * a.enstrophy(), b.enstrophy(), 1e-13);
  const std::vector<double> shells = a.spectrum(), others = b.spectrum();
  ASSERT_EQ(shells.size(), others.size());
  for (std::size_t s = 0; s < shells.size(); ++s) EXPECT_NEAR(shells[s], others[s], 1e-15);
}

TEST(NavierStokes, CutsGradientsOutOfWhatItBeginsWith) {
  const auto shaken = [](double x, double y, double z) {
    auto u = beltrami(x, y, z);
    u[0] += std::cos(x + 2 * y), u[1] += 2 * std::cos(x + 2 * y);  // the gradient of sin(x + 2 y)
    return u;
  };
  NavierStokes flow(local(), taylor_green(16)), pure(local(), taylor_green(16));
  flow.set(shaken);
  pure.set(beltrami);
  EXPECT_NEAR(flow.energy(), pure.energy(), 1e-14);
  EXPECT_LT(flow.divergence(), 1e-14);
}

// dE/dt by central differences of order 4.
TEST(NavierStokes, LosesTheEnergyThatItDissipates) {
  constexpr double dt = 0.01;
  FlowProblem problem = taylor_green(24);
  problem.viscosity = 0.01;
  NavierStokes flow = flow_after(local(), problem, sanitized ? 1 : 20, dt);
  std::vector<double> energies, dissipations;
  for (int i = 0; i < 5; ++i) {
    energies.push_back(flow.energy());
    dissipations.push_back(flow.dissipation());
    flow.step(dt);
  }
  const double rate = (energies[0] - 8 * energies[1] + 8 * energies[3] - energies[4]) / (12 * dt);
  EXPECT_NEAR(-rate / dissipations[2], 1, 1e-8);
}

TEST(NavierStokes, FindsAllItsEnergyInShells) {
  const NavierStokes flow = flow_after(local(), taylor_green(16), 10);
  const std::vector<double> shells = flow.spectrum();
  double sum = 0;
  for (const double shell : shells) sum += shell;
  EXPECT_NEAR(sum, flow.energy(), 1e-15);
  EXPECT_GT(shells[2], 0.99 * sum);  // |k| = sqrt(3)
  EXPECT_NEAR(shells[0], 0, 1e-30);
}

/// The whole state, by position.
std::vector<double> gathered(const Comm& comm, const NavierStokes& flow) {
  const Layout& layout = flow.state_layout();
  std::vector<double> all(static_cast<std::size_t>(2 * product(layout.global())), 0.0);
  const auto* mine = static_cast<const double*>(flow.state().data);
  const Shape n = layout.global();
  for_each_element(layout, comm.rank(), [&](const Coord& at, std::size_t i) {
    const Index to = ((at[0] * n[1] + at[1]) * n[2] + at[2]) * n[3] + at[3];
    std::copy_n(mine + 2 * i, 2, all.data() + 2 * to);
  });
  std::vector<double> of_ranks(all.size() * static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(all)), std::as_writable_bytes(std::span(of_ranks)));
  for (std::size_t i = 0; i < of_ranks.size(); ++i)
    all[i % all.size()] = i < all.size() ? of_ranks[i] : all[i % all.size()] + of_ranks[i];
  return all;
}
std::vector<double> part_of(const std::vector<double>& all, const Comm& comm, const NavierStokes& flow) {
  std::vector<double> mine(flow.state().bytes / sizeof(double));
  const Shape n = flow.state_layout().global();
  for_each_element(flow.state_layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
    std::copy_n(all.data() + 2 * (((at[0] * n[1] + at[1]) * n[2] + at[2]) * n[3] + at[3]), 2, mine.data() + 2 * i);
  });
  return mine;
}

// 13 ranks are more than there are modes along an axis: pencils.
TEST(NavierStokes, HasTheSameBitsOnAnyNumberOfRanks) {
  for (const Form form : forms)
    for (const Precision precision : {f64, f32}) {
      FlowProblem problem = taylor_green(16, form);
      problem.shape = {16, 18, 15};
      problem.precision = precision;
      const NavierStokes alone = flow_after(local(), problem, 4);
      const FlowSums sums = alone.sums();
      const std::vector<double> shells = alone.spectrum();
      const std::uint64_t hash = alone.hash();
      for (const int ranks : precision == f64 && !sanitized ? std::vector{2, 3, 5, 13} : std::vector{3})
        on_ranks(ranks, [&](const Comm& comm) {
          const NavierStokes flow = flow_after(comm, problem, 4);
          const FlowSums found = flow.sums();
          EXPECT_EQ(found.energy, sums.energy) << ranks << name(form);
          EXPECT_EQ(found.enstrophy, sums.enstrophy);
          EXPECT_EQ(found.divergence, sums.divergence);
          EXPECT_EQ(flow.spectrum(), shells);
          EXPECT_EQ(flow.hash(), hash);
        });
    }
}

TEST(NavierStokes, HasTheSameBitsBatchedAndOnAnyNumberOfThreads) {
  for (const Form form : forms) {
    FlowProblem problem = taylor_green(16, form);
    const std::uint64_t hash = flow_after(local(), problem, 3).hash();
    problem.batched = false;
    EXPECT_EQ(flow_after(local(), problem, 3).hash(), hash);
    NavierStokes flow(local(), problem, {.threads = 3});
    flow.taylor_green();
    for (int i = 0; i < 3; ++i) flow.step(0.01);
    EXPECT_EQ(flow.hash(), hash);
  }
}

// The product is taken inside a sweep, by the same code.
TEST(NavierStokes, HasTheSameBitsFusedOnAnyNumberOfRanks) {
  for (const Precision precision : {f64, f32}) {
    FlowProblem problem = taylor_green(16);
    problem.shape = {16, 18, 15};
    problem.precision = precision;
    problem.dealias = precision == f64;
    const std::uint64_t hash = flow_after(local(), problem, 2).hash();
    problem.fused = true;
    for (const int ranks : {1, 3, 13})
      on_ranks(ranks, [&](const Comm& comm) { EXPECT_EQ(flow_after(comm, problem, 2).hash(), hash) << ranks; });
  }
}

TEST(NavierStokes, GoesOnFromAStateOnAnotherNumberOfRanks) {
  const FlowProblem problem = taylor_green(16);
  const std::uint64_t hash = flow_after(local(), problem, 7).hash();
  std::vector<double> state;
  on_ranks(2, [&](const Comm& comm) {
    const std::vector<double> all = gathered(comm, flow_after(comm, problem, 4));
    if (comm.rank() == 0) state = all;
  });
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](const Comm& comm) {
      NavierStokes flow(comm, problem);
      const std::vector<double> part = part_of(state, comm, flow);
      flow.restore(part, 0.04, 4);
      EXPECT_EQ(flow.steps(), 4);
      for (int i = 0; i < 3; ++i) flow.step(0.01);
      EXPECT_EQ(flow.hash(), hash);
      EXPECT_NEAR(flow.time(), 0.07, 1e-15);
    });
}

/// What `work` is refused with, "" if it is not.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
  } catch (const Error& e) { return e.what(); }
  return {};
}

TEST(NavierStokes, SaysWhenVelocitiesBlowUp) {
  for (const bool fused : {false, true})
    on_ranks(2, [fused](const Comm& comm) {
      FlowProblem problem = taylor_green(16);
      problem.fused = fused;
      const std::string said = refusal_of([&] { (void)flow_after(comm, problem, 200, 2).energy(); });
      for (const char* word : {"after step", "the largest is", "steps of at most", "dt = 2", "smaller step"})
        EXPECT_NE(said.find(word), std::string::npos) << word << ": " << said;
      // The step that it names is stable.
      NavierStokes flow(comm, problem);
      flow.taylor_green();
      const double dt = flow.stable_step();
      for (int i = 0; i < 20; ++i) flow.step(dt);
      EXPECT_LT(flow.energy(), 0.125);
    });
}

TEST(NavierStokes, RefusesWhatIsNoFlow) {
  const auto refused = [](auto change) {
    return refusal_of([&] {
      FlowProblem problem = taylor_green(16);
      change(problem);
      NavierStokes flow(local(), problem);
    });
  };
  EXPECT_NE(refused([](FlowProblem& p) { p.shape = {16, 16}; }).find("three axes"), std::string::npos);
  EXPECT_NE(refused([](FlowProblem& p) { p.shape = {16, 3, 16}; }).find("at least 4"), std::string::npos);
  EXPECT_NE(refused([](FlowProblem& p) { p.lengths[1] = 0; }).find("positive"), std::string::npos);
  EXPECT_NE(refused([](FlowProblem& p) { p.viscosity = -1; }).find("viscosity"), std::string::npos);
  EXPECT_NE(refused([](FlowProblem& p) { p.fused = true, p.batched = false; }).find("batched"), std::string::npos);
  NavierStokes flow = flow_after(local(), taylor_green(16), 0);
  EXPECT_NE(refusal_of([&] { flow.step(-1); }).find("positive"), std::string::npos);
  EXPECT_NE(refusal_of([&] { flow.restore(View(), 0, 0); }).find("bytes"), std::string::npos);
}

TEST(NavierStokes, MadeBeforeForkGoesOnInTheChild) {
  FlowProblem problem = taylor_green(32);
  NavierStokes flow(local(), problem, {.threads = 2});
  flow.taylor_green();
  flow.step(0.01);
  const FlowSums before = flow.sums();
  EXPECT_EQ(testing::in_child([&] {
              if (flow.sums().energy != before.energy) throw Error(Status::internal, "the energy differs");
              flow.step(0.01);
              (void)flow.spectrum();
              if (flow.hash() != flow_after(local(), problem, 2).hash()) throw Error(Status::internal, "bits differ");
            }),
            "ok");
}

/// What `work` throws on this rank.
template <class Work>
std::string said_by(Work work) {
  try {
    work();
  } catch (const Error& e) { return e.what(); }
  return "nothing";
}

TEST(NavierStokes, RefusesOnEveryRankWhatRanksGiveDifferently) {
  on_ranks(3, [](const Comm& comm) {
    const double mine = comm.rank() == 2 ? 0.02 : 0.01, hidden = std::nan("");
    const auto expect = [&](const std::string& said, const char* rule) {
      EXPECT_NE(said.find(rule), std::string::npos) << "rank " << comm.rank() << ": " << said;
    };
    NavierStokes flow(comm, taylor_green(8));
    flow.taylor_green();
    const std::uint64_t start = flow.hash();
    expect(said_by([&] { flow.step(mine); }), "the same on every rank; got 0.01 on rank 0 and 0.02 on rank 2");
    expect(said_by([&] { flow.step(comm.rank() == 0 ? hidden : 0.01); }), "the same on every rank");
    expect(said_by([&] { flow.step(-1); }), "a time step must be positive; got -1");
    EXPECT_EQ(flow.hash(), start);
    expect(said_by([&] { flow.restore(flow.state(), mine, 0); }), "the time of a state");
    expect(said_by([&] { flow.restore(flow.state(), 0, comm.rank()); }), "the time of a state");
    expect(said_by([&] {
             flow.set([&](double, double, double) -> std::array<double, 3> {
               if (comm.rank() == 1) throw Error(Status::invalid_argument, "no velocity here");
               return {0, 0, 0};
             });
           }),
           "no velocity here");
    for (const auto change : std::initializer_list<void (*)(FlowProblem&)>{
             [](FlowProblem& p) { p.viscosity = 1; }, [](FlowProblem& p) { p.lengths[1] = 3; },
             [](FlowProblem& p) { p.form = Form::divergence; }, [](FlowProblem& p) { p.dealias = false; },
             [](FlowProblem& p) { p.batched = false; }, [](FlowProblem& p) { p.fused = true; },
             [](FlowProblem& p) { p.precision = f32; }, [](FlowProblem& p) { p.viscosity = -1; }}) {
      FlowProblem other = taylor_green(8);
      if (comm.rank() == 1) change(other);
      expect(said_by([&] { const NavierStokes made(comm, other); }), "the problem");
    }
  });
}

}  // namespace
}  // namespace shardfft::solvers
