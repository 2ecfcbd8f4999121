#include <gtest/gtest.h>

#include <algorithm>

#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::solvers {
namespace {

// Energy at 1 of a run with 512 points each way, which 64 resolve so far. The peak of the dissipation is that of van
// Rees, Leonard, Pullin and Koumoutsakos, J. Comput. Phys. 230 (2011), with 512 points: 0.012858 at 8.97. 64 points
// are too few for the last per cent of its height and time.
TEST(NavierStokes, OnSixtyFourPointsFollowsTheReferenceUntilOneAndThenItsPeakToFivePerCent) {
  FlowProblem problem;
  problem.shape = {64, 64, 64};
  problem.viscosity = 1.0 / 1600;
  NavierStokes flow(local(), problem);
  flow.taylor_green();
  for (int i = 0; i < 100; ++i) flow.step(0.01);
  EXPECT_NEAR(flow.energy(), 0.124515267367, 1e-11);
  EXPECT_NEAR(flow.dissipation(), 5.18819e-4, 1e-8);
  double peak = 0, time = 0;
  while (flow.time() < 10) {
    for (int i = 0; i < 4; ++i) flow.step(0.025);
    if (flow.dissipation() > peak) peak = flow.dissipation(), time = flow.time();
  }
  constexpr double published_peak = 0.012858, published_time = 8.97;
  EXPECT_NEAR(peak, published_peak, 0.05 * published_peak);
  EXPECT_NEAR(time, published_time, 0.25);
}

}  // namespace
}  // namespace shardfft::solvers
