// The parts of the program that need no plan: words, tasks, tables, progress.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/beyond_limit.hpp"
#include "output/costs.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "shardfft/noise.hpp"
#include "shardfft/shardfft.hpp"
#include "support/refusal.hpp"
#include "tune/running_time.hpp"

namespace shardfft::cli {
namespace {

using testing::refusal;

/// Number of an element in a file whose axes have this order, by counting.
Index place(const Coord& at, const Shape& global, const std::vector<int>& order) {
  Index n = 0;
  for (const int axis : order) n = n * global[axis] + at[axis];
  return n;
}

files::ArrayInfo header_of(files::Dtype dtype, const Shape& shape) { return {shape, dtype, {0, 1, 2}}; }

TEST(Task, TakesNumPysDefaults) {
  const Task task = make_task({}, header_of({'i', 2, false}, {4, 5}));
  EXPECT_EQ(task.problem.precision, f64);
  EXPECT_EQ(task.problem.axes, (std::vector<int>{0, 1}));
  EXPECT_EQ(task.problem.forward, Scaling::none);
  EXPECT_EQ(make_task({}, header_of({'f', 2, false}, {4, 5})).problem.precision, f32);
}

TEST(Task, HalvesTheLastNamedAxisOfRealTransforms) {
  TransformWords words;
  words.kind = "r2c";
  words.axes = "1,0";
  const Task task = make_task(words, header_of({'f', 8, false}, {9, 6, 5}));
  EXPECT_EQ(task.out, (Shape{5, 6, 5}));
  EXPECT_EQ(task.problem.shape, (Shape{9, 6, 5}));
  words.kind = "c2r";
  const Task back = make_task(words, header_of({'c', 16, false}, {5, 6, 5}));
  EXPECT_EQ(back.out, (Shape{8, 6, 5}));
  EXPECT_EQ(back.direction, Direction::backward);
}

TEST(Task, CutsFilesAlongTheSlowestAxisThatIsLongEnough) {
  const auto cut = [](const Shape& shape, const std::vector<int>& order) {
    return file_layouts({}, {.in = shape, .out = shape}, order).in.axis;
  };
  EXPECT_EQ(cut({512, 512, 512}, {0, 1, 2}), 0);
  EXPECT_EQ(cut({3, 512, 512}, {0, 1, 2}), 1);
  EXPECT_EQ(cut({1, 1, 100}, {0, 1, 2}), 2);
  EXPECT_EQ(cut({512, 512, 512}, {2, 1, 0}), 2);
}

TEST(Noise, IsTheSameForEveryLayoutAndPrecision) {
  const Shape shape{5, 6, 7};
  const auto global = [&](const LayoutSpec& spec, int ranks) {
    const Layout layout(spec, shape, ranks);
    std::vector<double> all(210, -9);
    for (int r = 0; r < ranks; ++r) {
      Array memory(static_cast<std::size_t>(layout.count(r)) * 8);
      fill_with_noise(layout, r, f64, false, memory, 2);
      const std::vector<Box> boxes = layout.boxes(r);
      Index start = 0;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        const Box& box = boxes[b];
        const bool round_robin =
            spec.kind ==
            LayoutSpec::Kind::cyclic;  // along the last axis, in natural order: its boxes lie in each other
        const Index first = round_robin ? static_cast<Index>(b) : std::exchange(start, start + box.count()),
                    step = round_robin ? static_cast<Index>(boxes.size()) : 1;
        for (Index k = 0; k < box.count(); ++k) {
          Coord at = box.lo;
          Index rest = k;
          for (auto it = layout.order().rbegin(); it != layout.order().rend(); ++it)
            at[*it] += rest % box.extent(*it), rest /= box.extent(*it);
          all[static_cast<std::size_t>(place(at, shape, {0, 1, 2}))] =
              memory.as<double>()[static_cast<std::size_t>(first + k * step)];
        }
      }
    }
    return all;
  };
  const std::vector<double> reference = global(slabs(0), 1);
  for (const LayoutSpec& spec : {slabs(1).ordered({1, 0, 2}), bricks(), cyclic(2), pencils(0).ordered({2, 1, 0})})
    EXPECT_EQ(global(spec, 3), reference);
  for (const double x : reference) EXPECT_TRUE(x >= -1 && x < 1);
  EXPECT_NE(reference[0], reference[1]);
}

TEST(Table, AlignsItsColumnsAndRoundsForPeople) {
  Table table({"step", "time"});
  table.add({"sweep", "1 s"});
  EXPECT_EQ(table.text(), "step   time\nsweep   1 s\n");
}

// Standard error of a test may be a terminal: a pipe stands for the log.
TEST(Progress, IsALineNowAndThenWhereThereIsNoTerminal) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress(true, std::chrono::milliseconds(1));
    progress.stage("reading");
    progress.expect(4);
    progress.advance(1);
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20)) std::this_thread::yield();
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("shardfft: reading 25 %, 0 s left after 0 s\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << "nothing is drawn over";
}

TEST(Progress, SaysNothingOfShortRunsAndWhereNothingIsToBeShown) {
  ::testing::internal::CaptureStderr();
  {
    Progress usual(true), silent(false, std::chrono::milliseconds(1));
    usual.stage("reading");
    silent.stage("writing");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Words, OfEqualExtentsMayBeAPower) {
  EXPECT_EQ(parse_extents("--shape", "64^3"), (Shape{64, 64, 64}));
  for (const char* text : {"64^", "^3", "64^0", "64^9", "0^3", "8^2^2", "8^2x8"})
    EXPECT_NE(refusal([&] { (void)parse_extents("--shape", text); }).find("joined by x"), std::string::npos) << text;
}

TEST(Words, AreUnderstoodInEitherCase) {
  EXPECT_EQ(parse_extents("--shape", "64X32x8"), (Shape{64, 32, 8}));
  EXPECT_EQ(parse_kind("R2C"), r2c);
  EXPECT_EQ(parse_precision("F32"), f32);
  EXPECT_EQ(parse_direction("Backward"), Direction::backward);
  EXPECT_EQ(parse_norm("ORTHO").forward, Scaling::orthonormal);
  EXPECT_EQ(parse_kinds("Cosine2,FOURIER", 2), (std::vector{AxisKind::cosine2, AxisKind::fourier}));
  EXPECT_EQ(to_string(parse_layout_pair("Pencils", 3).input), "pencils:2");
  EXPECT_EQ(to_string(parse_layout("SLABS:1", 3)), "slabs:1");
  EXPECT_EQ(to_string(parse_layout("Grid:2X3x1", 3)), "grid:2x3x1");
  EXPECT_NE(refusal([] { (void)parse_kind("R2X"); }).find("got 'R2X'"), std::string::npos)
      << "what was written is told back";
}

TEST(RunningTime, LeavesOutTheTimeInWhichTheJobWasStopped) {
  using namespace std::chrono_literals;
  const RunningTime::Moment start{};
  RunningTime time;
  time.start(start);
  EXPECT_NEAR(time.at(start + 300ms).count(), 0.3, 1e-9);
  EXPECT_NEAR(time.at(start + 800ms).count(), 0.8, 1e-9);
  EXPECT_LE(time.at(start + 2h).count(), 0.8 + RunningTime::longest_gap.count()) << "two hours in which nobody looked";
  const double before = time.at(start + 2h).count();
  EXPECT_NEAR(time.at(start + 2h + 500ms).count(), before + 0.5, 1e-9);
  time.start(start + 3h);
  EXPECT_NEAR(time.at(start + 3h + 50ms).count(), 0.05, 1e-9);
}

TEST(Descriptions, TellTheThreadsOfAllRanks) {
  on_ranks(3, [](const Comm& comm) {
    const Plan plan(comm, {.shape = {8, 6}}, {.threads = comm.rank() == 1 ? 2 : 1});
    const Json said = description_over_ranks(plan);
    EXPECT_EQ(said["threads"], 2);
    EXPECT_EQ(said["threads_least"], 1);
    EXPECT_EQ(threads_text(said), "1 to 2 threads each");
  });
  EXPECT_EQ(threads_text(description_over_ranks(Plan(local(), {.shape = {8, 6}}, {.threads = 2}))), "2 threads each");
}

TEST(BeyondLimit, IsSaidOfMoreThanAFifthAboveIt) {
  for (const double times :
       {0.84, 1.0, 3.0, 0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(beyond_limit("forward", times), "") << times;
  EXPECT_EQ(
      beyond_limit("forward", 0.8),
      "forward: faster than 120 % of the measured limit: other programs used the machine while that was measured\n");
}

TEST(Choices, HaveAFlagInHelpAndItsTextBecomesTheOption) {
  CommandLine line("help", "program");
  ChoiceWords words;
  for (const OptionGroup group :
       {OptionGroup::planner, OptionGroup::devices, OptionGroup::exactness, OptionGroup::effort})
    add_choices(line.top(), words, group);
  const std::string help = line.parse({"--help"}).value_or("");
  for (const OptionRow& row : option_table())
    if (!row.flag.empty()) {
      EXPECT_NE(help.find(fmt::format("{} ", row.flag)), std::string::npos) << row.flag << help;
    }
  EXPECT_FALSE(line.parse({"--chunks", "3", "--effort=Measure", "--encode-near", "--fuse", "-1"}));
  const Options options = to_options(words);
  EXPECT_EQ(options.expert.chunks, 3);
  EXPECT_EQ(options.effort, "measure");
  EXPECT_TRUE(options.expert.encode_near);
  EXPECT_THROW((void)line.parse({"--chunks", "x"}), BadWords);
}

}  // namespace
}  // namespace shardfft::cli
