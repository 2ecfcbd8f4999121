// In exact mode the result is bitwise the same however the work is spread.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "engine/engine.hpp"
#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {
namespace {

struct Hashes {
  std::uint64_t forward = 0, backward = 0;
  friend bool operator==(const Hashes&, const Hashes&) = default;
};

template <class T>
Hashes hashes_of(const Comm& comm, const Problem& problem, const Options& options) {
  Plan plan(comm, problem, options);
  const bool of_complex = complex_in(problem);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), of_complex),
      back(packed_memory(plan.input(), comm.rank()), of_complex);
  LocalData<T> out(packed_memory(plan.output(), comm.rank()), complex_out(problem));
  in.fill(random_array(plan.input().global(), of_complex, 5));
  plan.forward(in.view(), out.view());
  plan.backward(out.view(), back.view());
  return {plan.hash_output(out.view()), plan.hash_input(back.view())};
}

Hashes hashes(int ranks, const Problem& problem, const Options& options) {
  Hashes result;
  on_ranks(ranks, [&](Comm comm) {
    const Hashes mine =
        problem.precision == f32 ? hashes_of<float>(comm, problem, options) : hashes_of<double>(comm, problem, options);
    if (comm.rank() == 0) result = mine;
  });
  return result;
}

std::vector<Problem> problems() {
  return {
      {.shape = {12, 10, 7}},
      {.shape = {17, 13, 11}, .kind = r2c, .precision = f32},
      {.shape = {8, 9, 6}, .kind = r2c, .axes = {2, 1, 0}},
      {.shape = {9, 5, 14}, .kind = c2r},
      {.shape = {3, 16, 20}, .precision = f32, .axes = {1, 2}},
      {.shape = {5, 4, 6, 7}, .axes = {0, 3, 1, 2}},
      {.shape = {211}},
      {.shape = {34, 29}, .kind = r2c},
      {.shape = {12, 9, 16}, .kind = r2r, .kinds = {AxisKind::cosine2, AxisKind::sine1, AxisKind::cosine4}},
      {.shape = {10, 12, 7},
       .kind = r2c,
       .precision = f32,
       .kinds = {AxisKind::sine3, AxisKind::fourier, AxisKind::hartley}},
  };
}

class Invariance : public ::testing::TestWithParam<std::string> {
 protected:
  void expect_same(const Hashes& expected, int ranks, const Problem& p, Options o) {
    if (!sample_.takes()) return;
    o.expert.engine = GetParam();
    EXPECT_EQ(hashes(ranks, p, o), expected)
        << to_string(p) << " on " << ranks << " ranks, decomposition '" << o.expert.decomposition << "', input "
        << to_string(o.input) << ", output " << to_string(o.output);
  }
  Hashes alone(const Problem& p) { return hashes(1, p, {.threads = 1, .expert = {.engine = GetParam()}}); }

 private:
  Sample sample_{};
};

TEST_P(Invariance, HoldsForAnyNumberOfRanksAndAnyDecomposition) {
  for (const Problem& p : problems()) {
    const Hashes expected = alone(p);
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12})
      for (const char* decomposition : {"", "slab", "pencil"})
        expect_same(expected, ranks, p, {.threads = 1, .expert = {.decomposition = decomposition}});
  }
}

TEST_P(Invariance, HoldsForThreadsChunksTilesFusionIntermediatesAndNonTemporalStores) {
  std::vector<Problem> all = problems();
  all.push_back({.shape = {24, 30, 26}});  // enough for every thread to have its share
  all.push_back({.shape = {20, 33, 28}, .kind = r2c, .precision = f32});
  all.push_back(
      {.shape = {6, 64, 48}});  // last axes of several passes, whose pencils need no tile where they are contiguous
  all.push_back({.shape = {5, 3, 128}, .precision = f32});
  for (const Problem& p : all) {
    const Hashes expected = alone(p);
    for (const int ranks : {1, 3}) {
      expect_same(expected, ranks, p, {.threads = 2});
      expect_same(expected, ranks, p, {.threads = 3, .expert = {.chunks = 3}});
      expect_same(expected, ranks, p, {.threads = 1, .expert = {.chunks = 2, .tile = 40}});
      expect_same(expected, ranks, p, {.threads = 2, .expert = {.fuse = 1, .non_temporal = NonTemporal::all}});
      for (const NonTemporal non_temporal : {NonTemporal::none, NonTemporal::synthesis})
        expect_same(expected, ranks, p, {.threads = 1, .expert = {.fuse = 2, .non_temporal = non_temporal}});
      for (const int fuse : {1, 2})
        expect_same(expected, ranks, p,
                    {.threads = 2, .expert = {.fuse = fuse, .intermediate = Intermediate::buffers}});
      expect_same(expected, ranks, p,
                  {.threads = 2,
                   .expert = {.fuse = 1, .intermediate = Intermediate::output, .non_temporal = NonTemporal::all}});
    }
  }
}

TEST_P(Invariance, HoldsForLayoutsThatDoNotChangeTheOrderOfAxes) {
  std::mt19937_64 random(77);
  for (const Problem& p : problems()) {
    const Hashes expected = alone(p);
    Shape spectrum = p.shape;
    if (const int real = real_axis(p); real >= 0) spectrum[real] = p.shape[real] / 2 + 1;
    for (const int ranks : {2, 5}) {
      const LayoutSpec in = random_boxes(random, p.kind == c2r ? spectrum : p.shape, ranks),
                       out = random_boxes(random, p.kind == c2r ? p.shape : spectrum, ranks);
      expect_same(expected, ranks, p, {.input = in, .output = out});
      const Options words{
          .input = slabs(0),
          .output = bricks(),
          .expert = {.engine = GetParam()}};  // may save an exchange by another order: then on one rank too
      expect_same(hashes(1, p, words), ranks, p, words);
    }
  }
}

TEST_P(Invariance, HoldsForEveryOrderInMemory) {
  std::mt19937_64 random(78);
  for (const Problem& p : problems()) {
    const Hashes expected = alone(p);
    Shape spectrum = p.shape;
    if (const int real = real_axis(p); real >= 0) spectrum[real] = p.shape[real] / 2 + 1;
    std::vector<int> order(static_cast<std::size_t>(p.shape.dims()));
    std::iota(order.begin(), order.end(), 0);
    for (const int ranks : {1, 2, 5}) {
      if (ranks == 1)
        std::reverse(order.begin(), order.end());
      else
        std::shuffle(order.begin(), order.end(), random);
      const LayoutSpec in = random_boxes(random, p.kind == c2r ? spectrum : p.shape, ranks).ordered(order),
                       out = random_boxes(random, p.kind == c2r ? p.shape : spectrum, ranks).ordered(order);
      for (const int fuse : {1, 2})
        expect_same(expected, ranks, p, {.input = in, .output = out, .expert = {.fuse = fuse}});
    }
  }
}

TEST_P(Invariance, HoldsForEveryNumberOfRanksAndWayWithTheSameWordsForTheLayouts) {
  for (const Problem& p : problems()) {
    if (p.shape.dims() < 3) continue;
    std::vector<int> turned(static_cast<std::size_t>(p.shape.dims()));
    std::iota(turned.begin(), turned.end(), 0);
    std::swap(turned[0], turned[1]);
    const Hashes plain = alone(p);
    for (auto [in, out] : {std::pair{slabs(0), slabs(0)},
                           {slabs(0), slabs(1).ordered(turned)},
                           {pencils(2), pencils(2)},
                           {bricks(), bricks()}}) {
      if (p.kind == c2r) std::swap(in, out);
      Options o{.input = in, .output = out, .threads = 1, .expert = {.engine = GetParam()}};
      const Hashes expected = hashes(1, p, o);
      // A half spectrum along an axis before the last is made first, and then another order may save an exchange.
      if (p.kinds.empty() || p.kind == r2r) {
        EXPECT_EQ(expected.forward, plain.forward) << to_string(p) << ", " << to_string(in) << " to " << to_string(out)
                                                   << ": forward, these words change nothing";
      }
      for (const int ranks : {2, 3, 4, 7, 12})
        for (const char* decomposition : {"", "pencil"}) {
          o.expert.decomposition = decomposition;
          expect_same(expected, ranks, p, o);
        }
      o.expert.decomposition = {};
      o.expert.codec = "lossless";
      expect_same(expected, 3, p, o);
    }
  }
}

TEST_P(Invariance, HoldsForEveryNumberOfRanksWhereTheLayoutsReverseTheOrderOfAxes) {
  const Problem p{.shape = {12, 10, 14}};
  const Options reversed{.input = pencils(0), .output = pencils(2), .expert = {.engine = GetParam()}};
  const Hashes expected = hashes(1, p, reversed);
  for (const int ranks : {2, 3, 4, 6, 7}) EXPECT_EQ(hashes(ranks, p, reversed), expected) << ranks;
  Options forced{.expert = {.engine = GetParam(), .axis_order = {0, 1, 2}}};
  EXPECT_EQ(hashes(4, p, forced), expected) << "the order that pencils:0 -> pencils:2 chooses is first axis first";
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Engine* engine : engines()) names.emplace_back(engine->name());
  if (sanitized) return {"native"};  // what the others compute is not looked at
  return names;
}

INSTANTIATE_TEST_SUITE_P(Engines, Invariance, ::testing::ValuesIn(engine_names()),
                         [](const auto& test) { return test.param; });

// Each rank has a box for every second element: were each of them compared with each, this would take hours; minutes of
// as many as sanitizers look at.
TEST(ManyBoxes, AreFoundWithoutComparingEachWithEach) {
  const Index n = sanitized ? 1 << 13 : 1 << 16;
  for (const Problem& problem : {Problem{.shape = {n}}, Problem{.shape = {n / 2, 2}, .axes = {1}}}) {
    const Options round_robin{.input = cyclic(0), .output = cyclic(0), .threads = 1};
    EXPECT_EQ(hashes(2, problem, round_robin), hashes(1, problem, round_robin)) << to_string(problem);
  }
}

}  // namespace
}  // namespace shardfft::testing
