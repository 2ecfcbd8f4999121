// Random problems whose rows fill tiles, several of them, and many more than small problems have: too large for the
// definition. What they are compared with is a plan of one rank that does nothing but what it must, which is checked by
// the exact transform at full size.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "plan/checked_plan.hpp"
#include "support/chosen.hpp"
#include "support/comm/comm_threads.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

/// A random problem with all that may be asked of a plan beside what Case has.
struct LongRows {
  Case c{};
  int ranks_per_node = 1;
  bool plans_arrays = false;  ///< those that the plan makes, which the ranks of a node reach
};

bool loses(const Options& o) { return o.tolerance > 0 || o.expert.codec == "mantissa:20"; }

// Layouts that cut several axes into blocks, as several exchanges need them, more often than others.
LayoutSpec layout_of_blocks(std::mt19937_64& random, const Shape& shape, int ranks) {
  const int axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
  switch (pick(random, 0, 4)) {
    case 0:
      return random_layout(random, shape, ranks);
    case 1:
      return slabs(axis);
    case 2:
      return bricks();
    default:
      return pencils(axis);
  }
}

LongRows random_long_rows(std::uint64_t seed, Index most) {
  LongRows l{.c = random_case_of_long_rows(seed, 2000, most, 6)};
  std::mt19937_64 random(seed * 31 + 7);
  const auto one_in = [&](Index n) { return pick(random, 1, n) == 1; };
  Case& c = l.c;
  Options& o = c.options;
  l.ranks_per_node = static_cast<int>(pick(random, 1, c.ranks));
  if (!one_in(3) && !c.padded_in) o.input = layout_of_blocks(random, c.in, c.ranks);
  if (!one_in(3) && !c.padded_out) o.output = layout_of_blocks(random, c.out, c.ranks);
  if (one_in(2)) o.expert.non_temporal = NonTemporal::all;
  if (one_in(5)) o.destroy_input = true;
  if (one_in(5)) o.in_place = true, c.padded_in = c.padded_out = false;
  l.plans_arrays = !o.in_place && !c.padded_in && !c.padded_out && one_in(2);
  if (c.ranks % 2 == 0 && c.ranks > 2 && c.problem.axes.size() > 2 && one_in(2))
    o.expert.ranks_grid = {2, c.ranks / 2}, o.expert.decomposition.clear();
  if (one_in(2)) {
    constexpr std::array codecs{"lossless", "lossless", "lossless", "mantissa:20", "", "block_float"};
    o.expert.codec = codecs[static_cast<std::size_t>(pick(random, 0, codecs.size() - 1))];
    if (o.expert.codec.empty() || o.expert.codec == "block_float") o.tolerance = 1e-4;
    o.expert.encode_near = one_in(2);
    if (c.problem.kind != c2c)
      o.expert.split = SplitAxis::never;  // no hermitian spectra with codecs, and so other bits
  }
  return l;
}

std::string to_string(const LongRows& l) {
  const Options& o = l.c.options;
  return fmt::format("{}, {} ranks a node{}{}{}{}, tolerance {}, codec '{}'{}", to_string(l.c), l.ranks_per_node,
                     l.plans_arrays ? ", the plan's arrays" : "", o.in_place ? ", in place" : "",
                     o.destroy_input ? ", input destroyed" : "",
                     o.expert.ranks_grid.dims() > 0 ? ", grid " + shardfft::to_string(o.expert.ranks_grid) : "",
                     o.tolerance, o.expert.codec, o.expert.encode_near ? " near" : "");
}

/// The layout in its own words on one rank: they keep the order of the axes, which bits depend on; so does their order
/// in memory, backward.
LayoutSpec on_one_rank(LayoutSpec spec, const Shape& shape) {
  if (spec.kind == LayoutSpec::Kind::boxes) spec.boxes = {{whole(shape)}};
  if (spec.kind == LayoutSpec::Kind::grid) spec.grid = Coord::filled(shape.dims(), 1);
  spec.block = 0;
  return spec;
}

template <class T>
Whole transformed_plainly(const Case& c, const Whole& x, Direction direction, double& error_bound) {
  const bool forward = direction == Direction::forward;
  const Options plain{.input = on_one_rank(c.options.input, c.in),
                      .output = on_one_rank(c.options.output, c.out),
                      .threads = 1,
                      .expert = {.chunks = 1,
                                 .fuse = 1,
                                 .split = c.options.expert.split,
                                 .intermediate = Intermediate::buffers,
                                 .non_temporal = NonTemporal::none}};
  Whole y{forward ? c.out : c.in, std::vector<Reference>(static_cast<std::size_t>(product(forward ? c.out : c.in)))};
  on_ranks(1, [&](Comm comm) {
    Plan plan(comm, c.problem, plain);
    const Kind kind = c.problem.kind;
    LocalData<T> in(packed_memory(forward ? plan.input() : plan.output(), 0), kind == c2c || (kind == c2r) == forward),
        out(packed_memory(forward ? plan.output() : plan.input(), 0), kind == c2c || (kind == r2c) == forward);
    in.fill(x);
    forward ? plan.forward(in.view(), out.view()) : plan.backward(in.view(), out.view());
    const Verdict verdict = plan.verify(in.view(), out.view(), direction);
    EXPECT_TRUE(verdict.ok()) << "the plain plan: " << verdict.error_rel_l2 << " > " << verdict.bound;
    error_bound = plan.error_bound();
    out.read(y);
  });
  return y;
}

/// Both arrays, and what becomes of each, with that relative error at most.
struct Transforms {
  Whole x{}, y{}, forward{}, backward{};
  double error_bound = 0;
};

template <class T>
Transforms transforms_of(const Case& c) {
  Transforms t{.x = random_array(c.in, c.problem.kind != r2c, c.seed),
               .y = random_array(c.out, c.problem.kind != c2r, c.seed + 7)};
  t.forward = transformed_plainly<T>(c, t.x, Direction::forward, t.error_bound);
  t.backward = transformed_plainly<T>(c, t.y, Direction::backward, t.error_bound);
  return t;
}

/// A plan of one rank, and the arrays that it runs through.
template <class T>
struct LongRowsRank {
  const LongRows& l;
  const Comm& comm;
  Plan& plan;
  Array own_in{}, own_out{};

  // In place, and with arrays of the plan, through those; what lies in gaps is looked at where there are some.
  void run(Direction direction, LocalData<T>& from, LocalData<T>& to) {
    const bool forward = direction == Direction::forward, in_place = l.c.options.in_place;
    const auto go = [&](const View& a, const View& b) { forward ? plan.forward(a, b) : plan.backward(a, b); };
    if (!in_place && !l.plans_arrays) return go(from.view(), to.view());
    if (own_in.bytes() == 0)
      own_in = in_place ? Array(std::max(plan.input_bytes(), plan.output_bytes())) : plan.make_input();
    if (own_out.bytes() == 0 && !in_place) own_out = plan.make_output();
    Array &a = forward || in_place ? own_in : own_out, &b = forward && !in_place ? own_out : own_in;
    plan.copy(from.view(), a);
    go(a, b);
    plan.copy(b, to.view());
    if (!in_place) plan.copy(a, from.view());
  }

  void expect(Direction direction, LocalData<T>& from, LocalData<T>& to, const Whole& expected, double error_bound) {
    const auto before = from.raw();
    run(direction, from, to);
    const char* name = direction == Direction::forward ? "forward" : "backward";
    EXPECT_TRUE(before == from.raw() || l.c.options.destroy_input) << name << " changed its input";
    EXPECT_TRUE(to.gaps_untouched() && from.gaps_untouched()) << name << " wrote beside its arrays";
    const auto [difference, norm] = to.compare(expected, 1);
    if (!loses(l.c.options)) {
      EXPECT_EQ(difference, 0) << name << ": other bits than the plain plan has";
      return;
    }
    const double error = std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), bound = plan.error_bound();
    EXPECT_LE(error, bound + error_bound) << name;
    EXPECT_TRUE(l.c.options.tolerance == 0 || bound <= l.c.options.tolerance) << name << ": " << bound;
  }
};

template <class T>
void expect_the_same(const LongRows& l, const Comm& comm, const Transforms& t) {
  const Case& c = l.c;
  Options options = c.options;
  std::mt19937_64 random(c.seed * 1000 + static_cast<std::uint64_t>(comm.rank()));
  LocalMemory in_memory, out_memory;
  if (c.padded_in)
    options.input_memory =
        (in_memory = padded_memory(Layout(options.input, c.in, c.ranks), comm.rank(), random)).places;
  if (c.padded_out)
    options.output_memory =
        (out_memory = padded_memory(Layout(options.output, c.out, c.ranks), comm.rank(), random)).places;
  Plan plan(comm, c.problem, options);
  if (!c.padded_in) in_memory = packed_memory(plan.input(), comm.rank());
  if (!c.padded_out) out_memory = packed_memory(plan.output(), comm.rank());
  LocalData<T> in(in_memory, c.problem.kind != r2c), back = in, out(out_memory, c.problem.kind != c2r);
  LongRowsRank<T> rank{l, comm, plan};
  for (int again = 0; again < 2; ++again) {  // the second time windows and rounds have a past
    in.fill(t.x);
    rank.expect(Direction::forward, in, out, t.forward, t.error_bound);
    out.fill(t.y);
    rank.expect(Direction::backward, out, back, t.backward, t.error_bound);
  }
}

template <class T>
void expect_the_same(const LongRows& l) {
  const Transforms t = transforms_of<T>(l.c);
  on_ranks(l.c.ranks, l.ranks_per_node, [&](const Comm& comm) { expect_the_same<T>(l, comm, t); });
}

class LongRowsPlans : public ::testing::TestWithParam<int> {};

TEST_P(LongRowsPlans, GiveTheBitsOfOneRankThatDoesNothingButWhatItMustWhateverTheLayoutsMemoryAndOptions) {
  const int per_group = chosen_problems(45);
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const LongRows l = random_long_rows(chosen_seed(20261124) + static_cast<std::uint64_t>(GetParam() * per_group + i),
                                        sanitized ? 6000 : 20000);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", to_string(l));
    try {
      l.c.problem.precision == f32 ? expect_the_same<float>(l) : expect_the_same<double>(l);
      if (HasFailure()) ADD_FAILURE() << "with " << to_string(l);
    } catch (const std::exception& e) { ADD_FAILURE() << to_string(l) << "\n" << e.what(); }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LongRowsPlans, ::testing::Range(0, 4));

}  // namespace
}  // namespace shardfft::testing
