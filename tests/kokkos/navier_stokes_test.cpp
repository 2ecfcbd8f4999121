// A flow that a user computes on Views, beside the solver's.
#include "shardfft/solvers/navier_stokes.hpp"
#include "flow_of_views.hpp"
#include "support/ranks/mpi_world.hpp"

namespace shardfft::testing {
namespace {

/// No symmetry between the axes, and with a divergence.
struct Stirred {
  KOKKOS_INLINE_FUNCTION std::array<double, 3> operator()(double x, double y, double z) const {
    return {std::sin(x) * std::cos(y) * std::cos(z) + 0.3 * std::cos(2 * y + z),
            -std::cos(x) * std::sin(y) * std::cos(z) + 0.2 * std::sin(x - z), 0.4 * std::cos(x + 2 * y - z)};
  }
};

TEST(kokkos_navier_stokes, AFlowOfViewsHasTheSolversEnergyInEveryShell) {
  constexpr double viscosity = 0.05, dt = 0.02;
  const Comm comm = world(8);
  FlowOfViews views(comm, {12, 15, 10}, viscosity);
  solvers::NavierStokes flow(comm, {.shape = {12, 15, 10}, .viscosity = viscosity, .form = solvers::Form::convective});
  views.set(Stirred{});
  flow.set(Stirred{});
  for (int step = 0; step < 10; ++step) {
    views.step(dt);
    flow.step(dt);
  }
  const std::vector<double> wanted = flow.spectrum(), got = views.spectrum(wanted.size());
  EXPECT_GT(wanted.at(3), 1e-4);  // where the flow had no energy when it began
  for (std::size_t s = 0; s < wanted.size(); ++s) EXPECT_NEAR(got[s], wanted[s], 1e-14) << "shell " << s;
}

}  // namespace
}  // namespace shardfft::testing
