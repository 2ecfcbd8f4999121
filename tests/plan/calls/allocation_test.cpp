#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>

#include "shardfft/shardfft.hpp"
#include "support/stand_ins/counted_malloc.hpp"

namespace shardfft::testing {
namespace {

TEST(Allocation, CounterSeesAnAllocation) {
  const CountAllocations counter;
  void* volatile p = std::malloc(100);  // volatile, or the compiler leaves the pair out
  std::free(p);
  EXPECT_GE(counter.count(), 1);
}

// All ranks together run between two barriers, while one of them counts for all.
long allocations_while_running(int ranks, const Problem& problem, const Options& options, std::size_t recorded = 0) {
  long count = -1;
  on_ranks(ranks, [&](Comm comm) {
    Plan plan(comm, problem, options);
    Array in = plan.make_input(), out = plan.make_output(), back = plan.make_input();
    const auto fill = [](auto numbers) {
      double value = 0.3;
      for (auto& x : numbers)
        x = static_cast<std::remove_reference_t<decltype(x)>>(value = 3.7 * value *
                                                                      (1 - value));  // zeros would not be encoded
    };
    problem.precision == f32 ? fill(in.as<float>()) : fill(in.as<double>());
    const auto once = [&] {
      plan.forward(in, out);
      plan.backward(out, back);
      plan.start(Direction::forward, in, out);
      while (!plan.test()) {}
      plan.wait();
    };
    once();  // OpenMP starts its threads in the first parallel region
    plan.record(recorded);
    comm.barrier();
    std::optional<CountAllocations> counter;
    if (comm.rank() == 0) counter.emplace();
    comm.barrier();
    once();
    comm.barrier();
    if (comm.rank() == 0) count = counter->count();
    comm.barrier();
  });
  return count;
}

TEST(Allocation, NothingIsAllocatedWhileAPlanRuns) {
  for (const int ranks : {1, 2, 5})
    for (const int threads : {1, 2}) {
      EXPECT_EQ(allocations_while_running(ranks, {.shape = {12, 10, 14}}, {.threads = threads}), 0)
          << ranks << " ranks x " << threads;
      EXPECT_EQ(allocations_while_running(ranks, {.shape = {9, 17, 22}, .kind = r2c, .precision = f32},
                                          {.input = bricks(), .output = bricks(), .threads = threads}),
                0)
          << ranks << " ranks x " << threads;
      EXPECT_EQ(allocations_while_running(ranks, {.shape = {12, 10, 14}},
                                          {.input = slabs(0), .output = slabs(0), .threads = threads}),
                0)
          << ranks << " ranks x " << threads << ", natural order";
      EXPECT_EQ(allocations_while_running(ranks, {.shape = {4096}},
                                          {.input = cyclic(0), .output = cyclic(0), .threads = threads}),
                0)
          << ranks << " ranks x " << threads << ", cyclic";
    }
}

TEST(Allocation, NothingIsAllocatedWhileAHaloIsFilled) {
  for (const int threads : {1, 2}) {
    long count = -1;
    on_ranks(3, [&](Comm comm) {
      Halo halo(comm, Layout(slabs(0), {9, 40, 50}, 3), {.low = {2, 1, 2}, .high = {2, 2, 1}, .periodic = {0, 2}}, 8,
                {.threads = threads});
      const Array array = halo.make_array();
      const auto once = [&] {
        halo.exchange(array);
        halo.accumulate(array, f64);
        halo.start_exchange(array);
        halo.wait();
      };
      once();  // OpenMP starts its threads in the first parallel region
      comm.barrier();
      std::optional<CountAllocations> counter;
      if (comm.rank() == 0) counter.emplace();
      comm.barrier();
      once();
      comm.barrier();
      if (comm.rank() == 0) count = counter->count();
      comm.barrier();
    });
    EXPECT_EQ(count, 0) << threads << " threads";
  }
}

TEST(Allocation, NothingIsAllocatedWhileAnOperatorIsApplied) {
  on_ranks(2, [](Comm comm) {
    Plan plan(comm, {.shape = {3, 20, 18, 16}, .axes = {1, 2, 3}},
              {.input = slabs(1), .threads = 2, .apply = Apply::to_outputs, .components_in = 3, .components_out = 1});
    Array in = plan.make_input(), out = plan.make_applied();
    const Operator f = spectral::divergence(plan, std::vector{1.0, 1.0, 1.0, 1.0});
    plan.apply(in, out, f);
    comm.barrier();
    std::optional<CountAllocations> counter;
    if (comm.rank() == 0) counter.emplace();
    comm.barrier();
    plan.apply(in, out, f);
    comm.barrier();
    if (comm.rank() == 0) { EXPECT_EQ(counter->count(), 0); }
    comm.barrier();
  });
}

TEST(Allocation, NothingIsAllocatedWhileAPlanEncodes) {
  for (const char* codec : {"block_float", "f16", "mantissa", "lossless"})
    for (const char* guarantee : {"certified", "statistical"})
      for (const int threads : {1, 2}) {
        if (threads == 2 && codec != std::string("block_float")) continue;
        const Options o{.input = bricks(),
                        .output = bricks(),
                        .tolerance = 1e-3,
                        .guarantee = guarantee,
                        .threads = threads,
                        .expert = {.codec = codec, .encode_near = true, .chunks = 2}};
        for (const Kind kind : {c2c, r2c, c2r})
          EXPECT_EQ(allocations_while_running(5, {.shape = {24, 22, 26}, .kind = kind}, o), 0)
              << codec << " " << guarantee << " " << to_string(kind);
      }
}

TEST(Allocation, NothingIsAllocatedWhileAPlanIsRecordedNorWhenItsRoomIsFull) {
  for (const std::size_t runs : {1, 100})
    EXPECT_EQ(allocations_while_running(2, {.shape = {12, 10, 14}}, {.threads = 1, .expert = {.chunks = 3}}, runs), 0)
        << runs;
}

TEST(Allocation, ThatFailsOnOneRankIsAnErrorOnAllRanks) {
  std::atomic<int> told{0};
  on_ranks(3, [&](Comm comm) {
    std::optional<FailLargeAllocations> fails;
    if (comm.rank() == 1) fails.emplace(1);
    try {
      const Plan plan(comm, {.shape = {16, 16, 16}});
      ADD_FAILURE() << "rank " << comm.rank() << " got a plan";
    } catch (const Error& e) {
      told += e.status() == Status::out_of_memory && std::string(e.what()).find("rank 1") != std::string::npos;
    }
  });
  EXPECT_EQ(told, 3);
}

// A box for each index would be 150 bytes of memory for each, and more for what is made of it.
TEST(Allocation, APlanTakesAsMuchForACyclicArrayAsForSlabs) {
  const auto taken = [](const LayoutSpec& layout, Index n, const std::vector<int>& axes) {
    const CountAllocations counter;
    const Plan plan(dry_run(4), {.shape = {n, 4}, .axes = axes}, {.input = layout, .output = layout, .threads = 1});
    return counter.bytes();
  };
  constexpr Index n = Index{1} << 20;
  constexpr long some_for_owners = 4 << 20;
  for (const std::vector<int>& axes : {std::vector<int>{0}, {1}})
    EXPECT_LT(taken(cyclic(0), n, axes), taken(slabs(0), n, axes) + some_for_owners);
  EXPECT_LT(taken(cyclic(0), n, {0}), 16 << 20) << "4 million points";
}

}  // namespace
}  // namespace shardfft::testing
