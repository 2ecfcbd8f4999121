// Plans that sweep one axis in two halves.
#include <gtest/gtest.h>

#include <cstring>

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Case case_of(const Problem& problem, int ranks, const LayoutSpec& in, const LayoutSpec& out) {
  Case c{.seed = 3, .ranks = ranks, .problem = problem, .in = problem.shape, .out = problem.shape};
  if (c.problem.axes.empty())
    for (int a = 0; a < problem.shape.dims(); ++a) c.problem.axes.push_back(a);
  Shape& half = problem.kind == c2r ? c.in : c.out;
  if (problem.kind != c2c) half[c.problem.axes.back()] = half[c.problem.axes.back()] / 2 + 1;
  c.options = {.input = in, .output = out, .threads = 1, .expert = {.split = SplitAxis::always}};
  return c;
}

/// Fewer, as many, and more than the halves of some axes are long.
std::vector<int> numbers_of_ranks() { return sanitized ? std::vector{1, 3, 8} : std::vector{1, 2, 3, 5, 8, 12}; }

TEST(SplitPlans, EqualTheDefinitionForOneLongAxisOnAnyNumberOfRanks) {
  for (const Problem& p :
       {Problem{.shape = {360}}, Problem{.shape = {35}, .precision = f32}, Problem{.shape = {4, 90}, .axes = {1}},
        Problem{.shape = {64, 3}, .axes = {0}}, Problem{.shape = {1, 60, 1}}})
    for (const int ranks : numbers_of_ranks())
      for (const LayoutSpec& layout : {LayoutSpec{any}, slabs(0), slabs(p.shape.dims() - 1)})
        check_on_ranks(case_of(p, ranks, layout, layout));
}

TEST(SplitPlans, EqualTheDefinitionForOneLongRealAxisOnAnyNumberOfRanks) {
  Sample sample;
  for (const Kind kind : {r2c, c2r})
    for (const Problem& p :
         {Problem{.shape = {360}, .kind = kind}, Problem{.shape = {49}, .kind = kind, .precision = f32},
          Problem{.shape = {4, 90}, .kind = kind, .axes = {1}}, Problem{.shape = {63, 3}, .kind = kind, .axes = {0}},
          Problem{.shape = {1, 44, 1}, .kind = kind},
          Problem{.shape = {2, 30}, .kind = kind, .precision = f32, .axes = {1}}})
      for (const int ranks : numbers_of_ranks())
        for (const LayoutSpec& layout : {LayoutSpec{any}, slabs(0), slabs(p.shape.dims() - 1)}) {
          if (!sample.takes()) continue;
          Case c = case_of(p, ranks, layout, layout);
          if (c.problem.axes.size() > 1) c.problem.axes = {0, 2, 1};  // the real axis last
          if (p.shape.dims() == 3) (c.in = c.out = p.shape)[1] = 44, (kind == c2r ? c.in : c.out)[1] = 23;
          check_on_ranks(c);
        }
}

TEST(SplitPlans, EqualTheDefinitionForOneRealAxisWhateverTheLayoutsAndOptions) {
  const std::uint64_t first = chosen_seed(20261122);
  for (std::uint64_t seed = first;
       seed < first + static_cast<std::uint64_t>(chosen_problems(60)) && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 12);  // its options; the rest is for one real axis
    take_one_real_axis(c, /*to_reals=*/seed % 2 != 0, random);
    const auto layout = [&](const Shape& shape) {
      const std::vector<LayoutSpec> all = layouts_of_every_kind(random, shape, c.ranks);
      return all[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(all.size()) - 1))];
    };
    c.options.input = layout(c.in), c.options.output = layout(c.out);
    c.options.expert.decomposition.clear();
    c.options.expert.split = SplitAxis::always;
    c.padded_in = pick(random, 0, 1) == 1, c.padded_out = pick(random, 0, 1) == 1;
    check_on_ranks(c);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << to_string(c);
  }
}

TEST(SplitPlans, EqualTheDefinitionForOneLongRealAxisInPlace) {
  for (const int ranks : {1, 2, 3})
    on_ranks(ranks, [&](Comm comm) {
      const Problem problem{.shape = {3, 120}, .kind = r2c, .axes = {1}};
      for (const int axis : {0, 1}) {
        Plan plan(comm, problem,
                  {.input = slabs(axis),
                   .output = slabs(axis),
                   .threads = 1,
                   .in_place = true,
                   .expert = {.split = SplitAxis::always}});
        LocalData<double> reals(packed_memory(plan.input(), comm.rank()), false),
            spectrum(packed_memory(plan.output(), comm.rank()), true);
        std::vector<double> memory(std::max(reals.view().bytes, spectrum.view().bytes) / sizeof(double));
        const View both(memory.data(), memory.size() * sizeof(double));
        const Whole x = random_array(problem.shape, false, 8);
        reals.fill(x);
        std::memcpy(memory.data(), reals.view().data, reals.view().bytes);
        plan.forward(both, both);
        std::memcpy(const_cast<void*>(spectrum.view().data), memory.data(), spectrum.view().bytes);
        const auto [difference, norm] = spectrum.compare(transformed(problem, x, Direction::forward), 1);
        EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), 2e-15);
        plan.backward(both, both);
        std::memcpy(const_cast<void*>(reals.view().data), memory.data(), reals.view().bytes);
        const auto [lost, all] = reals.compare(x, 1);
        EXPECT_LT(std::sqrt(all_sum(comm, lost) / all_sum(comm, all)), 2e-15);
      }
    });
}

TEST(SplitPlans, EqualTheDefinitionForThreeAxesOfEveryKind) {
  for (const Kind kind : {c2c, r2c, c2r})
    for (const Precision precision : {f64, f32})
      for (const int ranks : {1, 2, 3, 7})
        check_on_ranks(
            case_of({.shape = {10, 12, 9}, .kind = kind, .precision = precision}, ranks, slabs(0), slabs(0)));
}

TEST(SplitPlans, EqualTheDefinitionInPlace) {
  for (const int ranks : {1, 2, 3})
    on_ranks(ranks, [&](Comm comm) {
      for (const Problem& problem :
           {Problem{.shape = {240}, .axes = {0}}, Problem{.shape = {6, 8, 10}, .axes = {0, 1, 2}}})
        expect_right_in_place(
            comm, problem,
            {.input = slabs(0), .output = slabs(0), .threads = 1, .expert = {.split = SplitAxis::always}});
    });
}

TEST(SplitPlans, GiveTheSameBitsOnAnyNumberOfRanks) {
  for (const Problem& p :
       {Problem{.shape = {1440}}, Problem{.shape = {12, 20, 9}},
        Problem{.shape = {12, 20, 9}, .kind = r2c, .precision = f32}, Problem{.shape = {1440}, .kind = r2c},
        Problem{.shape = {3, 1001}, .kind = r2c, .precision = f32, .axes = {1}}, Problem{.shape = {2, 3, 4096}},
        Problem{.shape = {4096, 2}, .kind = r2c, .precision = f32, .axes = {1, 0}}}) {
    std::uint64_t expected = 0;
    for (const int ranks : sanitized ? std::vector{1, 3, 4} : std::vector{1, 2, 3, 4, 7, 12})
      for (const int tile : {0, 24}) {
        std::uint64_t hash = 0;
        on_ranks(ranks, [&](Comm comm) {
          Plan plan(comm, p,
                    {.input = slabs(0),
                     .output = slabs(0),
                     .threads = 1,
                     .expert = {.tile = tile, .split = SplitAxis::always}});
          const auto result = [&](auto number) {
            LocalData<decltype(number)> in(packed_memory(plan.input(), comm.rank()), p.kind == c2c),
                out(packed_memory(plan.output(), comm.rank()), true);
            in.fill(random_array(p.shape, p.kind == c2c, 5));
            plan.forward(in.view(), out.view());
            return plan.hash_output(out.view());
          };
          const std::uint64_t mine = p.precision == f32 ? result(float{}) : result(double{});
          if (comm.rank() == 0) hash = mine;
        });
        if (expected == 0) expected = hash;
        EXPECT_EQ(hash, expected) << to_string(p) << " on " << ranks << " ranks, tile " << tile;
      }
  }
}

TEST(SplitPlans, AreMadeWhereTheOnlyAxisIsLongAndNowhereElse) {
  const Options natural{.input = slabs(0), .output = slabs(0), .threads = 1};
  Options lossy = natural;
  lossy.tolerance = 1e-3;
  const auto splits = [&](const Problem& p, Options o, int ranks = 1) {
    return recipe_of(p, o, ranks).find("split axis") != std::string::npos;
  };
  EXPECT_TRUE(splits({.shape = {1 << 16}}, natural));
  EXPECT_TRUE(splits({.shape = {1 << 16}}, {.threads = 1})) << "with the planner's layouts, too";
  EXPECT_TRUE(splits({.shape = {1 << 16}}, natural, 3));
  EXPECT_TRUE(splits({.shape = {1 << 16, 1}}, natural)) << "the other axis is no work";
  EXPECT_TRUE(splits({.shape = {1100}, .precision = f32}, natural)) << "a tile of one pencil";
  EXPECT_TRUE(splits({.shape = {1000, 7}, .axes = {0}}, natural)) << "a tile that is not full";
  EXPECT_FALSE(splits({.shape = {1000, 8}, .axes = {0}}, natural)) << "a full tile";
  EXPECT_FALSE(splits({.shape = {1000, 4}, .kind = r2c, .axes = {0}}, natural)) << "reals gain less";
  EXPECT_FALSE(splits({.shape = {60}}, natural)) << "short";
  for (const Index n : {64, 256, 720, 1000, 1024, 2048})
    EXPECT_FALSE(splits({.shape = {3, n}, .axes = {1}}, natural, 2)) << "vectors along it";
  for (const Index n : {64, 128, 256, 1024, 2000, 2048})
    EXPECT_FALSE(splits({.shape = {n}, .kind = c2r}, natural)) << "vectors along it";
  EXPECT_FALSE(splits({.shape = {4096}, .precision = f32}, natural)) << "vectors along it";
  EXPECT_TRUE(splits({.shape = {1024, 3}, .axes = {0}}, natural)) << "across memory";
  for (const Index n : {4096, 5000, 6561, 16384, 32761}) {
    EXPECT_FALSE(splits({.shape = {n}}, natural)) << "four steps within it";
    EXPECT_FALSE(splits({.shape = {n}, .kind = r2c, .precision = f32}, natural, 2)) << "four steps within it";
  }
  EXPECT_TRUE(splits({.shape = {23 * 23 * 23}}, natural)) << "its halves are too far apart";
  EXPECT_TRUE(splits({.shape = {1 << 15}}, natural)) << "it leaves the second-level cache";
  for (const Index n : {64, 1000})
    EXPECT_FALSE(splits({.shape = {n}, .precision = f32}, natural)) << "shorter vectors along it";
  EXPECT_TRUE(splits({.shape = {16 * 11 * 8}}, natural)) << "a radix without such code";
  EXPECT_FALSE(splits({.shape = {1024}}, {.input = cyclic(0), .output = cyclic(0), .threads = 1}, 2))
      << "the bits of slabs";
  EXPECT_FALSE(splits({.shape = {65537}}, natural)) << "a prime";
  EXPECT_TRUE(splits({.shape = {1 << 16}, .kind = r2c}, natural, 3)) << "the real axis";
  EXPECT_TRUE(splits({.shape = {1, 1 << 16}, .kind = c2r}, natural)) << "the other axis is no work";
  EXPECT_TRUE(splits({.shape = {1 << 16}, .kind = r2c}, lossy, 3)) << "with a tolerance, too";
  EXPECT_FALSE(splits({.shape = {8, 512, 512}}, natural)) << "several axes";
  Options wanted = natural;
  wanted.expert.split = SplitAxis::always;
  EXPECT_TRUE(splits({.shape = {8, 512, 512}}, wanted));
  EXPECT_TRUE(splits({.shape = {1 << 16}}, {.input = cyclic(0), .output = slabs(0), .threads = 1}, 3))
      << "a cyclic one, too";
  Options never = natural;
  never.expert.split = SplitAxis::never;
  EXPECT_FALSE(splits({.shape = {1 << 16}}, never));
}

}  // namespace
}  // namespace shardfft::testing
