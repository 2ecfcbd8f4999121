// The loops of a flow by formulas against those of the host: the same bits.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "navier_stokes/loops.hpp"
#include "navier_stokes/transforms.hpp"

namespace shardfft::solvers {
namespace {

template <class T>
class BothLoops {
 public:
  explicit BothLoops(Form form) : problem_(problem_of(form)) {
    points_ = {.box = {{0, 0, 0}, {5, 6, 7}}, .apart = 216, .threads = 1};
    modes_ = make_modes(problem_, {{0, 1, 0}, {7, 6, 4}}, {7, 9, 7}, 1);
  }

  /// Calls work(loops, fields), random arrays of three components with room for six, of both.
  template <class Work>
  void expect_same_bits(Work work) {
    std::vector<std::vector<T>> results[2];
    const auto host = host_loops(problem_, points_, modes_), formulas = device_loops(problem_, points_, modes_, plan_);
    for (const int which : {0, 1}) {
      std::mt19937_64 random(7);
      for (int field = 0; field < 4; ++field) {
        std::vector<T>& numbers = results[which].emplace_back(2000);
        for (T& x : numbers) x = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
      }
      work(which == 0 ? *host : *formulas, results[which]);
    }
    for (std::size_t field = 0; field < 4; ++field)
      for (std::size_t i = 0; i < results[0][field].size(); ++i)
        ASSERT_EQ(results[0][field][i], results[1][field][i]) << "field " << field << ", number " << i;
  }

 private:
  static FlowProblem problem_of(Form form) {
    FlowProblem problem;
    problem.shape = {10, 13, 10};
    problem.lengths = {1, 2, 3};
    problem.viscosity = 0.01;
    problem.form = form;
    problem.precision = sizeof(T) == 4 ? f32 : f64;
    return problem;
  }
  FlowProblem problem_;
  PointGrid points_{};
  ModeGrid modes_{};
  Plan plan_{local(), {.shape = {4, 4}}};
};

template <class T>
class FlowLoopsOf : public ::testing::Test {};
using Numbers = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FlowLoopsOf, Numbers);

TYPED_TEST(FlowLoopsOf, FormulasHaveTheBitsOfTheHost) {
  using T = TypeParam;
  using Fields = std::vector<std::vector<T>>;
  for (const Form form : {Form::rotational, Form::convective, Form::divergence}) {
    BothLoops<T> both(form);
    for (int stage = 1; stage <= 4; ++stage)
      both.expect_same_bits([&](FlowLoops& loops, Fields& f) {
        loops.run_stage({f[0].data(), f[1].data(), f[2].data(), f[3].data()}, stage, 0.03);
        f[1].clear();  // what is left of a rate is nobody's
      });
  }
  BothLoops<T> both(Form::rotational);
  both.expect_same_bits([](FlowLoops& loops, Fields& f) {
    loops.project(f[0].data());
    loops.curl(f[1].data(), f[1].data() + 1000);
    for (int axis = 0; axis < 3; ++axis) loops.derive(f[2].data(), axis, f[3].data());
  });
  both.expect_same_bits([](FlowLoops& loops, Fields& f) {
    loops.cross(f[0].data(), f[1].data());
    for (int axis = 0; axis < 3; ++axis) loops.advect(f[0].data(), axis, f[2].data(), f[3].data());
    loops.fluxes(f[2].data(), f[1].data());
    f[0][0] = static_cast<T>(loops.largest_speed(f[3].data()));
  });
}

TEST(FlowLoops, SayThatAVelocityIsNotFinite) {
  const Plan plan(local(), {.shape = {4, 4}});
  FlowProblem problem;
  problem.shape = {4, 4, 4};
  const PointGrid points{.box = {{0, 0, 0}, {2, 2, 2}}, .apart = 8, .threads = 1};
  const ModeGrid modes = make_modes(problem, {{0, 0, 0}, {3, 3, 2}}, {3, 3, 3}, 1);
  for (const bool nan : {true, false}) {
    std::vector<double> u(24, 1.0);
    u[9] = nan ? std::nan("") : INFINITY;
    EXPECT_FALSE(std::isfinite(host_loops(problem, points, modes)->largest_speed(u.data())));
    EXPECT_FALSE(std::isfinite(device_loops(problem, points, modes, plan)->largest_speed(u.data())));
  }
}

}  // namespace
}  // namespace shardfft::solvers
