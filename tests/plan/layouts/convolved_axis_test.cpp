// Plans whose only axis has no two factors: a convolution that all ranks share.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

Case case_of(const Problem& problem, int ranks, const LayoutSpec& in, const LayoutSpec& out) {
  Case c{.seed = 3, .ranks = ranks, .problem = problem, .in = problem.shape, .out = problem.shape};
  c.options = {.input = in, .output = out, .threads = 1, .expert = {.split = SplitAxis::always}};
  return c;
}

std::vector<int> numbers_of_ranks() { return sanitized ? std::vector{1, 3, 7} : std::vector{1, 2, 3, 7, 12}; }

/// Every element of the result, with `split` always, of slabs on so many ranks, whose number this rank is.
template <class T>
std::uint64_t hash_of(const Comm& comm, const Problem& p, const Whole& x, int tile) {
  Plan plan(
      comm, p,
      {.input = slabs(0), .output = slabs(0), .threads = 2, .expert = {.tile = tile, .split = SplitAxis::always}});
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), true), out(packed_memory(plan.output(), comm.rank()), true);
  in.fill(x);
  plan.forward(in.view(), out.view());
  return plan.hash_output(out.view());
}

TEST(ConvolvedAxis, EqualsTheDefinitionOnAnyNumberOfRanks) {
  for (const Problem& p : {Problem{.shape = {11}, .axes = {0}}, Problem{.shape = {101}, .precision = f32, .axes = {0}},
                           Problem{.shape = {1, 211, 1}, .axes = {1}}, Problem{.shape = {307}, .axes = {0}},
                           Problem{.shape = {401}, .axes = {0}, .forward = Scaling::by_n, .backward = Scaling::none},
                           Problem{.shape = {257, 1},
                                   .precision = f32,
                                   .axes = {0},
                                   .forward = Scaling::by_sqrt_n,
                                   .backward = Scaling::by_sqrt_n}})
    for (const int ranks : numbers_of_ranks())
      for (const LayoutSpec& layout : {LayoutSpec{any}, slabs(p.shape.dims() - 1)})
        check_on_ranks(case_of(p, ranks, layout, layout));
}

TEST(ConvolvedAxis, EqualsTheDefinitionWhateverTheLayoutsAndOptions) {
  const std::uint64_t first = chosen_seed(20261130);
  for (std::uint64_t seed = first;
       seed < first + static_cast<std::uint64_t>(chosen_problems(30)) && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    Case c = random_case(seed, 1500, 8);  // its options; the rest is for one prime axis
    constexpr Index primes[] = {13, 17, 31, 47, 97, 127, 293, 499, 743};
    c.in = c.out = {primes[pick(random, 0, 8)]};
    c.problem = {.shape = c.in, .precision = seed % 2 == 0 ? f64 : f32, .axes = {0}};
    const auto layout = [&] {
      const std::vector<LayoutSpec> all = layouts_of_every_kind(random, c.in, c.ranks);
      return all[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(all.size()) - 1))];
    };
    const Options drawn = c.options;
    c.options = {.input = layout(), .output = layout(), .threads = drawn.threads};
    c.options.expert.chunks = drawn.expert.chunks, c.options.expert.tile = drawn.expert.tile;
    c.options.expert.fuse = drawn.expert.fuse, c.options.expert.intermediate = drawn.expert.intermediate;
    c.options.expert.non_temporal = drawn.expert.non_temporal;
    c.options.expert.split = SplitAxis::always;
    check_on_ranks(c);
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << to_string(c);
  }
}

TEST(ConvolvedAxis, EqualsTheDefinitionInPlace) {
  for (const int ranks : {1, 2, 3})
    on_ranks(ranks, [&](Comm comm) {
      for (const Index n : {13, 241, 509})
        expect_right_in_place(
            comm, {.shape = {n}, .axes = {0}},
            {.input = slabs(0), .output = slabs(0), .threads = 1, .expert = {.split = SplitAxis::always}});
    });
}

TEST(ConvolvedAxis, GivesTheSameBitsOnAnyNumberOfRanks) {
  for (const Problem& p : {Problem{.shape = {1439}}, Problem{.shape = {4093}, .precision = f32}}) {
    const Whole x = random_array(p.shape, true, 5);
    std::uint64_t expected = 0;
    for (const int ranks : numbers_of_ranks())
      for (const int tile : {0, 24}) {
        std::uint64_t hash = 0;
        on_ranks(ranks, [&](Comm comm) {
          const std::uint64_t mine =
              p.precision == f32 ? hash_of<float>(comm, p, x, tile) : hash_of<double>(comm, p, x, tile);
          if (comm.rank() == 0) hash = mine;
        });
        if (expected == 0) expected = hash;
        EXPECT_EQ(hash, expected) << to_string(p) << " on " << ranks << " ranks, tile " << tile;
      }
  }
}

// Within its bound of error, as verify() measures it, from the least normal sums to those that just fit.
TEST(ConvolvedAxis, NeitherOverflowsNorUnderflowsWhereTheWholeAxisDoesNot) {
  for (const Index n : {2003, 20011})
    for (const double magnitude : {0x1p-1000, 0x1p1023 / static_cast<double>(n)})
      on_ranks(3, [&](Comm comm) {
        Plan plan(comm, {.shape = {n}},
                  {.input = slabs(0), .output = slabs(0), .threads = 1, .expert = {.split = SplitAxis::always}});
        Whole x = random_array({n}, true, 7);
        for (auto& value : x.values) value = {static_cast<double>(value.real() * magnitude), value.imag() * magnitude};
        LocalData<double> in(packed_memory(plan.input(), comm.rank()), true),
            out(packed_memory(plan.output(), comm.rank()), true);
        in.fill(x);
        plan.forward(in.view(), out.view());
        const Verdict verdict = plan.verify(in.view(), out.view());
        EXPECT_TRUE(verdict.ok()) << n << " times " << magnitude << ": " << verdict.error_rel_l2 << " of "
                                  << verdict.bound;
      });
}

TEST(ConvolvedAxis, IsTakenWhereTheOnlyAxisIsLongAndHasNoTwoFactors) {
  const Options natural{.input = slabs(0), .output = slabs(0), .threads = 1};
  Options wanted = natural;
  wanted.expert.split = SplitAxis::always;
  const auto convolves = [&](const Problem& p, const Options& o, int ranks = 2) {
    return recipe_of(p, o, ranks).find("by bluestein, ") != std::string::npos;
  };
  EXPECT_FALSE(convolves({.shape = {65537}}, natural)) << "short";
  EXPECT_TRUE(convolves({.shape = {65537}}, wanted));
  EXPECT_TRUE(convolves({.shape = {65537}}, wanted, 1)) << "the bits of several ranks";
  EXPECT_FALSE(convolves({.shape = {7}}, wanted)) << "shorter still";
  EXPECT_FALSE(convolves({.shape = {2 * 10007}}, wanted)) << "two factors";
  EXPECT_FALSE(convolves({.shape = {211}, .kind = r2c}, wanted)) << "reals stay whole";
  EXPECT_FALSE(convolves({.shape = {211, 2}, .axes = {0}}, wanted)) << "so do several pencils";
  EXPECT_FALSE(convolves({.shape = {211}}, {.input = cyclic(0), .expert = {.split = SplitAxis::always}}));
  Options lossy = wanted;
  lossy.tolerance = 1e-3;
  EXPECT_FALSE(convolves({.shape = {211}}, lossy)) << "the whole axis is sent encoded";
  wanted.expert.split = SplitAxis::never;
  EXPECT_FALSE(convolves({.shape = {65537}}, wanted));
}

}  // namespace
}  // namespace shardfft::testing
