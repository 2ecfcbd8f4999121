// Arrays that a plan makes: the ranks of a node reach each other's, which saves copies and changes nothing else.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"
#include "support/oracles/local_data.hpp"

namespace shardfft::testing {
namespace {

/// A rank's two sides of a transform with known contents, in the caller's own memory.
struct Sides {
  LocalData<double> in, out;
  Sides(const Plan& plan, int rank, Direction direction, unsigned seed)
      : in(packed_memory(from(plan, direction), rank), complex_in(plan, direction)),
        out(packed_memory(to(plan, direction), rank), complex_in(plan, other(direction))) {
    in.fill(random_array(from(plan, direction).global(), complex_in(plan, direction), seed));
  }
  static Direction other(Direction d) { return d == Direction::forward ? Direction::backward : Direction::forward; }
  static const Layout& from(const Plan& plan, Direction d) {
    return d == Direction::forward ? plan.input() : plan.output();
  }
  static const Layout& to(const Plan& plan, Direction d) { return from(plan, other(d)); }
  static bool complex_in(const Plan& plan, Direction d) {
    return plan.problem().kind == c2c || (d == Direction::backward);
  }
};

void run(Plan& plan, Direction direction, View in, View out) {
  direction == Direction::forward ? plan.forward(in, out) : plan.backward(in, out);
}

/// Bytes through memory in the steps of the last run that only copy.
Index copied(const Plan& plan) {
  Index bytes = 0;
  for (const StepReport& step : plan.last_run())
    if (step.label == "copy") bytes += step.bytes_memory;
  return bytes;
}

Array made_input(const Plan& plan, Direction d) {
  return d == Direction::forward ? plan.make_input() : plan.make_output();
}
Array made_output(const Plan& plan, Direction d) { return made_input(plan, Sides::other(d)); }

struct PairOfLayouts {
  LayoutSpec input, output;
};

// Places of the array between sweeps, in runs on arrays of the plan: buffers, or the ranks' outputs, also in parts and
// over three sweeps.
std::vector<Options> places_between_sweeps() {
  return {{.threads = 1, .expert = {.intermediate = Intermediate::buffers}},
          {.threads = 1, .expert = {.intermediate = Intermediate::output}},
          {.threads = 1, .expert = {.chunks = 3, .fuse = 1, .intermediate = Intermediate::output}}};
}

Options with(Options options, const PairOfLayouts& layouts) {
  options.input = layouts.input, options.output = layouts.output;
  return options;
}

// Both directions of one problem: runs on arrays of the plan give the bits of runs on the caller's own memory, and move
// nothing twice.
void expect_same_bits(const Comm& comm, const Problem& problem, const Options& options) {
  Plan plan(comm, problem, options);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    Sides own(plan, comm.rank(), direction, 7);
    run(plan, direction, own.in.view(), own.out.view());
    Array in = made_input(plan, direction), out = made_output(plan, direction);
    std::memcpy(in.data(), own.in.view().data, in.bytes());
    run(plan, direction, in, out);
    EXPECT_EQ(std::memcmp(out.data(), own.out.view().data, out.bytes()), 0)
        << to_string(problem) << " " << to_string(options.input) << " -> " << to_string(options.output) << " on "
        << comm.size() << " ranks, rank " << comm.rank() << ", intermediate " << option_text(options, "intermediate")
        << ", chunks " << options.expert.chunks;
    EXPECT_EQ(std::memcmp(in.data(), own.in.view().data, in.bytes()), 0) << "the input was changed";
    EXPECT_EQ(copied(plan), 0);
  }
}

TEST(PlansArrays, OfOneRealAxisInHalvesGiveTheBitsOfTheCallersOwnMemory) {
  const std::vector<PairOfLayouts> pairs{{slabs(0), slabs(0)},
                                         {slabs(1), slabs(1)},
                                         {slabs(0), slabs(1)},
                                         {bricks(), bricks()},
                                         {slabs(1).ordered({1, 0}), slabs(0)}};
  Sample sample;
  for (const Index n : {60, 35})
    for (const PairOfLayouts& pair : pairs)
      for (const int ranks : {1, 2, 3, 5}) {
        if (!sample.takes()) continue;
        on_ranks(ranks, [&](Comm comm) {
          for (Options options : places_between_sweeps()) {
            options.expert.split = SplitAxis::always;
            expect_same_bits(comm, {.shape = {3, n}, .kind = r2c, .axes = {1}}, with(options, pair));
          }
        });
      }
}

TEST(PlansArrays, GiveTheBitsOfTheCallersOwnMemoryWithoutCopies) {
  const std::vector<PairOfLayouts> pairs{{slabs(0), slabs(0)},     {slabs(0), slabs(1)},
                                         {pencils(2), pencils(0)}, {pencils(2), pencils(2)},
                                         {bricks(), bricks()},     {slabs(0).ordered({0, 2, 1}), slabs(0)},
                                         {cyclic(0), slabs(0)}};
  Sample sample;
  for (const Kind kind : {c2c, r2c})
    for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, {0}, {0, 2}})
      for (const PairOfLayouts& pair : pairs)
        for (const int ranks : {1, 2, 3, 5}) {
          if (!sample.takes()) continue;
          on_ranks(ranks, [&](Comm comm) {
            for (const Options& options : places_between_sweeps())
              expect_same_bits(comm, {.shape = {10, 9, 12}, .kind = kind, .axes = axes}, with(options, pair));
          });
        }
}

TEST(PlansArrays, SaveCopiesOfNaturalOrderOnlyWhereEveryRankPassesThem) {
  on_ranks(3, [&](Comm comm) {
    Plan plan(comm, {.shape = {10, 9, 12}}, {.input = slabs(0), .output = slabs(0), .threads = 1});
    Sides own(plan, comm.rank(), Direction::forward, 7);
    Array out = plan.make_output(), other = plan.make_output();
    const auto forward = [&](View to) {
      plan.forward(own.in.view(), to);
      return copied(plan);
    };
    EXPECT_GT(forward(own.out.view()), 0);
    EXPECT_EQ(forward(out), 0);
    EXPECT_EQ(forward(other), 0);
    EXPECT_GT(forward(comm.rank() == 1 ? own.out.view() : View(out)), 0) << "one rank passed its own memory";
    EXPECT_EQ(std::memcmp(out.data(), other.data(), comm.rank() == 1 ? 0 : out.bytes()), 0);
    std::memset(out.data(), 0, out.bytes());
    EXPECT_GT(forward(comm.rank() == 1 ? other : out), 0) << "ranks passed arrays of different numbers";
    EXPECT_EQ(std::memcmp((comm.rank() == 1 ? other : out).data(), own.out.view().data, out.bytes()), 0);
  });
}

TEST(PlansArrays, AreAsManyAsOneWantsAndOutliveThePlanAndEachOther) {
  on_ranks(2, [&](Comm comm) {
    std::vector<Array> arrays;
    std::optional<Plan> plan(std::in_place, comm, Problem{.shape = {10, 9, 12}},
                             Options{.input = slabs(0), .output = slabs(0), .threads = 1});
    Sides own(*plan, comm.rank(), Direction::forward, 7);
    plan->forward(own.in.view(), own.out.view());
    for (int i = 0; i < 12; ++i) {
      arrays.push_back(plan->make_output());
      plan->forward(own.in.view(), arrays.back());
    }
    arrays.erase(arrays.begin() + 2, arrays.begin() + 4);
    Array again = plan->make_output();
    for (const std::byte b : std::span(again.data(), again.bytes()))
      ASSERT_EQ(b, std::byte{0}) << "an array that was used before is zero again";
    plan->forward(own.in.view(), again);
    EXPECT_EQ(copied(*plan), 0) << "the place of an array that went is free";
    plan.reset();
    comm.barrier();
    arrays.push_back(std::move(again));
    for (const Array& array : arrays) EXPECT_EQ(std::memcmp(array.data(), own.out.view().data, array.bytes()), 0);
  });
}

TEST(PlansArrays, ServeSeveralPlansAndBothDirectionsInTurn) {
  on_ranks(3, [&](Comm comm) {
    const Options options{.input = slabs(0), .output = slabs(0), .threads = 1};
    Plan a(comm, {.shape = {10, 9, 12}}, options), b(comm, {.shape = {10, 9, 12}}, options);
    Array x = a.make_input(), y = a.make_output(), z = a.make_output(), u = b.make_output();
    Sides own(a, comm.rank(), Direction::forward, 7);
    std::memcpy(x.data(), own.in.view().data, x.bytes());
    a.forward(x, y);
    const std::uint64_t there = a.hash_output(y);
    b.forward(x, z);  // memory of another plan is as good as one's own
    EXPECT_EQ(b.hash_output(z), there);
    a.backward(y, x);
    EXPECT_EQ(copied(a), 0);
    a.backward(u, z);  // zeros
    for (const double v : z.as<double>()) ASSERT_EQ(v, 0.0);
    a.forward(x, u);
    a.forward(x, z);
    EXPECT_EQ(a.hash_output(u), a.hash_output(z));
  });
}

TEST(PlansArrays, MayBeOverwrittenAsSoonAsARunReturns) {
  const std::vector<PairOfLayouts> pairs{{slabs(0), slabs(0)}, {slabs(1), slabs(0)}, {pencils(0), pencils(2)}};
  for (const PairOfLayouts& pair : pairs)
    for (const Options& options : places_between_sweeps())
      on_ranks(4, [&](Comm comm) {
        Plan plan(comm, {.shape = {16, 8, 8}}, with(options, pair));
        Sides first(plan, comm.rank(), Direction::backward, 1), second(plan, comm.rank(), Direction::backward, 2);
        plan.backward(first.in.view(), first.out.view());
        plan.backward(second.in.view(), second.out.view());
        Array in = plan.make_output(), out = plan.make_input();
        for (int i = 0; i < 100; ++i) {
          const Sides& now = i % 2 ? first : second;
          std::memcpy(in.data(), now.in.view().data, in.bytes());
          if (i % 3) {
            plan.backward(in, out);
          } else {
            plan.start(Direction::backward, in, out);
            while (!plan.test()) {}
          }
          std::memset(in.data(), 0xff, in.bytes());
          ASSERT_EQ(std::memcmp(out.data(), now.out.view().data, out.bytes()), 0) << "run " << i;
          std::memset(out.data(), 0xff, out.bytes());
        }
      });
}

TEST(PlansArrays, AreOrdinaryMemoryWhereThePlanCannotReachThem) {
  on_ranks(2, [&](Comm comm) {
    const Problem problem{.shape = {10, 9, 12}};
    Options options{.input = slabs(0), .output = slabs(0), .threads = 1};
    const Index whole_rows = 5 * 9 * 12;
    if (comm.rank() == 1) options.output_memory = {{0, {9 * 12, 12, 1}}};
    Plan placed(comm, problem, options);
    Sides own(placed, comm.rank(), Direction::forward, 7);
    Array out = placed.make_output();
    ASSERT_EQ(out.bytes(), static_cast<std::size_t>(whole_rows) * 16);
    placed.forward(own.in.view(), out);
    EXPECT_GT(copied(placed), 0) << "one rank placed its boxes itself";
    EXPECT_TRUE(placed.verify(own.in.view(), out).ok());
    options.output_memory.clear();
    options.in_place = true;
    Plan in_place(comm, problem, options);
    Array both = in_place.make_input();
    std::memcpy(both.data(), own.in.view().data, both.bytes());
    in_place.forward(both, both);
    EXPECT_EQ(std::memcmp(both.data(), out.data(), out.bytes()), 0);
  });
}

}  // namespace
}  // namespace shardfft::testing
