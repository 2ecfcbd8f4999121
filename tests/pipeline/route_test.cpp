// Steps and exchanges: what every step reads and writes, and in place, when.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/pipeline.hpp"
#include "pipeline/scenes.hpp"
#include "support/problems/layouts.hpp"
#include "support/stand_ins/no_channel.hpp"

namespace shardfft::testing {
namespace {

TEST(Route, AlternatesTheSlotsAndChainsTheSteps) {
  for_scenes([](const Scene& scene) {
    const Route route = make_route(scene.of_rank(0));
    ASSERT_EQ(route.steps.size(), route.exchanges.size() + 1);
    for (std::size_t i = 0; i < route.steps.size(); ++i) {
      EXPECT_EQ(route.steps[i].reads, static_cast<int>(i) - 1);
      EXPECT_EQ(route.steps[i].writes, i + 1 < route.steps.size() ? static_cast<int>(i) : -1);
    }
    for (std::size_t e = 1; e < route.exchanges.size(); ++e)
      EXPECT_NE(route.exchanges[e].round().slot, route.exchanges[e - 1].round().slot);
    for (const Exchange& e : route.exchanges) EXPECT_TRUE(e.round().slot == 0 || e.round().slot == 1);
  });
}

TEST(Route, RunsEveryStageOnceInOrderWithMovesOnlyAtTheEnds) {
  for_scenes([](const Scene& scene) {
    const Route route = make_route(scene.of_rank(0));
    int next = 0;
    for (std::size_t i = 0; i < route.steps.size(); ++i) {
      const int stage = route.steps[i].stage;
      EXPECT_TRUE(stage == next || (stage < 0 && (i == 0 || i + 1 == route.steps.size())));
      next += stage >= 0;
    }
    EXPECT_EQ(next, static_cast<int>(scene.spec.stages.size()));
  });
}

TEST(Route, IsTheSameOnEveryRankButForWhatIsSent) {
  for_scenes([](const Scene& scene) {
    const Route first = make_route(scene.of_rank(0));
    for (int me = 1; me < scene.ranks; ++me) {
      const Route route = make_route(scene.of_rank(me));
      ASSERT_EQ(route.steps.size(), first.steps.size());
      for (std::size_t i = 0; i < route.steps.size(); ++i) {
        EXPECT_EQ(route.steps[i].stage, first.steps[i].stage);
        EXPECT_EQ(route.steps[i].takes_input, first.steps[i].takes_input);
        EXPECT_EQ(route.steps[i].gives_output, first.steps[i].gives_output);
      }
      for (std::size_t e = 0; e < route.exchanges.size(); ++e)
        EXPECT_EQ(route.exchanges[e].round().chunks, first.exchanges[e].round().chunks);
    }
  });
}

TEST(Route, InPlaceNeverReadsTheInputAfterItBeganToWriteTheOutput) {
  int in_one_step = 0, bypasses = 0;
  for_scenes([&](const Scene& scene) {
    if (!scene.spec.in_place) return;
    const Route route = make_route(scene.of_rank(0));
    int last_read = -1, first_write = static_cast<int>(route.steps.size()), steps_with_input = 0;
    for (int i = 0; i < static_cast<int>(route.steps.size()); ++i) {
      const RouteStep& step = route.steps[static_cast<std::size_t>(i)];
      steps_with_input += step.takes_input;
      if (step.takes_input) last_read = i;
      if (step.gives_output) first_write = std::min(first_write, i);
    }
    if (route.steps.size() == 1) {
      ++in_one_step;
      EXPECT_TRUE(scene.spec.same_places) << "one sweep may only write where it has just read";
    } else {
      EXPECT_LT(last_read, first_write);
    }
    bypasses += steps_with_input > 1;
  });
  EXPECT_GT(in_one_step, 0);
  EXPECT_GT(bypasses, 0);
}

// How often each element of an array lies in these boxes.
std::vector<int> counted(const Shape& shape, const std::vector<Box>& boxes) {
  const Whole frame{shape, {}};
  std::vector<int> times(static_cast<std::size_t>(product(shape)));
  for (const Box& box : boxes)
    for_each(box, [&](const Coord& at) { ++times[static_cast<std::size_t>(frame.position(at))]; });
  return times;
}

void append(std::vector<Box>& boxes, const std::vector<Patch>& patches) {
  for (const Patch& patch : patches) boxes.push_back(patch.box);
}

TEST(Route, LetsEverySweepReadAndWriteEachOfItsElementsOnce) {
  const NoChannel channel;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      const PipelineSpec spec = scene.of_rank(me);
      const Route route = make_route(spec);
      const auto exchange = [&](int i) -> const Exchange& { return route.exchanges[static_cast<std::size_t>(i)]; };
      for (const RouteStep& step : route.steps) {
        std::vector<Box> read, written;
        if (step.reads >= 0) append(read, exchange(step.reads).incoming(channel, 0));
        if (step.takes_input)
          append(read, step.reads >= 0 ? cut(spec.from.patches, exchange(step.reads).staying()) : spec.from.patches);
        if (step.writes >= 0) append(written, exchange(step.writes).outgoing(channel, 0));
        if (step.gives_output)
          append(written, step.writes >= 0 ? cut(spec.to.patches, exchange(step.writes).staying()) : spec.to.patches);
        if (step.stage >= 0) {
          const Stage& stage = spec.stages[static_cast<std::size_t>(step.stage)];
          EXPECT_TRUE(counted(stage.in.global(), read) == counted(stage.in.global(), stage.in.boxes(me)))
              << "rank " << me << " reads";
          EXPECT_TRUE(counted(stage.out.global(), written) == counted(stage.out.global(), stage.out.boxes(me)))
              << "rank " << me << " writes";
        }
      }
    }
  });
}

TEST(Route, TakesTheWholeInputAndGivesTheWholeOutput) {
  const NoChannel channel;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      const PipelineSpec spec = scene.of_rank(me);
      const Route route = make_route(spec);
      // What leaves through the first exchange, or stays and is read by the next sweep, is all of the input; likewise
      // at the end.
      if (route.steps.front().stage < 0) {
        std::vector<Box> taken = route.exchanges.front().staying();
        append(taken, route.exchanges.front().outgoing(channel, 0));
        EXPECT_TRUE(counted(spec.from.layout.global(), taken) ==
                    counted(spec.from.layout.global(), spec.from.layout.boxes(me)));
        EXPECT_TRUE(route.exchanges.front().staying().empty() || route.steps[1].takes_input);
      }
      if (route.steps.back().stage < 0) {
        std::vector<Box> given = route.exchanges.back().staying();
        append(given, route.exchanges.back().incoming(channel, 0));
        EXPECT_TRUE(counted(spec.to.layout.global(), given) ==
                    counted(spec.to.layout.global(), spec.to.layout.boxes(me)));
        EXPECT_TRUE(route.exchanges.back().staying().empty() || route.steps[route.steps.size() - 2].gives_output);
      }
    }
  });
}

TEST(Route, WithoutWindowsLeavesInTheOutputOrTheInputWhatNeedNotChangeOwners) {
  int without = 0, in_place = 0, beside_exchanges = 0, destroyed = 0;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      PipelineSpec spec = scene.of_rank(me);
      spec.tuning.intermediate = Intermediate::output;
      spec.destroy_input = me % 2 == 1 || scene.ranks == 1;
      const Route route = make_route(spec);
      int exchanges = 0;
      bool gave_input = false;
      for (std::size_t i = 0; i < route.steps.size(); ++i) {
        const RouteStep& step = route.steps[i];
        EXPECT_EQ(step.takes_output, i > 0 && step.reads < 0 && !step.takes_input)
            << "what a step reads is the input, an exchange or the output";
        EXPECT_EQ(step.reads, i == 0 || step.takes_output || gave_input ? -1 : exchanges - 1);
        EXPECT_TRUE(!gave_input || step.takes_input);
        gave_input = step.gives_input;
        if (step.writes >= 0)
          EXPECT_EQ(step.writes, exchanges++);
        else
          EXPECT_NE(step.gives_output, step.gives_input);
        if (gave_input) {
          ++destroyed;
          const Layout& left = spec.stages[static_cast<std::size_t>(step.stage)].out;
          EXPECT_TRUE(spec.from.complex && left.same_owners(spec.from.layout) && step.takes_input && step.writes < 0);
          EXPECT_TRUE(left.same_owners(spec.stages[static_cast<std::size_t>(step.stage) + 1].in))
              << "what changes owners is exchanged";
          EXPECT_TRUE(spec.in_place ? spec.same_places : spec.destroy_input);
        }
        if (!step.takes_output) continue;
        ++without;
        in_place += scene.spec.in_place;
        beside_exchanges += !route.exchanges.empty();
        ASSERT_GE(step.stage, 1);
        const Layout& left = spec.stages[static_cast<std::size_t>(step.stage) - 1].out;
        EXPECT_TRUE(spec.to.complex && left.same_owners(spec.to.layout) && step.gives_output);
        EXPECT_TRUE(!spec.in_place || spec.same_places)
            << "an element that is not in its place yet would be overwritten";
      }
      EXPECT_EQ(static_cast<std::size_t>(exchanges), route.exchanges.size());
    }
  });
  EXPECT_GT(without, 50);
  EXPECT_GT(in_place, 5);
  EXPECT_GT(beside_exchanges, 5);
  EXPECT_GT(destroyed, 5) << "an input that may be overwritten";
}

TEST(Route, CutsChunksAlongAnAxisThatTheSweepBeforeDoesNotTransform) {
  for_scenes([](const Scene& scene) {
    const Route route = make_route(scene.of_rank(0));
    for (std::size_t i = 0; i < route.exchanges.size(); ++i) {
      const Chunks& chunks = route.exchanges[i].spec().chunks;
      EXPECT_LE(chunks.in_part(), scene.spec.tuning.chunks);
      EXPECT_GE(chunks.count, 1);
      if (route.steps[i].stage < 0 || chunks.count == 1) continue;
      for (const AxisTransform& axis : scene.spec.stages[static_cast<std::size_t>(route.steps[i].stage)].axes)
        EXPECT_NE(axis.axis, chunks.axis);
    }
  });
}

std::vector<std::size_t> going_on(const Route& route) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < route.steps.size(); ++i)
    if (route.steps[i].goes_on) found.push_back(i);
  return found;
}

TEST(Route, GoesThroughTwoSweepsPartByPartWhereTheArrayStaysOnItsRanks) {
  using Steps = std::vector<std::size_t>;
  const auto chunks = [](const Route& route, std::size_t exchange) { return route.exchanges[exchange].spec().chunks; };

  const Route forward = make_route(slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), false));  // axes 2, 1, then to others
  ASSERT_EQ(forward.exchanges.size(), 3U);
  EXPECT_EQ(going_on(forward), Steps{0});
  EXPECT_EQ(chunks(forward, 0).count, 2);
  EXPECT_EQ(chunks(forward, 1).count, 8);
  EXPECT_EQ(chunks(forward, 1).in_part(), 4);
  EXPECT_EQ(chunks(forward, 2).parts, 1);
  for (const std::size_t e : {0U, 1U}) {
    EXPECT_EQ(chunks(forward, e).parts, 2);
    EXPECT_EQ(chunks(forward, e).parts_axis, 0);
    EXPECT_FALSE(chunks(forward, e).of_receiver);
  }

  const Route backward = make_route(slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), true));  // from others, then axes 1, 2
  ASSERT_EQ(backward.exchanges.size(), 3U);
  EXPECT_EQ(going_on(backward), Steps{2});
  EXPECT_EQ(chunks(backward, 0).parts, 1);
  EXPECT_TRUE(chunks(backward, 1).of_receiver);
  EXPECT_EQ(chunks(backward, 1).count, 8);
  EXPECT_FALSE(chunks(backward, 2).of_receiver);
  EXPECT_EQ(chunks(backward, 2).parts, 2);

  EXPECT_EQ(going_on(make_route(slab_spec(63, {0, 1, 2}, slabs(0), slabs(0), false))), Steps{})
      << "parts of less than 32 planes";
  PipelineSpec whole_array = slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), false);
  whole_array.parts = 1;
  EXPECT_EQ(going_on(make_route(whole_array)), Steps{});
  whole_array.parts = 2, whole_array.tuning.chunks = 1;
  EXPECT_EQ(going_on(make_route(whole_array)), Steps{}) << "nothing is sent before all is there";
}

// What the first part leaves in the output would lie where the second part of the input is read.
TEST(Route, InPlaceGoesPartByPartOnlyWhereTheFirstSweepReadsNoInputThatTheSecondOneOverwrites) {
  int refused = 0;
  for (const bool backward : {false, true})
    for (const bool in_place : {false, true}) {
      PipelineSpec spec = slab_spec(64, {1, 2}, slabs(0), slabs(1), backward);
      spec.in_place = in_place;
      const Route route = make_route(spec);
      ASSERT_EQ(route.steps.size(), 3U);
      const std::size_t first = backward ? 1 : 0;
      EXPECT_EQ(going_on(route), in_place && route.steps[first].takes_input && route.steps[first + 1].gives_output
                                     ? std::vector<std::size_t>{}
                                     : std::vector{first})
          << backward << in_place;
      if (!in_place) { EXPECT_TRUE(route.steps[first].takes_input && route.steps[first + 1].gives_output); }
      refused += going_on(route).empty();
    }
  EXPECT_GT(refused, 0);
}

// Whether some element leaves its node in the first exchange, by looking at each.
bool leaves_its_node(const Route& route, int ranks_of_node) {
  if (route.exchanges.empty()) return false;
  const std::vector<int> before = owner_of_each(route.exchanges.front().spec().from),
                         after = owner_of_each(route.exchanges.front().spec().to);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] / ranks_of_node != after[i] / ranks_of_node) return true;
  return false;
}

Encoding encoding_between_nodes(const char* codec, int ranks_of_node) {
  Encoding e{.codec = find_codec(codec), .tolerance = 1e-3, .undithered_tolerance = 1e-3};
  e.encodes = [ranks_of_node](int a, int b) { return a / ranks_of_node != b / ranks_of_node; };
  return e;
}

TEST(Route, LooksAtTheInputFirstWhereASpectrumLeavesTheNodeInTheFirstExchange) {
  int before_all = 0, later = 0, within_nodes = 0;
  for_scenes([&](const Scene& scene) {
    const auto routed = [&](int me, const Encoding& encoding) {
      PipelineSpec spec = scene.of_rank(me);
      spec.encoding = encoding;
      return make_route(spec);
    };
    const auto measures_norm = [](const Route& route) {
      return std::count_if(route.steps.begin(), route.steps.end(), [](const RouteStep& s) { return s.measures_norm; });
    };
    for (const int ranks_of_node : {1, 2}) {
      const Encoding encoding = encoding_between_nodes("block_float", ranks_of_node);
      const Route route = routed(0, encoding);
      const AxisTransform& first = scene.spec.stages.front().axes.front();
      const bool is_spectrum = first.transform == Transform1d::backward || first.transform == Transform1d::c2r;
      const bool never_encoded = scene.spec.in_place && scene.spec.from.complex && !scene.spec.to.complex;
      EXPECT_EQ(route.steps.front().after_norm, is_spectrum && !never_encoded && leaves_its_node(route, ranks_of_node));
      if (route.steps.front().after_norm) { EXPECT_EQ(measures_norm(route), 0) << "the norm is known"; }
      for (int me = 1; me < scene.ranks; ++me)
        EXPECT_EQ(routed(me, encoding).steps.front().after_norm, route.steps.front().after_norm);
      before_all += route.steps.front().after_norm;
      later += measures_norm(route) == 1;
      within_nodes += is_spectrum && !route.exchanges.empty() && !leaves_its_node(route, ranks_of_node);
      for (const char* relative : {"f32", "mantissa"})
        EXPECT_FALSE(routed(0, encoding_between_nodes(relative, ranks_of_node)).steps.front().after_norm) << relative;
      Encoding absolute = encoding;
      absolute.absolute = true;
      EXPECT_FALSE(routed(0, absolute).steps.front().after_norm) << "no norm is needed";
    }
  });
  EXPECT_GT(before_all, 20);
  EXPECT_GT(later, 20);
  EXPECT_GT(within_nodes, 5);
}

}  // namespace
}  // namespace shardfft::testing
