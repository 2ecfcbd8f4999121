// Cyclic layouts: the same result as in slabs, with one exchange where one long axis is cyclic before and after it is
// transformed.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "engine/engine.hpp"
#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Case case_of(const Problem& problem, int ranks, const LayoutSpec& in, const LayoutSpec& out, SplitAxis split) {
  Case c{.seed = 11, .ranks = ranks, .problem = problem, .in = problem.shape, .out = problem.shape};
  if (c.problem.axes.empty())
    for (int a = 0; a < problem.shape.dims(); ++a) c.problem.axes.push_back(a);
  Shape& half = problem.kind == c2r ? c.in : c.out;
  if (problem.kind != c2c) half[c.problem.axes.back()] = half[c.problem.axes.back()] / 2 + 1;
  c.options = {.input = in, .output = out, .threads = 1, .expert = {.split = split}};
  return c;
}

TEST(CyclicPlans, EqualTheDefinitionForOneLongAxisOnAnyNumberOfRanks) {
  Sample sample;
  for (const Kind kind : {c2c, r2c, c2r})
    for (const Problem& p :
         {Problem{.shape = {360}, .kind = kind}, Problem{.shape = {96}, .kind = kind, .precision = f32},
          Problem{.shape = {35}, .kind = kind}})
      for (const int ranks : sanitized ? std::vector{3, 4} : std::vector{2, 3, 4, 5, 8, 12})
        for (const SplitAxis split : {SplitAxis::never, SplitAxis::always})
          for (const auto& [in, out] : {std::pair{cyclic(0), cyclic(0)},
                                        {cyclic(0), slabs(0)},
                                        {slabs(0), cyclic(0)},
                                        {cyclic(0), any},
                                        {any, cyclic(0)}})
            if (sample.takes()) check_on_ranks(case_of(p, ranks, in, out, split));
}

// The axis is transformed or not, and the other end may be cyclic along another axis.
TEST(CyclicPlans, EqualTheDefinitionWhateverTheOtherLayoutsAxesAndOptions) {
  const std::uint64_t first = chosen_seed(20261123);
  for (std::uint64_t seed = first;
       seed < first + static_cast<std::uint64_t>(chosen_problems(150)) && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 3000, 12);
    const auto round_robin = [&] {
      const LayoutSpec spec = cyclic(static_cast<int>(pick(random, 0, c.in.dims() - 1)));
      std::vector<int> order;
      for (int a = 0; a < c.in.dims(); ++a) order.push_back(a);
      std::shuffle(order.begin(), order.end(), random);
      return pick(random, 0, 2) == 0 ? spec.ordered(order) : spec;
    };
    const Index ends = pick(random, 0, 3);
    if (ends != 1) c.options.input = round_robin();
    if (ends != 0) c.options.output = round_robin();
    if (c.options.input.kind == LayoutSpec::Kind::any) c.padded_in = false;
    if (c.options.output.kind == LayoutSpec::Kind::any) c.padded_out = false;
    if (pick(random, 0, 1) == 0 && c.options.expert.axis_order.empty()) c.options.expert.split = SplitAxis::always;
    check_on_ranks(c);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << to_string(c);
  }
}

template <class T>
std::pair<std::uint64_t, std::uint64_t> hashes(const Comm& comm, const Problem& p, const Options& options) {
  Plan plan(comm, p, options);
  const bool complex_in = p.kind != r2c, complex_out = p.kind != c2r;
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in),
      back(packed_memory(plan.input(), comm.rank()), complex_in),
      out(packed_memory(plan.output(), comm.rank()), complex_out);
  in.fill(random_array(plan.input().global(), complex_in, 5));
  plan.forward(in.view(), out.view());
  plan.backward(out.view(), back.view());
  return {plan.hash_output(out.view()), plan.hash_input(back.view())};
}

std::pair<std::uint64_t, std::uint64_t> hashes(int ranks, const Problem& p, const Options& options) {
  std::pair<std::uint64_t, std::uint64_t> all;
  on_ranks(ranks, [&](Comm comm) {
    const auto mine = p.precision == f32 ? hashes<float>(comm, p, options) : hashes<double>(comm, p, options);
    if (comm.rank() == 0) all = mine;
  });
  return all;
}

TEST(CyclicPlans, GiveTheBitsOfSlabs) {
  Sample sample;
  for (const Problem& p :
       {Problem{.shape = {4096}}, Problem{.shape = {3 * 1024}, .precision = f32}, Problem{.shape = {1536}, .kind = r2c},
        Problem{.shape = {1536}, .kind = c2r, .precision = f32}, Problem{.shape = {2048, 3}, .axes = {0}},
        Problem{.shape = {2, 1024}, .kind = r2c, .axes = {1}}, Problem{.shape = {12, 9, 16}},
        Problem{.shape = {10, 12, 15}, .kind = r2c}}) {
    const int last = p.shape.dims() - 1;
    const auto expected =
        hashes(1, p, {.input = slabs(0), .threads = 1});  // slabs at both ends may go back in another order of axes
    for (const int ranks : sanitized ? std::vector{3, 4} : std::vector{1, 2, 3, 4, 7, 8, 16})
      for (const auto& [in, out] : {std::pair{cyclic(0), cyclic(0)},
                                    {cyclic(last), cyclic(last)},
                                    {cyclic(0), slabs(0)},
                                    {slabs(0), cyclic(last)}})
        for (const int tile : {0, 24}) {
          if (!sample.takes()) continue;
          EXPECT_EQ(hashes(ranks, p, {.input = in, .output = out, .threads = 1, .expert = {.tile = tile}}), expected)
              << to_string(p) << " on " << ranks << " ranks, " << to_string(in) << " to " << to_string(out);
        }
  }
}

TEST(CyclicPlans, GiveTheBitsOfSlabsWithSeveralThreadsChunksAndEngines) {
  Sample sample;
  const Problem p{.shape = {4096}};
  for (const Engine* engine : engines()) {
    const std::string name(engine->name());
    const auto expected =
        hashes(1, p, {.input = slabs(0), .output = slabs(0), .threads = 1, .expert = {.engine = name}});
    for (const int ranks : {2, 3, 4})
      for (const int chunks : {1, 3}) {
        if (!sample.takes()) continue;
        EXPECT_EQ(
            hashes(
                ranks, p,
                {.input = cyclic(0), .output = cyclic(0), .threads = 2, .expert = {.engine = name, .chunks = chunks}}),
            expected)
            << name << ", " << ranks << " ranks";
      }
  }
}

int exchanges(int ranks, const Problem& p, const Options& options, Direction direction) {
  int count = 0;
  on_ranks(ranks, [&](Comm comm) {
    Plan plan(comm, p, options);
    Array in = plan.make_input(), out = plan.make_output();
    std::memset(in.data(), 0, in.bytes());
    std::memset(out.data(), 0, out.bytes());
    direction == Direction::forward ? plan.forward(in, out) : plan.backward(out, in);
    if (comm.rank() != 0) return;
    for (const StepReport& step : plan.last_run()) count += step.label.starts_with("exchange") ? 1 : 0;
  });
  return count;
}

TEST(CyclicPlans, ExchangeOnceWhereTheRanksDivideBothHalvesOfTheAxis) {
  const Options round_robin{.input = cyclic(0), .output = cyclic(0), .threads = 1},
      natural{.input = slabs(0), .output = slabs(0), .threads = 1};
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    for (const int ranks : {2, 4, 8})
      EXPECT_EQ(exchanges(ranks, {.shape = {1 << 16}}, round_robin, direction), 1) << ranks;
    EXPECT_EQ(exchanges(4, {.shape = {1 << 16}}, natural, direction), 3) << "natural order takes three";
    EXPECT_EQ(exchanges(3, {.shape = {1 << 16}}, round_robin, direction), 3) << "3 divides neither half";
    EXPECT_EQ(exchanges(4, {.shape = {1 << 16}}, {.input = cyclic(0), .output = slabs(0), .threads = 1}, direction), 2);
    EXPECT_EQ(exchanges(4, {.shape = {4096, 3}, .axes = {0}}, round_robin, direction), 1) << "of several pencils, too";
    EXPECT_EQ(exchanges(4, {.shape = {1 << 16}}, {.input = cyclic(0), .output = any, .threads = 1}, direction), 1)
        << "the planner takes it where it may";
  }
}

TEST(CyclicPlans, EqualTheDefinitionInPlace) {
  for (const int ranks : sanitized ? std::vector{1, 3} : std::vector{1, 2, 3, 4, 7})
    for (const SplitAxis split : {SplitAxis::never, SplitAxis::always})
      for (const Problem& problem :
           {Problem{.shape = {240}, .axes = {0}}, Problem{.shape = {6, 8, 10}, .axes = {0, 1, 2}},
            Problem{.shape = {7, 30}, .axes = {1}}})
        for (const int axis : {0, problem.shape.dims() - 1})
          on_ranks(ranks, [&](Comm comm) {
            expect_right_in_place(
                comm, problem,
                {.input = cyclic(axis), .output = cyclic(axis), .threads = 1, .expert = {.split = split}});
          });
}

TEST(CyclicPlans, KeepATolerance) {
  for (const int ranks : sanitized ? std::vector{3} : std::vector{2, 3, 4})
    for (const Kind kind : {c2c, r2c})
      for (const Problem& problem : {Problem{.shape = {sanitized ? 1024 : 4096}, .kind = kind, .axes = {0}},
                                     Problem{.shape = {12, 16, 20}, .kind = kind, .axes = {0, 1, 2}}})
        for (const int axis : {0, problem.shape.dims() - 1})
          on_ranks(ranks, [&](Comm comm) {
            Plan plan(comm, problem,
                      {.input = cyclic(axis),
                       .output = cyclic(axis),
                       .tolerance = 1e-4,
                       .threads = 1,
                       .expert = {.encode_near = true}});
            LocalData<double> in(packed_memory(plan.input(), comm.rank()), kind == c2c),
                out(packed_memory(plan.output(), comm.rank()), true);
            const Whole x = random_array(problem.shape, kind == c2c, 8);
            in.fill(x);
            plan.forward(in.view(), out.view());
            const auto [difference, norm] = out.compare(transformed(problem, x, Direction::forward), 1);
            const double error = std::sqrt(all_sum(comm, difference) / all_sum(comm, norm));
            EXPECT_LE(error, plan.loss().bound * (1 + 1e-6) + 1e-15) << to_string(problem);
            EXPECT_LE(plan.loss().bound, 1e-4);
            EXPECT_GT(plan.loss().bound, 0) << "something is encoded";
          });
}

}  // namespace
}  // namespace shardfft::testing
