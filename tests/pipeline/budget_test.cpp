// What exchanges may lose: together no more than the tolerance, and who must know the norm of everything for that.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "codec/codec.hpp"
#include "pipeline/bind/memory.hpp"
#include "pipeline/errors/budget.hpp"
#include "planner/decide/decompose.hpp"
#include "support/problems/layouts.hpp"
#include "support/stand_ins/no_channel.hpp"

namespace shardfft::testing {
namespace {

constexpr int ranks = 4;

// To slabs along axis 0, all exchanges between nodes. From such slabs: to pencils and back, two exchanges.
PipelineSpec forward_to_slabs(const char* codec, const Problem& problem = {.shape = {16, 16, 16}},
                              const LayoutSpec& input = slabs(0)) {
  const CheckedProblem p = check(problem);
  const Comm comm = dry_run(ranks, 0, 1);
  const Model model{.machine = {}, .comm = &comm};
  const Decomposition d = decompose(p, axis_order(p, input, slabs(0), {}), input, slabs(0), ranks, {},
                                    {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
  PipelineSpec spec;
  spec.from.layout = d.space;
  spec.to.layout = d.spectrum;
  spec.from.complex = problem.kind == c2c;
  spec.to.complex = true;
  spec.stages = d.stages;
  spec.from.patches = caller_patches(d.space.boxes(0), placements(d.space, 0, {}, "input_memory"), Base::input,
                                     spec.from.element_bytes(spec.scalar));
  spec.to.patches =
      caller_patches(d.spectrum.boxes(0), placements(d.spectrum, 0, {}, "output_memory"), Base::output, 16);
  spec.encoding = {.codec = find_codec(codec),
                   .encodes = [](int a, int b) { return a != b; },
                   .tolerance = 0.1,
                   .undithered_tolerance = 0.1};
  return spec;
}

ToleranceBudget budget_of(const PipelineSpec& spec) {
  ToleranceBudget budget(spec, make_route(spec));
  budget.set_values(std::vector<double>(budget.size(), 8192));
  return budget;
}

TEST(Budget, OnlyCodecsWhoseStepIsTheSameForAllNumbersWaitForTheNormOfEverything) {
  for (const char* codec : {"f32", "f16", "mantissa", "lossless"}) {
    const ToleranceBudget budget = budget_of(forward_to_slabs(codec));
    ASSERT_EQ(budget.size(), 2U) << codec;
    for (std::size_t i = 0; i < budget.size(); ++i) EXPECT_FALSE(budget.needs_norm(i)) << codec;
    EXPECT_EQ(budget.terms(0, 0, 1, false).basis, ErrorBudget::Basis::own) << codec;
    EXPECT_EQ(budget.terms(1, 0, 1, false).basis, ErrorBudget::Basis::group) << codec;
  }
  const ToleranceBudget budget = budget_of(forward_to_slabs("block_float"));
  ASSERT_EQ(budget.size(), 2U);
  EXPECT_FALSE(budget.needs_norm(0));
  EXPECT_TRUE(budget.needs_norm(1));
}

// All that has a share loses as much as it may, and what an exchange lost makes those after it larger, which may then
// lose more.
TEST(Budget, LossesStayWithinTheToleranceAlsoWhereTheyMakeWhatFollowsLarger) {
  for (const char* codec : {"mantissa", "block_float"}) {
    const PipelineSpec spec = forward_to_slabs(codec);
    const ToleranceBudget budget = budget_of(spec);
    double lost = 0;  // by the norm of the data
    for (std::size_t i = 0; i < budget.size(); ++i) {
      const ErrorBudget terms = budget.terms(i, 1, 1, false);
      lost += terms.share * (terms.basis == ErrorBudget::Basis::given ? 1 : 1 + lost);
    }
    EXPECT_LE(lost, spec.encoding.tolerance) << codec;
    EXPECT_GT(lost, 0.9 * spec.encoding.tolerance) << codec;
  }
}

// The norm of a half spectrum is measured behind an exchange of reals, and what that has lost may be a part of it: 0.2
// of 1 is 0.25 of 0.8.
TEST(Budget, TellsWhatWasLostRelativeToTheNormWithoutIt) {
  const ToleranceBudget budget =
      budget_of(forward_to_slabs("block_float", {.shape = {16, 16, 16}, .kind = r2c}, slabs(2)));
  std::vector<double> lost2(budget.size());
  const auto error = [&](double lost) {
    lost2[0] = lost * lost;
    return budget.relative_error(lost2, 1);
  };
  constexpr double tiny = 1e-7;
  const double by_norm = error(tiny) / tiny;
  EXPECT_NEAR(error(0.2 / by_norm), 0.25, 1e-5);
  EXPECT_EQ(error(1.2 / by_norm), std::numeric_limits<double>::infinity());
}

// An even number of modes has a place with the sum of two frequencies, and of two errors that may be equal.
TEST(Budget, CountsWhatIsLostBeforeTwoFrequenciesMeetAsIfBothWereEqual) {
  const auto error = [](Index modes, std::array<double, 2> lost2) {
    const Problem fewer{.shape = {16, 16, 16}, .modes = {modes, 16, 16}};
    return budget_of(forward_to_slabs("mantissa", fewer)).relative_error(lost2, 1);
  };
  EXPECT_NEAR(error(8, {1e-14, 0}) / error(7, {1e-14, 0}), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(error(8, {0, 1e-14}) / error(7, {0, 1e-14}), 1, 1e-6) << "they have met";
}

// An exchange whose parts are encoded one by one, each at a share of its own norm.
TEST(Budget, WhatPartsMayLoseIsTogetherWhatTheExchangeMayLose) {
  PipelineSpec spec = forward_to_slabs("block_float");
  const ToleranceBudget whole = budget_of(spec);
  ToleranceBudget budget = whole;
  const std::array parts{6000.0, 2192.0, 0.0};
  budget.set_parts(1, parts);
  const double all = 3.7 * 3.7, norms2[] = {0.1 * all, 0.9 * all, 0};
  double lost2 = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ErrorBudget terms = budget.terms(1, norms2[p], 1, false, parts[p]);
    EXPECT_EQ(terms.basis, ErrorBudget::Basis::given);
    if (parts[p] > 0) { EXPECT_DOUBLE_EQ(terms.values, parts[p]); }
    lost2 += std::pow(terms.share * terms.norm, 2);
  }
  const ErrorBudget terms = whole.terms(1, all, 1, false);
  EXPECT_NEAR(lost2, std::pow(terms.share * terms.norm, 2), 1e-12 * lost2);

  // The smallest part may hold all there is: chance has its few numbers to even out losses.
  spec.encoding.guarantee = Guarantee::statistical;
  ToleranceBudget dithered = budget_of(spec);
  dithered.set_values(std::vector<double>(2, 1e6));
  const double share = dithered.terms(1, all, 1, false).share;
  dithered.set_parts(1, std::array{9.8e5, 2e4});
  EXPECT_TRUE(dithered.dithers());
  EXPECT_LT(dithered.terms(1, all, 1, false).share, share);
  dithered.set_parts(1, std::array{1e6 - 100, 100.0});
  EXPECT_FALSE(dithered.dithers()) << "too few for chance";
}

}  // namespace
}  // namespace shardfft::testing
