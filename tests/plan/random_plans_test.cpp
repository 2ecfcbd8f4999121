// Random problems against the definition of the transform.
#include <gtest/gtest.h>

#include <cstdlib>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/agree.hpp"
#include "support/local_data.hpp"
#include "support/random_problem.hpp"

namespace shardfft::testing {
namespace {

std::uint64_t first_seed() {
  const char* set = std::getenv("SHARDFFT_TEST_SEED");
  return set ? std::strtoull(set, nullptr, 10) : 20260101;
}

long double factor(const Problem& p, Scaling scaling) {
  long double n = 1;
  for (const int axis : p.axes) n *= static_cast<long double>(p.shape[axis]);
  return scaling == Scaling::none ? 1 : scaling == Scaling::by_n ? 1 / n : 1 / std::sqrt(n);
}

struct Rank {
  const Case& c;
  const Comm& comm;
  std::mt19937_64 random;

  LocalMemory memory(const LayoutSpec& spec, const Shape& shape, bool padded, const Layout* chosen) {
    const Layout layout = chosen ? *chosen : Layout(spec, shape, c.ranks);
    return padded ? padded_memory(layout, comm.rank(), random) : packed_memory(layout, comm.rank());
  }

  // Relative L2 error over all ranks.
  double error(std::pair<double, double> mine) const {
    const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

  template <class T>
  void check() {
    Options options = c.options;
    LocalMemory in_memory, out_memory;
    if (c.padded_in) options.input_memory = (in_memory = memory(options.input, c.in, true, nullptr)).places;
    if (c.padded_out) options.output_memory = (out_memory = memory(options.output, c.out, true, nullptr)).places;
    Plan plan(comm, c.problem, options);
    if (!c.padded_in) in_memory = memory({}, c.in, false, &plan.input());
    if (!c.padded_out) out_memory = memory({}, c.out, false, &plan.output());
    const bool complex_in = c.problem.kind != r2c, complex_out = c.problem.kind != c2r;
    LocalData<T> in(in_memory, complex_in), out(out_memory, complex_out), back(in_memory, complex_in);
    const double bound = (c.problem.precision == f32 ? 6e-7 : 1.2e-15) * 2;

    const Whole x = random_array(c.in, complex_in, c.seed);
    in.fill(x);
    const auto before = in.raw();
    plan.forward(in.view(), out.view());
    EXPECT_TRUE(before == in.raw()) << "forward changed its input";
    EXPECT_LT(error(out.compare(transformed(c.problem, x, Direction::forward), factor(c.problem, c.problem.forward))), bound);
    EXPECT_TRUE(out.gaps_untouched());
    const Verdict verdict = plan.verify(in.view(), out.view());
    EXPECT_TRUE(verdict.ok()) << verdict.error_rel_l2 << " > " << verdict.bound;

    const Whole y = random_array(c.out, complex_out, c.seed + 7);
    out.fill(y);
    const auto spectrum = out.raw();
    plan.backward(out.view(), back.view());
    EXPECT_TRUE(spectrum == out.raw()) << "backward changed its input";
    EXPECT_LT(error(back.compare(transformed(c.problem, y, Direction::backward), factor(c.problem, c.problem.backward))), bound);
    EXPECT_TRUE(back.gaps_untouched());
    EXPECT_TRUE(plan.verify(out.view(), back.view(), Direction::backward).ok());
  }
};

void run(const Case& c) {
  on_ranks(c.ranks, [&](Comm comm) {
    Rank rank{c, comm, std::mt19937_64(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank()))};
    c.problem.precision == f32 ? rank.check<float>() : rank.check<double>();
  });
}

class RandomPlans : public ::testing::TestWithParam<int> {};

TEST_P(RandomPlans, EqualTheDefinitionOfTheTransformInBothDirectionsAndLeaveEverythingElseAlone) {
  constexpr int per_group = 12;
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(GetParam() * per_group + i);
    const Case c = random_case(seed, 2500, 12);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", to_string(c));
    try {
      run(c);
      if (HasFailure()) ADD_FAILURE() << "with " << to_string(c);
    } catch (const std::exception& e) {
      ADD_FAILURE() << to_string(c) << "\n" << e.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, ::testing::Range(0, 20));

}  // namespace
}  // namespace shardfft::testing
