// Steps and exchanges: what every step reads and writes, and in place, when.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/memory.hpp"
#include "pipeline/pipeline.hpp"
#include "planner/decide/decompose.hpp"
#include "support/problems/layouts.hpp"
#include "support/stand_ins/no_channel.hpp"

namespace shardfft::testing {
namespace {

// One direction of a random problem.
struct Scene {
  std::string text{};
  int ranks = 1;
  PipelineSpec spec{};  // of rank 0

  Scene(std::uint64_t seed, bool in_place) {
    const Case c = random_case(seed, 1500, 9);
    text = to_string(c) + (in_place ? ", in place" : "");
    ranks = c.ranks;
    const CheckedProblem p = check(c.problem);
    const LayoutSpec& space = c.problem.kind == c2r ? c.options.output : c.options.input;
    const LayoutSpec& spectrum = c.problem.kind == c2r ? c.options.input : c.options.output;
    const Comm comm = dry_run(c.ranks, 0, 3);
    const Model model{.machine = {}, .comm = &comm, .threads = 1};
    const Decomposition d =
        decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, c.ranks,
                  {.decomposition = c.options.decomposition}, {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
    const bool backward = seed % 3 == 0;
    spec.from.layout = backward ? d.spectrum : d.space;
    spec.to.layout = backward ? d.space : d.spectrum;
    (backward ? spec.to : spec.from).complex = !p.real;
    spec.stages = backward ? reversed(d.stages) : d.stages;
    spec.chunks = std::max(1, c.options.chunks);
    spec.in_place = in_place;
    spec.same_places =
        !p.real && spec.from.layout.same_owners(spec.to.layout) && spec.from.layout.order() == spec.to.layout.order();
  }

  [[nodiscard]] PipelineSpec of_rank(int me) const {
    PipelineSpec s = spec;
    s.me = me;
    s.from.patches = caller_patches(s.from.layout.boxes(me), placements(s.from.layout, me, {}, "input_memory"),
                                    Base::input, s.from.element_bytes(s.scalar));
    s.to.patches = caller_patches(s.to.layout.boxes(me), placements(s.to.layout, me, {}, "output_memory"), Base::output,
                                  s.to.element_bytes(s.scalar));
    return s;
  }
};

template <class Body>
void for_scenes(Body body) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed)
    for (const bool in_place : {false, true}) {
      const Scene scene(seed, in_place);
      SCOPED_TRACE(scene.text);
      body(scene);
    }
}

TEST(Draft, AlternatesTheSlotsAndChainsTheSteps) {
  for_scenes([](const Scene& scene) {
    const Draft draft = draft_pipeline(scene.of_rank(0));
    ASSERT_EQ(draft.steps.size(), draft.exchanges.size() + 1);
    for (std::size_t i = 0; i < draft.steps.size(); ++i) {
      EXPECT_EQ(draft.steps[i].reads, static_cast<int>(i) - 1);
      EXPECT_EQ(draft.steps[i].writes, i + 1 < draft.steps.size() ? static_cast<int>(i) : -1);
    }
    for (std::size_t e = 1; e < draft.exchanges.size(); ++e)
      EXPECT_NE(draft.exchanges[e].round().slot, draft.exchanges[e - 1].round().slot);
    for (const Exchange& e : draft.exchanges) EXPECT_TRUE(e.round().slot == 0 || e.round().slot == 1);
  });
}

TEST(Draft, RunsEveryStageOnceInOrderWithMovesOnlyAtTheEnds) {
  for_scenes([](const Scene& scene) {
    const Draft draft = draft_pipeline(scene.of_rank(0));
    int next = 0;
    for (std::size_t i = 0; i < draft.steps.size(); ++i) {
      const int stage = draft.steps[i].stage;
      EXPECT_TRUE(stage == next || (stage < 0 && (i == 0 || i + 1 == draft.steps.size())));
      next += stage >= 0;
    }
    EXPECT_EQ(next, static_cast<int>(scene.spec.stages.size()));
  });
}

TEST(Draft, IsTheSameOnEveryRankButForWhatIsSent) {
  for_scenes([](const Scene& scene) {
    const Draft first = draft_pipeline(scene.of_rank(0));
    for (int me = 1; me < scene.ranks; ++me) {
      const Draft draft = draft_pipeline(scene.of_rank(me));
      ASSERT_EQ(draft.steps.size(), first.steps.size());
      for (std::size_t i = 0; i < draft.steps.size(); ++i) {
        EXPECT_EQ(draft.steps[i].stage, first.steps[i].stage);
        EXPECT_EQ(draft.steps[i].takes_input, first.steps[i].takes_input);
        EXPECT_EQ(draft.steps[i].gives_output, first.steps[i].gives_output);
      }
      for (std::size_t e = 0; e < draft.exchanges.size(); ++e)
        EXPECT_EQ(draft.exchanges[e].round().chunks, first.exchanges[e].round().chunks);
    }
  });
}

TEST(Draft, InPlaceNeverReadsTheInputAfterItBeganToWriteTheOutput) {
  int in_one_step = 0, bypasses = 0;
  for_scenes([&](const Scene& scene) {
    if (!scene.spec.in_place) return;
    const Draft draft = draft_pipeline(scene.of_rank(0));
    int last_read = -1, first_write = static_cast<int>(draft.steps.size()), steps_with_input = 0;
    for (int i = 0; i < static_cast<int>(draft.steps.size()); ++i) {
      const StepDraft& step = draft.steps[static_cast<std::size_t>(i)];
      steps_with_input += step.takes_input;
      if (step.takes_input) last_read = i;
      if (step.gives_output) first_write = std::min(first_write, i);
    }
    if (draft.steps.size() == 1) {
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

TEST(Draft, LetsEverySweepReadAndWriteEachOfItsElementsOnce) {
  const NoChannel channel;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      const PipelineSpec spec = scene.of_rank(me);
      const Draft draft = draft_pipeline(spec);
      const auto exchange = [&](int i) -> const Exchange& { return draft.exchanges[static_cast<std::size_t>(i)]; };
      for (const StepDraft& step : draft.steps) {
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

TEST(Draft, TakesTheWholeInputAndGivesTheWholeOutput) {
  const NoChannel channel;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      const PipelineSpec spec = scene.of_rank(me);
      const Draft draft = draft_pipeline(spec);
      // What leaves through the first exchange, or stays and is read by the next sweep, is all of the input; likewise
      // at the end.
      if (draft.steps.front().stage < 0) {
        std::vector<Box> taken = draft.exchanges.front().staying();
        append(taken, draft.exchanges.front().outgoing(channel, 0));
        EXPECT_TRUE(counted(spec.from.layout.global(), taken) ==
                    counted(spec.from.layout.global(), spec.from.layout.boxes(me)));
        EXPECT_TRUE(draft.exchanges.front().staying().empty() || draft.steps[1].takes_input);
      }
      if (draft.steps.back().stage < 0) {
        std::vector<Box> given = draft.exchanges.back().staying();
        append(given, draft.exchanges.back().incoming(channel, 0));
        EXPECT_TRUE(counted(spec.to.layout.global(), given) ==
                    counted(spec.to.layout.global(), spec.to.layout.boxes(me)));
        EXPECT_TRUE(draft.exchanges.back().staying().empty() || draft.steps[draft.steps.size() - 2].gives_output);
      }
    }
  });
}

TEST(Draft, WithoutWindowsLeavesInTheOutputOrTheInputWhatNeedNotChangeOwners) {
  int without = 0, in_place = 0, beside_exchanges = 0, destroyed = 0;
  for_scenes([&](const Scene& scene) {
    for (int me = 0; me < scene.ranks; ++me) {
      PipelineSpec spec = scene.of_rank(me);
      spec.intermediate_buffers = false;
      spec.destroy_input = me % 2 == 1 || scene.ranks == 1;
      const Draft draft = draft_pipeline(spec);
      int exchanges = 0;
      bool gave_input = false;
      for (std::size_t i = 0; i < draft.steps.size(); ++i) {
        const StepDraft& step = draft.steps[i];
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
        beside_exchanges += !draft.exchanges.empty();
        ASSERT_GE(step.stage, 1);
        const Layout& left = spec.stages[static_cast<std::size_t>(step.stage) - 1].out;
        EXPECT_TRUE(spec.to.complex && left.same_owners(spec.to.layout) && step.gives_output);
        EXPECT_TRUE(!spec.in_place || spec.same_places)
            << "an element that is not in its place yet would be overwritten";
      }
      EXPECT_EQ(static_cast<std::size_t>(exchanges), draft.exchanges.size());
    }
  });
  EXPECT_GT(without, 50);
  EXPECT_GT(in_place, 5);
  EXPECT_GT(beside_exchanges, 5);
  EXPECT_GT(destroyed, 5) << "an input that may be overwritten";
}

TEST(Draft, CutsChunksAlongAnAxisThatTheSweepBeforeDoesNotTransform) {
  for_scenes([](const Scene& scene) {
    const Draft draft = draft_pipeline(scene.of_rank(0));
    for (std::size_t i = 0; i < draft.exchanges.size(); ++i) {
      const Chunks& chunks = draft.exchanges[i].spec().chunks;
      EXPECT_LE(chunks.in_part(), scene.spec.chunks);
      EXPECT_GE(chunks.count, 1);
      if (draft.steps[i].stage < 0 || chunks.count == 1) continue;
      for (const StageAxis& axis : scene.spec.stages[static_cast<std::size_t>(draft.steps[i].stage)].axes)
        EXPECT_NE(axis.axis, chunks.axis);
    }
  });
}

// Of one problem in slabs, a sweep for each axis, of which this rank's array has `rows` planes.
PipelineSpec slab_spec(Index rows, const std::vector<int>& axes, const LayoutSpec& from, const LayoutSpec& to,
                       bool backward) {
  constexpr int ranks = 3;
  const CheckedProblem p = check({.shape = {rows * ranks, 24, 40}, .axes = axes});
  const Comm comm = dry_run(ranks, 0, 1);
  const Model model{.machine = {}, .comm = &comm, .threads = 1};
  const Decomposition d = decompose(p, axis_order(p, from, to, {}), from, to, ranks, {.decomposition = "slab"},
                                    {.model = &model, .plane_limit = 1 << 20, .fuse = 1});
  PipelineSpec spec{.stages = backward ? reversed(d.stages) : d.stages, .chunks = 4, .parts = 2};
  spec.from.layout = backward ? d.spectrum : d.space;
  spec.to.layout = backward ? d.space : d.spectrum;
  for (CallerArray* array : {&spec.from, &spec.to})
    array->patches =
        caller_patches(array->layout.boxes(0), placements(array->layout, 0, {}, "memory"),
                       array == &spec.from ? Base::input : Base::output, array->element_bytes(spec.scalar));
  return spec;
}

std::vector<std::size_t> going_on(const Draft& draft) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < draft.steps.size(); ++i)
    if (draft.steps[i].goes_on) found.push_back(i);
  return found;
}

TEST(Draft, GoesThroughTwoSweepsPartByPartWhereTheArrayStaysOnItsRanks) {
  using Steps = std::vector<std::size_t>;
  const auto chunks = [](const Draft& draft, std::size_t exchange) { return draft.exchanges[exchange].spec().chunks; };

  const Draft forward =
      draft_pipeline(slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), false));  // axes 2, 1, then to others
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

  const Draft backward =
      draft_pipeline(slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), true));  // from others, then axes 1, 2
  ASSERT_EQ(backward.exchanges.size(), 3U);
  EXPECT_EQ(going_on(backward), Steps{2});
  EXPECT_EQ(chunks(backward, 0).parts, 1);
  EXPECT_TRUE(chunks(backward, 1).of_receiver);
  EXPECT_EQ(chunks(backward, 1).count, 8);
  EXPECT_FALSE(chunks(backward, 2).of_receiver);
  EXPECT_EQ(chunks(backward, 2).parts, 2);

  EXPECT_EQ(going_on(draft_pipeline(slab_spec(63, {0, 1, 2}, slabs(0), slabs(0), false))), Steps{})
      << "parts of less than 32 planes";
  PipelineSpec whole_array = slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), false);
  whole_array.parts = 1;
  EXPECT_EQ(going_on(draft_pipeline(whole_array)), Steps{});
  whole_array.parts = 2, whole_array.chunks = 1;
  EXPECT_EQ(going_on(draft_pipeline(whole_array)), Steps{}) << "nothing is sent before all is there";
}

// What the first part leaves in the output would lie where the second part of the input is read.
TEST(Draft, InPlaceGoesPartByPartOnlyWhereTheFirstSweepReadsNoInputThatTheSecondOneOverwrites) {
  int refused = 0;
  for (const bool backward : {false, true})
    for (const bool in_place : {false, true}) {
      PipelineSpec spec = slab_spec(64, {1, 2}, slabs(0), slabs(1), backward);
      spec.in_place = in_place;
      const Draft draft = draft_pipeline(spec);
      ASSERT_EQ(draft.steps.size(), 3U);
      const std::size_t first = backward ? 1 : 0;
      EXPECT_EQ(going_on(draft), in_place && draft.steps[first].takes_input && draft.steps[first + 1].gives_output
                                     ? std::vector<std::size_t>{}
                                     : std::vector{first})
          << backward << in_place;
      if (!in_place) { EXPECT_TRUE(draft.steps[first].takes_input && draft.steps[first + 1].gives_output); }
      refused += going_on(draft).empty();
    }
  EXPECT_GT(refused, 0);
}

// Whether some element leaves its node in the first exchange, by looking at each.
bool leaves_its_node(const Draft& draft, int ranks_of_node) {
  if (draft.exchanges.empty()) return false;
  const std::vector<int> before = owner_of_each(draft.exchanges.front().spec().from),
                         after = owner_of_each(draft.exchanges.front().spec().to);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] / ranks_of_node != after[i] / ranks_of_node) return true;
  return false;
}

Encoding encoding_between_nodes(const char* codec, int ranks_of_node) {
  Encoding e{.codec = find_codec(codec), .tolerance = 1e-3, .undithered_tolerance = 1e-3};
  e.encodes = [ranks_of_node](int a, int b) { return a / ranks_of_node != b / ranks_of_node; };
  return e;
}

TEST(Draft, LooksAtTheInputFirstWhereASpectrumLeavesTheNodeInTheFirstExchange) {
  int before_all = 0, later = 0, within_nodes = 0;
  for_scenes([&](const Scene& scene) {
    const auto drafted = [&](int me, const Encoding& encoding) {
      PipelineSpec spec = scene.of_rank(me);
      spec.encoding = encoding;
      return draft_pipeline(spec);
    };
    const auto measures_norm = [](const Draft& draft) {
      return std::count_if(draft.steps.begin(), draft.steps.end(), [](const StepDraft& s) { return s.measures_norm; });
    };
    for (const int ranks_of_node : {1, 2}) {
      const Encoding encoding = encoding_between_nodes("block_float", ranks_of_node);
      const Draft draft = drafted(0, encoding);
      const StageAxis& first = scene.spec.stages.front().axes.front();
      const bool is_spectrum = first.transform == Transform1d::backward || first.transform == Transform1d::c2r;
      const bool never_encoded = scene.spec.in_place && scene.spec.from.complex && !scene.spec.to.complex;
      EXPECT_EQ(draft.steps.front().after_norm, is_spectrum && !never_encoded && leaves_its_node(draft, ranks_of_node));
      if (draft.steps.front().after_norm) { EXPECT_EQ(measures_norm(draft), 0) << "the norm is known"; }
      for (int me = 1; me < scene.ranks; ++me)
        EXPECT_EQ(drafted(me, encoding).steps.front().after_norm, draft.steps.front().after_norm);
      before_all += draft.steps.front().after_norm;
      later += measures_norm(draft) == 1;
      within_nodes += is_spectrum && !draft.exchanges.empty() && !leaves_its_node(draft, ranks_of_node);
      for (const char* relative : {"f32", "mantissa"})
        EXPECT_FALSE(drafted(0, encoding_between_nodes(relative, ranks_of_node)).steps.front().after_norm) << relative;
      Encoding absolute = encoding;
      absolute.absolute = true;
      EXPECT_FALSE(drafted(0, absolute).steps.front().after_norm) << "no norm is needed";
    }
  });
  EXPECT_GT(before_all, 20);
  EXPECT_GT(later, 20);
  EXPECT_GT(within_nodes, 5);
}

}  // namespace
}  // namespace shardfft::testing
