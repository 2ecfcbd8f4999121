// apply() is forward, a function and backward: their bits, in fewer passes and exchanges.
#include <gtest/gtest.h>

#include <cmath>

#include "plan/apply/mixing.hpp"
#include "support/chosen.hpp"
#include "support/comm/agree.hpp"

namespace shardfft::testing {
namespace {

struct Applied {
  Problem problem;
  Options options;  // with apply

  [[nodiscard]] bool to_outputs() const { return options.apply == Apply::to_outputs; }
  [[nodiscard]] bool of_spectrum() const { return to_outputs() == (problem.kind != c2r); }
  [[nodiscard]] bool complex_ends() const { return to_outputs() ? complex_in(problem) : complex_out(problem); }
  [[nodiscard]] bool complex_middle() const { return to_outputs() ? complex_out(problem) : complex_in(problem); }
};

void transform(Plan& plan, bool forward, View in, View out) {
  forward ? plan.forward(in, out) : plan.backward(in, out);
}

// So many along axis 0; 0: as many as there are.
Problem with_components(Problem p, Index components) {
  if (components == 0) return p;
  p.shape[0] = components;
  for (Coord* fewer : {&p.modes, &p.support})
    if (fewer->dims() > 0) (*fewer)[0] = 0;
  return p;
}

// The three steps, by plans that leave what is in the middle to the planner, but for more than one component, which may
// not be cut.
template <class T>
std::uint64_t hash_of_steps(const Comm& comm, const Applied& run, const Plan& fused, const Whole& x) {
  const bool to_outputs = run.to_outputs();
  Options options = run.options;
  options.apply = Apply::none;
  options.components_in = options.components_out = 0;
  options.input_memory.clear(), options.output_memory.clear();
  options.in_place = options.destroy_input = options.padded_reals = false;
  options.expert.split = SplitAxis::never;
  LayoutSpec &own = to_outputs ? options.input : options.output, &other = to_outputs ? options.output : options.input;
  if (other.kind != LayoutSpec::Kind::any) own = (to_outputs ? fused.input() : fused.output()).spec();
  other = run.options.components_in > 0 ? fused.middle().spec() : any;
  Plan there(comm, run.problem, options);
  EXPECT_TRUE((to_outputs ? there.output() : there.input()).same_owners(fused.middle()));
  LocalData<T> in(packed_memory(to_outputs ? there.input() : there.output(), comm.rank()), run.complex_ends()),
      middle(packed_memory(fused.middle(), comm.rank()), run.complex_middle());
  in.fill(x);
  transform(there, to_outputs, in.view(), middle.view());
  Whole seen{.shape = fused.middle().global()};
  seen.values.resize(static_cast<std::size_t>(product(seen.shape)));
  middle.read(seen);
  const int components_in = run.options.components_in,
            components_out = run.options.components_out > 0 ? run.options.components_out : components_in;
  const Whole done = mixed<T>(seen, fused.middle().boxes(comm.rank()), run.problem, run.complex_middle(),
                              run.of_spectrum(), components_in, components_out);
  const Problem back_problem = with_components(run.problem, components_in > 0 ? components_out : 0);
  Plan back(comm, back_problem, options);
  LocalData<T> changed(packed_memory(to_outputs ? back.output() : back.input(), comm.rank()), run.complex_middle()),
      out(packed_memory(to_outputs ? back.input() : back.output(), comm.rank()), run.complex_ends());
  changed.fill(done);
  transform(back, !to_outputs, changed.view(), out.view());
  return to_outputs ? back.hash_input(out.view()) : back.hash_output(out.view());
}

template <class T>
std::uint64_t hash_of_apply(const Comm& comm, const Applied& run, Plan& plan, const Whole& x,
                            const LocalMemory& in_memory, const LocalMemory& out_memory) {
  std::atomic<Index> seen = 0;
  const Layout& own = run.to_outputs() ? plan.input() : plan.output();
  LocalData<T> in(in_memory, run.complex_ends()), out(out_memory, run.complex_ends());
  in.fill(x);
  const auto before = in.raw();
  const LocalData<T>& result = run.options.in_place ? in : out;
  for (int turn = 0; turn < 2; ++turn) {
    if (run.options.in_place || run.options.destroy_input) in.fill(x);
    run.to_outputs() ? plan.apply(in.view(), result.view(), mixing<T>(seen, run.problem.kind == c2c))
                     : plan.apply_physical(in.view(), result.view(), mixing<T>(seen, run.problem.kind == c2c));
  }
  if (!run.options.in_place && !run.options.destroy_input) {
    EXPECT_TRUE(before == in.raw()) << "apply changed its input";
    EXPECT_TRUE(out.gaps_untouched());
  }
  const Index components = std::max(1, run.options.components_in);
  EXPECT_EQ(all_sum(comm, static_cast<double>(seen)),
            2 * static_cast<double>(product(plan.middle().global()) / components))
      << "each element once in each run";
  EXPECT_EQ(plan.applied().same_owners(own), plan.applied().global() == own.global());
  // Hashes are keyed by position alone: a plan that holds the result only looks at it.
  const Problem held = with_components(run.problem, run.options.components_in > 0 ? plan.applied().global()[0] : 0);
  Options options;
  (run.to_outputs() ? options.input : options.output) = plan.applied().spec();
  options.expert.split = SplitAxis::never;
  const Plan looks(comm, held, options);
  Whole all{.shape = plan.applied().global()};
  all.values.resize(static_cast<std::size_t>(product(all.shape)));
  (run.options.in_place ? in : out).read(all);
  LocalData<T> packed(packed_memory(plan.applied(), comm.rank()), run.complex_ends());
  packed.fill(all);
  return run.to_outputs() ? looks.hash_input(packed.view()) : looks.hash_output(packed.view());
}

template <class T>
void check(const Comm& comm, Applied run, bool padded, std::mt19937_64 random) {
  const Shape ends = extents(run.problem, !run.of_spectrum());
  const Whole x = random_array(ends, run.complex_ends(), 5);
  LocalMemory in_memory;
  if (padded) {
    in_memory = padded_memory(Layout(run.to_outputs() ? run.options.input : run.options.output, ends, comm.size()),
                              comm.rank(), random);
    (run.to_outputs() ? run.options.input_memory : run.options.output_memory) = in_memory.places;
  }
  Plan plan(comm, run.problem, run.options);
  if (!padded) in_memory = packed_memory(run.to_outputs() ? plan.input() : plan.output(), comm.rank());
  const LocalMemory out_memory = padded ? in_memory : packed_memory(plan.applied(), comm.rank());
  EXPECT_EQ(hash_of_apply<T>(comm, run, plan, x, in_memory, out_memory), hash_of_steps<T>(comm, run, plan, x))
      << plan.describe();
}

void check_on_ranks(int ranks, const Applied& run, bool padded = false, std::uint64_t seed = 1) {
  SCOPED_TRACE(to_string(run.problem) + " on " + std::to_string(ranks) + " ranks, input " +
               to_string(run.options.input) + ", output " + to_string(run.options.output) +
               (run.to_outputs() ? ", apply" : ", apply_physical") + ", seed " + std::to_string(seed));
  on_ranks(ranks, [&](Comm comm) {
    std::mt19937_64 random(seed * 1000 + static_cast<std::uint64_t>(comm.rank()));
    run.problem.precision == f32 ? check<float>(comm, run, padded, random) : check<double>(comm, run, padded, random);
  });
}

class Seeds : public ::testing::TestWithParam<int> {};

TEST_P(Seeds, ApplyHasTheBitsOfForwardThenFThenBackwardThroughItsMiddle) {
  const auto seed = static_cast<std::uint64_t>(GetParam()) + chosen_seed(0);
  Case c = seed % 4 == 3   ? random_case_of_long_rows(seed, 1 << 10, 1 << 15, 8)
           : seed % 4 == 1 ? random_case_of_kinds(seed, 4000, 8)
                           : random_case(seed, 4000, 8);
  c.options.expert.split = SplitAxis::automatic;
  std::mt19937_64 random(seed);
  if (seed % 5 < 2) take_fewer(c, random);
  c.options.apply = seed % 3 == 2 ? Apply::to_inputs : Apply::to_outputs;
  c.options.threads = static_cast<int>(seed % 3) + 1;
  const bool padded = c.options.apply == Apply::to_outputs ? c.padded_in : c.padded_out;
  check_on_ranks(c.ranks, {c.problem, c.options}, padded, seed);
}

INSTANTIATE_TEST_SUITE_P(Random, Seeds, ::testing::Range(0, chosen_problems(400)));

TEST(Apply, SeesAllComponentsOfAnElementAndMayChangeTheirNumber) {
  Sample sample;
  for (const auto& [in, out] : {std::pair{3, 3}, {1, 3}, {3, 1}})
    for (const Kind kind : {c2c, r2c, c2r})
      for (const int ranks : {1, 3})
        for (const LayoutSpec& spec : {any, slabs(1), pencils(3), process_grid({1, 1, 2, 1})}) {
          if ((spec.kind == LayoutSpec::Kind::grid && ranks == 1) || !sample.takes()) continue;
          Applied run{{.shape = {in, 9, 10, 12}, .kind = kind, .precision = ranks == 3 ? f32 : f64, .axes = {1, 2, 3}},
                      {.input = spec, .apply = Apply::to_outputs, .components_in = in, .components_out = out}};
          // The steps have words for both layouts, with which backward may go another way.
          run.options.expert.axis_order = kind == c2r ? std::vector{1, 2, 3} : std::vector{3, 2, 1};
          check_on_ranks(ranks, run);
          run.options.apply = Apply::to_inputs;
          std::swap(run.options.input, run.options.output);
          check_on_ranks(ranks, run);
        }
}

// Products of fields without aliasing need this: six fields become three.
TEST(Apply, FewerModesGoWithAnyNumberOfComponents) {
  Sample sample;
  for (const auto& [in, out] : {std::pair{6, 3}, {1, 2}, {3, 3}})
    for (const Kind kind : {c2c, r2c, c2r})
      for (const int ranks : {2, 5})
        for (const bool even : {false, true}) {
          if (!sample.takes()) continue;
          const Index more = even ? 1 : 0;
          Applied run{{.shape = {in, 12, 9, 16},
                       .kind = kind,
                       .precision = ranks == 5 ? f32 : f64,
                       .axes = {1, 2, 3},
                       .modes = {0, 7 + more, 5 + more, 11 - more},
                       .support = {0, 12, 9 - more, 16}},
                      {.threads = 1,
                       .apply = kind == c2r ? Apply::to_outputs : Apply::to_inputs,
                       .components_in = in,
                       .components_out = out}};
          run.options.expert.axis_order = kind == c2r ? std::vector{1, 2, 3} : std::vector{3, 2, 1};
          check_on_ranks(ranks, run);
          run.options.apply = kind == c2r ? Apply::to_inputs : Apply::to_outputs;
          check_on_ranks(ranks, run);
        }
}

TEST(Apply, InPlaceHasRoomForMoreComponents) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](Comm comm) {
      const auto applied = [&](bool in_place) {
        Plan plan(comm, {.shape = {1, 8, 9, 10}, .axes = {1, 2, 3}},
                  {.input = slabs(1),
                   .in_place = in_place,
                   .apply = Apply::to_outputs,
                   .components_in = 1,
                   .components_out = 3});
        Array out = plan.make_applied(), other = plan.make_input();
        Array& in = in_place ? out : other;
        double x = 0;
        for (double& value : in.as<double>().first(plan.input_bytes() / sizeof(double))) value = std::sin(x += 1.7);
        plan.apply(in, out, spectral::gradient(plan, std::vector{1.0, 1.0, 1.0, 1.0}));
        const auto all = out.as<double>().first(plan.applied_bytes() / sizeof(double));
        return std::vector<double>(all.begin(), all.end());
      };
      EXPECT_EQ(applied(true), applied(false));
    });
}

TEST(Apply, WorksInPlaceOnEveryTransportAndWithOneSweepOrMany) {
  Sample sample;
  for (const Shape& shape : {Shape{24, 20, 18}, {40}, {16, 64}, {5, 6, 7, 8}})
    for (const Kind kind : {c2c, r2c})
      for (const int ranks : {1, 2, 3})
        for (const char* transport : {"", "threads"})
          for (const int fuse : {1, 2}) {
            if (!sample.takes()) continue;
            Applied run{{.shape = shape, .kind = kind},
                        {.input = slabs(0),
                         .output = slabs(0),
                         .threads = 2,
                         .apply = Apply::to_outputs,
                         .expert = {.transport = transport, .fuse = fuse}}};
            for (int a = 0; a < shape.dims(); ++a) run.problem.axes.push_back(a);
            check_on_ranks(ranks, run);
            if (kind == r2c) continue;
            run.options.in_place = true;
            check_on_ranks(ranks, run);
            run.options.in_place = false, run.options.destroy_input = true;
            check_on_ranks(ranks, run);
          }
}

}  // namespace
}  // namespace shardfft::testing
