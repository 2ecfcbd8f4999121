// Adjoints: <A x, y> is <x, A^T y>, whatever the problem, and the bits do not depend on the ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "plan/calls/expect_error.hpp"
#include "plan/checked_plan.hpp"
#include "shardfft/noise.hpp"
#include "support/chosen.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

/// The real part of the sum of conj(a) b over the elements of all ranks.
template <class T>
double product_of(const Comm& comm, const Shape& shape, LocalData<T>& a, LocalData<T>& b) {
  Whole all_a{shape, std::vector<Reference>(static_cast<std::size_t>(product(shape)))}, all_b = all_a;
  a.read(all_a), b.read(all_b);
  long double sum = 0;
  for (std::size_t i = 0; i < all_a.values.size(); ++i) sum += (std::conj(all_a.values[i]) * all_b.values[i]).real();
  return all_sum(comm, static_cast<double>(sum));
}

struct AdjointOfRank : Rank {
  template <class T>
  void check_adjoints() {
    Options options = c.options;
    LocalMemory in_memory, out_memory;
    if (c.padded_in) options.input_memory = (in_memory = memory(options.input, c.in, true, nullptr)).places;
    if (c.padded_out) options.output_memory = (out_memory = memory(options.output, c.out, true, nullptr)).places;
    Plan plan(comm, c.problem, options);
    if (!c.padded_in) in_memory = memory({}, c.in, false, &plan.input());
    if (!c.padded_out) out_memory = memory({}, c.out, false, &plan.output());
    expect_adjoint<T>(plan, Direction::forward, {in_memory, c.in, complex_in(c.problem)},
                      {out_memory, c.out, complex_out(c.problem)});
    expect_adjoint<T>(plan, Direction::backward, {out_memory, c.out, complex_out(c.problem)},
                      {in_memory, c.in, complex_in(c.problem)});
  }

  struct Side {
    LocalMemory memory;
    Shape shape;
    bool complex;
  };
  template <class T>
  void expect_adjoint(Plan& plan, Direction of, const Side& from, const Side& to) {
    LocalData<T> x(from.memory, from.complex), a_x(to.memory, to.complex), y(to.memory, to.complex),
        at_y(from.memory, from.complex);
    x.fill(random_array(from.shape, from.complex, c.seed + 1));
    y.fill(random_array(to.shape, to.complex, c.seed + 2));
    const auto before = y.raw();
    const double by = factor_of_runs(c);
    plan.start(of, x.view(), a_x.view(), by);
    plan.wait();
    plan.adjoint(y.view(), at_y.view(), of, by);
    EXPECT_TRUE(before == y.raw()) << "the adjoint changed its input";
    EXPECT_TRUE(at_y.gaps_untouched());
    const double u = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53, points = static_cast<double>(product(c.problem.shape)),
                 size = std::sqrt(product_of(comm, to.shape, a_x, a_x) * product_of(comm, to.shape, y, y));
    EXPECT_NEAR(product_of(comm, to.shape, a_x, y), product_of(comm, from.shape, x, at_y),
                8 * u * std::sqrt(std::max(1.0, std::log2(points))) * size)
        << (of == Direction::forward ? "of forward" : "of backward");
  }
};

void check_adjoints(const Case& c) {
  try {
    on_ranks(c.ranks, [&](const Comm& comm) {
      AdjointOfRank rank{{c, comm, std::mt19937_64(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank()))}};
      c.problem.precision == f32 ? rank.check_adjoints<float>() : rank.check_adjoints<double>();
    });
  } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << to_string(c);
}

TEST(AdjointsOfRandomProblems, HaveTheInnerProductsOfTheirRuns) {
  const std::uint64_t first = chosen_seed(20260911);
  for (int i = 0; i < chosen_problems(250) && !HasFailure(); ++i)
    check_adjoints(random_case(first + static_cast<std::uint64_t>(i), 2500, 8));
}

TEST(AdjointsOfRandomProblems, OfKindsHaveThemToo) {
  const std::uint64_t first = chosen_seed(20260914);
  for (int i = 0; i < chosen_problems(200) && !HasFailure(); ++i) {
    Case c = random_case_of_kinds(first + static_cast<std::uint64_t>(i), 2500, 8);
    c.problem.forward = static_cast<Scaling>(i % 4);  // one of them orthonormal, both, or none
    c.problem.backward = static_cast<Scaling>(i / 4 % 4);
    check_adjoints(c);
  }
}

TEST(AdjointsOfRandomProblems, WithFewerModesAndPointsHaveThemToo) {
  const std::uint64_t first = chosen_seed(20260914);
  for (int i = 0; i < chosen_problems(250) && !HasFailure(); ++i) {
    Case c = random_case(first + static_cast<std::uint64_t>(i), 2500, 8);
    std::mt19937_64 random(c.seed);
    take_fewer(c, random);
    check_adjoints(c);
  }
}

TEST(AdjointsOfRandomProblems, OfOneRealAxisInTwoFactorsHaveThemToo) {
  const std::uint64_t first = chosen_seed(20260913);
  for (int i = 0; i < chosen_problems(120) && !HasFailure(); ++i) {
    Case c = random_case(first + static_cast<std::uint64_t>(i), 1500, 8);
    std::mt19937_64 random(c.seed);
    take_one_real_axis(c, /*to_reals=*/i % 2 != 0, random);
    const auto layout = [&](const Shape& shape) {
      const std::vector<LayoutSpec> all = layouts_of_every_kind(random, shape, c.ranks);
      return all[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(all.size()) - 1))];
    };
    c.options.input = layout(c.in), c.options.output = layout(c.out);
    c.options.expert.decomposition.clear();
    c.options.expert.split = SplitAxis::always;
    check_adjoints(c);
  }
}

// Sweeps of more tiles than are recorded, of rows that kernels reach by themselves, and of split axes.
TEST(AdjointsOfRandomProblems, OfLongRowsHaveThemToo) {
  const std::uint64_t first = chosen_seed(20260912);
  for (int i = 0; i < chosen_problems(25) && !HasFailure(); ++i)
    check_adjoints(random_case_of_long_rows(first + static_cast<std::uint64_t>(i), 20000, 60000, 4));
}

// Kernels have tiles of many forms; components that lie beside each other are one axis with those before them.
TEST(Adjoint, OfEveryEngineAndOfComponentsBesideEachOther) {
  for (const Engine* engine : engines())
    for (const Kind kind : {r2c, c2r})
      for (const Shape& shape : {Shape{40, 24, 3}, {40, 25, 3}, {7, 128, 1}, {1, 1, 5}, {1, 2, 4}}) {
        Shape half = shape;
        half[1] = shape[1] / 2 + 1;
        check_adjoints({.seed = 5,
                        .ranks = 2,
                        .problem = {.shape = shape, .kind = kind, .axes = {0, 1}},
                        .options = {.threads = 1, .expert = {.engine = std::string(engine->name())}},
                        .in = kind == r2c ? shape : half,
                        .out = kind == r2c ? half : shape});
      }
}

std::vector<std::uint64_t> hashes(const Comm& comm, const Problem& problem, const Options& options) {
  Plan plan(comm, problem, options);
  Array in = plan.make_input(), out = plan.make_output();
  std::vector<std::uint64_t> all;
  fill_with_noise(plan.output(), comm.rank(), problem.precision, problem.kind != c2r, out, 3);
  plan.adjoint(out, in);
  all.push_back(plan.hash_input(in));
  fill_with_noise(plan.input(), comm.rank(), problem.precision, problem.kind != r2c, in, 4);
  plan.adjoint(in, out, Direction::backward, 0.3);
  all.push_back(plan.hash_output(out));
  return all;
}

TEST(Adjoint, HasTheSameBitsOnAnyNumberOfRanks) {
  for (const Problem& problem : {Problem{.shape = {12, 10, 14}},
                                 {.shape = {9, 14, 15}, .kind = r2c},
                                 {.shape = {9, 14, 16}, .kind = c2r, .precision = f32},
                                 {.shape = {64 * 48}, .kind = r2c},
                                 {.shape = {5, 63 * 15}, .kind = c2r, .axes = {1}}}) {
    std::vector<std::uint64_t> alone;
    for (const SplitAxis split : {SplitAxis::automatic, SplitAxis::always}) {
      alone.clear();
      for (const int ranks : {1, 2, 5, 8})
        on_ranks(ranks, [&](const Comm& comm) {
          const auto these = hashes(comm, problem, {.input = slabs(0), .output = slabs(0), .expert = {.split = split}});
          if (ranks == 1) alone = these;
          EXPECT_EQ(these, alone) << to_string(problem) << " on " << ranks;
        });
    }
  }
}

TEST(Adjoint, InPlaceIsTheSame) {
  on_ranks(2, [](const Comm& comm) {
    for (const Kind kind : {c2c, r2c}) {
      const Problem problem{.shape = {8, 6, 10}, .kind = kind};
      const Options two{.input = slabs(0), .output = slabs(0), .padded_reals = kind == r2c};
      Options one = two;
      one.in_place = true;
      Plan apart(comm, problem, two), within(comm, problem, one);
      Array in = apart.make_input(), out = apart.make_output(), both = within.make_input();
      fill_with_noise(apart.output(), comm.rank(), f64, true, out, 3);
      fill_with_noise(within.output(), comm.rank(), f64, true, both, 3);
      apart.adjoint(out, in);
      within.adjoint(both, both);
      EXPECT_EQ(apart.hash_input(in), within.hash_input(both)) << to_string(problem);
    }
  });
}

// In steps of a plan that are told from each other: no run takes what the one before it had.
TEST(Adjoint, LeavesTheNextRunAsItIs) {
  on_ranks(3, [](const Comm& comm) {
    Plan plan(comm, {.shape = {6, 5, 8}, .kind = r2c});
    Array in = plan.make_input(), out = plan.make_output(), spectrum = plan.make_output(), back = plan.make_input();
    fill_with_noise(plan.input(), comm.rank(), f64, false, in, 3);
    plan.forward(in, spectrum);
    const std::uint64_t forward = plan.hash_output(spectrum);
    plan.backward(spectrum, back);
    const std::uint64_t backward = plan.hash_input(back);
    plan.adjoint(spectrum, back);
    EXPECT_NE(plan.hash_input(back), backward);
    plan.backward(spectrum, back);
    EXPECT_EQ(plan.hash_input(back), backward);
    plan.forward(in, out);
    EXPECT_EQ(plan.hash_output(out), forward);
    EXPECT_TRUE(plan.verify(in, out).ok());
  });
}

TEST(Adjoint, OfAMoveTakesBack) {
  on_ranks(3, [](const Comm& comm) {
    Plan plan(comm, {.shape = {6, 8}, .kind = Kind::move, .element_bytes = 8}, {.input = slabs(0), .output = slabs(1)});
    Array in = plan.make_input(), out = plan.make_output(), back = plan.make_input();
    fill_with_noise(plan.input(), comm.rank(), f64, false, in, 1);
    plan.forward(in, out);
    plan.adjoint(out, back);
    EXPECT_EQ(plan.hash_input(back), plan.hash_input(in));
  });
}

TEST(Adjoint, IsRefusedInWordsOnEveryRank) {
  const auto adjoint = [](const Comm& comm, const Problem& problem, const Options& options, bool here, double by = 1) {
    Plan plan(comm, problem, options);
    Array in = plan.make_input(), out = plan.make_output();
    here ? plan.adjoint(out, in, Direction::forward, by) : plan.backward(out, in);
  };
  expect_error(3, Status::mismatch, {"whether it is an adjoint"},
               [&](const Comm& c) { adjoint(c, {.shape = {6, 8}}, {}, c.rank() == 1); });
  expect_error(3, Status::unsupported, {"adjoints of r2c, c2r, cosines and sines are exact", "make one without"},
               [&](const Comm& c) {
                 adjoint(c, {.shape = {24, 16, 16}, .kind = r2c},
                         {.tolerance = 1e-3, .expert = {.codec = "block_float", .encode_near = true}}, true);
               });
  expect_error(2, Status::invalid_argument, {"a factor is finite and not 0"},
               [&](const Comm& c) { adjoint(c, {.shape = {6, 8}}, {}, true, 0); });
  expect_error(2, Status::mismatch, {"one direction on all ranks"}, [](const Comm& c) {
    Plan plan(c, {.shape = {6, 8}});
    Array in = plan.make_input(), out = plan.make_output();
    plan.adjoint(out, in, c.rank() == 0 ? Direction::forward : Direction::backward);
  });
  expect_error(2, Status::invalid_argument, {"the arguments are exchanged: adjoint(in, out)"}, [](const Comm& c) {
    Plan plan(c, {.shape = {6, 9}, .kind = r2c}, {.input = slabs(0), .output = slabs(0)});
    Array in = plan.make_input(), out = plan.make_output();
    plan.adjoint(in.as<double>(), out.as<std::complex<double>>());
  });
}

// With a tolerance the adjoint of a complex transform is the opposite run, with its promise.
TEST(Adjoint, OfComplexNumbersKeepsATolerance) {
  on_ranks(4, [](const Comm& comm) {
    const Problem problem{.shape = {24, 16, 16}};
    Options o{.input = slabs(0), .output = slabs(0)};
    Plan exact(comm, problem, o);
    o.tolerance = 1e-3;
    o.expert.codec = "block_float";
    o.expert.encode_near = true;
    Plan plan(comm, problem, o);
    Array out = plan.make_output(), in = plan.make_input(), right = plan.make_input();
    fill_with_noise(plan.output(), comm.rank(), f64, true, out, 3);
    plan.adjoint(out, in);
    exact.adjoint(out, right);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < in.as<double>().size(); ++i) {
      difference += std::pow(in.as<double>()[i] - right.as<double>()[i], 2);
      norm += std::pow(right.as<double>()[i], 2);
    }
    const double error = std::sqrt(all_sum(comm, difference) / all_sum(comm, norm));
    EXPECT_GT(error, 1e-9) << "nothing was encoded";
    EXPECT_LE(error, plan.error_bound());
    EXPECT_LE(plan.error_bound(), 1e-3);
  });
}

}  // namespace
}  // namespace shardfft::testing
