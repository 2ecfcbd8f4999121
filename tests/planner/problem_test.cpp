#include "planner/problem/problem.hpp"

#include <gtest/gtest.h>

#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

std::string problem_refusal(const Problem& problem) {
  try {
    (void)check(problem);
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_problem);
    return e.what();
  }
  return "accepted";
}

TEST(Problem, WithoutAxesTransformsAllOfThem) {
  EXPECT_EQ(check({.shape = {4, 5, 6}}).axes, (std::vector<int>{0, 1, 2}));
}

TEST(Problem, CountsNegativeAxesFromTheEndAndKeepsTheirOrder) {
  EXPECT_EQ(check({.shape = {4, 5, 6}, .axes = {-1, 0}}).axes, (std::vector<int>{2, 0}));
}

TEST(Problem, HalvesTheLastOfTheAxesForRealKinds) {
  const CheckedProblem r2c_problem = check({.shape = {4, 5, 6}, .kind = r2c, .axes = {2, 1}});
  EXPECT_EQ(r2c_problem.space, (Shape{4, 5, 6}));
  EXPECT_EQ(r2c_problem.spectrum, (Shape{4, 3, 6}));
  EXPECT_EQ(check({.shape = {4, 5, 6}, .kind = c2r}).spectrum, (Shape{4, 5, 4}));
  EXPECT_EQ(check({.shape = {4, 5, 6}}).spectrum, (Shape{4, 5, 6}));
}

TEST(Problem, AnalysisOfTheRealAxisIsR2cAndOfTheOthersForward) {
  const CheckedProblem p = check({.shape = {4, 5, 7}, .kind = c2r, .axes = {0, 2}});
  EXPECT_EQ(p.analysis(2).transform, Transform1d::r2c);
  EXPECT_EQ(p.analysis(2).n, 7);
  EXPECT_EQ(p.analysis(0).transform, Transform1d::forward);
  EXPECT_FALSE(p.analysis_is_forward());
}

TEST(Problem, ScalesByTheProductOfTheTransformedLengths) {
  const CheckedProblem p =
      check({.shape = {4, 5, 9}, .axes = {0, 2}, .forward = Scaling::by_sqrt_n, .backward = Scaling::by_n});
  EXPECT_DOUBLE_EQ(p.scale(true), 1.0 / 6);
  EXPECT_DOUBLE_EQ(p.scale(false), 1.0 / 36);
  EXPECT_EQ(check({.shape = {4}}).scale(true), 1);
}

TEST(Problem, RefusesShapesAndAxesThatMakeNoSenseAndSaysWhatItGot) {
  EXPECT_NE(problem_refusal({}).find("none"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {4, 0}}).find("4 x 0"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {4, -2}}).find("4 x -2"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {4, 5}, .axes = {2}}).find("got 2"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {4, 5}, .axes = {-3}}).find("got -3"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {4, 5}, .axes = {1, -1}}).find("1,-1"), std::string::npos);
  EXPECT_EQ(problem_refusal({.shape = {2, 2, 2, 2, 2, 2, 2, 2}}), "accepted");
  EXPECT_EQ(problem_refusal({.shape = {2, 2, 2, 2, 2}, .axes = {4}}), "accepted");
  EXPECT_NE(problem_refusal({.shape = {Index{1} << 30, Index{1} << 30}}).find("2^58"), std::string::npos);
  EXPECT_NE(problem_refusal({.shape = {Index{1} << 40, Index{1} << 40}}), "accepted");
  EXPECT_EQ(problem_refusal({.shape = {Index{1} << 29, Index{1} << 29}}), "accepted");
}

}  // namespace
}  // namespace shardfft::testing
