// How plans run: in place, split, several at once, in the caller's memory.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "shardfft/shardfft.hpp"
#include "support/chosen.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"
#include "support/ranks/interleaved.hpp"

namespace shardfft::testing {
namespace {

const Problem cube{.shape = {12, 9, 10}};

// This rank's result of a plain out-of-place run.
std::vector<double> plain(const Comm& comm, const Problem& problem, const Options& options, Direction direction,
                          const LocalData<double>& in) {
  Plan plan(comm, problem, options);
  const bool fwd = direction == Direction::forward;
  const bool complex_out = (fwd ? problem.kind != c2r : problem.kind != r2c);
  LocalData<double> out(packed_memory(fwd ? plan.output() : plan.input(), comm.rank()), complex_out);
  fwd ? plan.forward(in.view(), out.view()) : plan.backward(in.view(), out.view());
  return out.raw();
}

LocalData<double> filled(const Layout& layout, int rank, bool complex) {
  LocalData<double> data(packed_memory(layout, rank), complex);
  data.fill(random_array(layout.global(), complex, 3));
  return data;
}

TEST(InPlace, GivesTheSameBitsAsOutOfPlaceForAnyPairOfLayouts) {
  Sample sample;
  const std::vector<std::pair<LayoutSpec, LayoutSpec>> pairs{{slabs(0), slabs(0)},
                                                             {slabs(0), slabs(1)},
                                                             {pencils(2), pencils(0)},
                                                             {bricks(), bricks()},
                                                             {slabs(0), slabs(1).ordered({1, 0, 2})},
                                                             {cyclic(1), bricks()}};
  for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, {2}, {0}, {1, 2}, {0, 1}})
    for (const auto& [from, to] : pairs)
      for (const auto& [ranks, buffers] : {std::pair(1, true), {1, false}, {2, false}, {5, true}, {5, false}}) {
        if (!sample.takes()) continue;
        on_ranks(ranks, [&, buffers = buffers](Comm comm) {
          const Problem problem{.shape = cube.shape, .axes = axes};
          Options options{.input = from,
                          .output = to,
                          .expert = {.intermediate = buffers ? Intermediate::buffers : Intermediate::output}};
          const Layout in(from, cube.shape, ranks);
          const LocalData<double> x = filled(in, comm.rank(), true);
          const std::vector<double> expected = plain(comm, problem, options, Direction::forward, x);
          options.in_place = true;
          Plan plan(comm, problem, options);
          std::vector<double> memory(std::max(plan.input_bytes(), plan.output_bytes()) / sizeof(double));
          std::memcpy(memory.data(), x.view().data, x.view().bytes);
          plan.forward(View(std::span(memory)).data ? View(memory.data(), memory.size() * 8) : View{},
                       View(memory.data(), memory.size() * 8));
          EXPECT_EQ(std::memcmp(memory.data(), expected.data(), plan.output_bytes()), 0)
              << to_string(from) << " -> " << to_string(to) << " on " << ranks << " ranks, rank " << comm.rank() << ", "
              << axes.size() << " axes from " << axes[0];
        });
      }
}

TEST(InPlace, WorksForRealTransformsInFftwsPaddedLayout) {
  for (const int ranks : {1, 3})
    for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, {2}})
      on_ranks(ranks, [&](Comm comm) {
        const Problem problem{.shape = {6, 5, 10}, .kind = r2c, .axes = axes};
        Options options{.input = slabs(0), .output = slabs(0)};
        const Layout in(options.input, problem.shape, ranks);
        const LocalData<double> x = filled(in, comm.rank(), false);
        const std::vector<double> expected = plain(comm, problem, options, Direction::forward, x);
        const auto boxes = in.boxes(comm.rank());
        if (!boxes.empty()) options.input_memory = {{0, {5 * 12, 12, 1}}};
        options.in_place = true;
        Plan plan(comm, problem, options);
        std::vector<double> memory(std::max(plan.input_bytes(), plan.output_bytes()) / sizeof(double));
        for (const Box& box : boxes)
          for_each(box, [&](const Coord& at) {
            const Index local = at[0] - box.lo[0];
            memory[static_cast<std::size_t>((local * 5 + at[1]) * 12 + at[2])] =
                x.raw()[static_cast<std::size_t>((local * 5 + at[1]) * 10 + at[2])];
          });
        const View view(memory.data(), memory.size() * sizeof(double));
        plan.forward(view, view);
        EXPECT_EQ(std::memcmp(memory.data(), expected.data(), plan.output_bytes()), 0)
            << ranks << " ranks, rank " << comm.rank();
      });
}

TEST(SplitPhase, StartTestWaitGivesTheSameBitsAsForward) {
  for (const int ranks : {1, 2, 4})
    on_ranks(ranks, [&](Comm comm) {
      const Options options{.input = bricks(), .output = pencils(0)};
      const LocalData<double> x = filled(Layout(options.input, cube.shape, ranks), comm.rank(), true);
      const std::vector<double> expected = plain(comm, cube, options, Direction::forward, x);
      Plan plan(comm, cube, options);
      LocalData<double> y(packed_memory(plan.output(), comm.rank()), true),
          z(packed_memory(plan.output(), comm.rank()), true);
      plan.start(Direction::forward, x.view(), y.view());
      while (!plan.test()) {}
      EXPECT_TRUE(y.raw() == expected);
      plan.start(Direction::forward, x.view(), z.view());
      plan.wait();
      EXPECT_TRUE(z.raw() == expected);
    });
}

TEST(Plans, SeveralLiveAndRunAtOnce) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](Comm comm) {
      const Problem other{.shape = {7, 11, 6}, .kind = r2c};
      Plan a(comm, cube, {.input = slabs(0), .output = slabs(0)}),
          b(comm, other, {.input = slabs(0), .output = slabs(0)});
      const LocalData<double> x = filled(a.input(), comm.rank(), true), u = filled(b.input(), comm.rank(), false);
      LocalData<double> y(packed_memory(a.output(), comm.rank()), true),
          v(packed_memory(b.output(), comm.rank()), true);
      a.start(Direction::forward, x.view(), y.view());
      b.start(Direction::forward, u.view(), v.view());
      bool a_done = false, b_done = false;
      while (!a_done || !b_done) {
        if (!b_done) b_done = b.test();
        if (!a_done) a_done = a.test();
      }
      EXPECT_TRUE(y.raw() == plain(comm, cube, {.input = slabs(0), .output = slabs(0)}, Direction::forward, x));
      EXPECT_TRUE(v.raw() == plain(comm, other, {.input = slabs(0), .output = slabs(0)}, Direction::forward, u));
    });
}

TEST(Plans, UnderWayTogetherNeverWaitForEachOtherWhateverTheOrderInWhichRanksLookAfterThem) {
  for (const int ranks : {2, 4, 7})
    on_ranks(ranks, [](Comm comm) {
      run_interleaved(
          comm, {.input = bricks(), .output = bricks(), .threads = 1, .expert = {.decomposition = "pencil"}}, 3, 20);
    });
}

TEST(Plans, CanBeMovedAndRunManyTimes) {
  on_ranks(2, [](Comm comm) {
    Plan plan(comm, cube, {.input = slabs(0), .output = slabs(0)});
    Plan moved = std::move(plan);
    const LocalData<double> x = filled(moved.input(), comm.rank(), true);
    LocalData<double> y(packed_memory(moved.output(), comm.rank()), true),
        z(packed_memory(moved.input(), comm.rank()), true);
    moved.forward(x.view(), y.view());
    const auto first = y.raw();
    for (int i = 0; i < 5; ++i) {
      moved.backward(y.view(), z.view());
      moved.forward(x.view(), y.view());
      EXPECT_TRUE(y.raw() == first);
    }
  });
}

TEST(Workspace, CanBeTheCallers) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](Comm comm) {
      const LocalData<double> x = filled(Layout(slabs(0), cube.shape, ranks), comm.rank(), true);
      const std::size_t bytes = Plan(comm, cube, {.input = slabs(0), .output = slabs(0)}).workspace_bytes();
      std::vector<std::byte> memory(bytes + 64);
      void* start = memory.data();
      std::size_t space = memory.size();
      std::align(64, bytes, start, space);
      const Options own{.input = slabs(0), .output = slabs(0), .workspace = start, .workspace_bytes = bytes};
      EXPECT_TRUE(plain(comm, cube, own, Direction::forward, x) ==
                  plain(comm, cube, {.input = slabs(0), .output = slabs(0)}, Direction::forward, x));
    });
}

TEST(Layouts, ThatThePlannerChoseCanBeAsked) {
  on_ranks(4, [](Comm comm) {
    const Plan plan(comm, cube);
    Index covered = 0;
    for (int r = 0; r < 4; ++r)
      for (const Box& box : plan.output().boxes(r)) covered += box.count();
    EXPECT_EQ(covered, product(cube.shape));
    EXPECT_EQ(static_cast<Index>(plan.output_bytes()), plan.output().count(comm.rank()) * 16);
  });
}

}  // namespace
}  // namespace shardfft::testing
