// What a plan records of its runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

using What = Span::What;

/// Spans of one forward and one backward run on every rank, looked at there.
void on_recorded_ranks(int ranks, const Options& options,
                       const std::function<void(const Plan&, const std::vector<StepReport>& forward)>& look) {
  on_ranks(ranks, [&](Comm comm) {
    Plan plan(comm, {.shape = {12, 9, 16}}, options);
    const Array in = plan.make_input(), out = plan.make_output();
    plan.forward(in, out);
    plan.record(2);
    plan.forward(in, out);
    const std::vector<StepReport> forward = plan.last_run();
    plan.backward(out, in);
    look(plan, forward);
  });
}

std::vector<Span> of(const Plan& plan, What what, int run) {
  std::vector<Span> found;
  std::ranges::copy_if(plan.recorded(), std::back_inserter(found),
                       [&](const Span& s) { return s.what == what && s.run == run; });
  return found;
}

bool lies_in(const Span& inner, const Span& outer) {
  return outer.begin_ns <= inner.begin_ns && inner.end_ns <= outer.end_ns;
}

TEST(Recording, HasEveryStepAndExchangeOfTheReportInItsOrder) {
  on_recorded_ranks(3, {}, [](const Plan& plan, const std::vector<StepReport>& forward) {
    std::vector<std::string> said, recorded;
    std::vector<Span> spans(plan.recorded().begin(), plan.recorded().end());
    for (const StepReport& r : forward) said.push_back(r.label);
    for (const Span& s : spans)
      if (s.run == 0 && (s.what == What::step || s.what == What::flight)) recorded.emplace_back(s.label);
    EXPECT_EQ(recorded, said);
    ASSERT_EQ(of(plan, What::run, 0).size(), 1U);
    EXPECT_EQ(of(plan, What::run, 0)[0].label, "forward");
    EXPECT_EQ(of(plan, What::run, 1)[0].label, "backward");
  });
}

TEST(Recording, SpansLieInTheirRunsAndPartsInTheirSteps) {
  on_recorded_ranks(2, {.expert = {.chunks = 3}}, [](const Plan& plan, const std::vector<StepReport>&) {
    for (const int run : {0, 1}) {
      const Span whole = of(plan, What::run, run).at(0);
      const std::vector<Span> steps = of(plan, What::step, run);
      for (const Span& s : plan.recorded()) EXPECT_TRUE(s.run != run || lies_in(s, whole)) << s.label;
      for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_LE(steps[i - 1].end_ns, steps[i].begin_ns);
      EXPECT_GT(of(plan, What::chunk, run).size(), 1U);
      for (const What what : {What::chunk, What::send})
        for (const Span& part : of(plan, what, run))
          EXPECT_EQ(std::ranges::count_if(steps, [&](const Span& step) { return lies_in(part, step); }), 1)
              << part.label;
      for (const Span& wait : of(plan, What::wait, run))
        EXPECT_EQ(
            std::ranges::count_if(
                steps, [&](const Span& step) { return wait.begin_ns < step.end_ns && step.begin_ns < wait.end_ns; }),
            0);
    }
  });
}

TEST(Recording, AFlightEndsWithItsWaitAndHasTheBytesOfTheReport) {
  on_recorded_ranks(2, {}, [](const Plan& plan, const std::vector<StepReport>& forward) {
    const std::vector<Span> flights = of(plan, What::flight, 0), waits = of(plan, What::wait, 0);
    ASSERT_EQ(flights.size(), waits.size());
    ASSERT_FALSE(flights.empty());
    for (std::size_t i = 0; i < flights.size(); ++i) {
      EXPECT_EQ(flights[i].end_ns, waits[i].end_ns);
      const auto said = std::ranges::find(forward, flights[i].label, &StepReport::label);
      EXPECT_EQ(flights[i].bytes, said->bytes_network + said->bytes_shared);
      EXPECT_GT(flights[i].bytes, 0);
    }
  });
}

TEST(Recording, ARankHasAllPartsOfAnExchangeOnlyAfterEachRankHasBegunToSend) {
  constexpr int ranks = 3;
  std::array<std::vector<Span>, ranks> all;
  on_recorded_ranks(ranks, {}, [&](const Plan& plan, const std::vector<StepReport>&) {
    all[static_cast<std::size_t>(plan.comm().rank())].assign(plan.recorded().begin(), plan.recorded().end());
    for (Span& s : all[static_cast<std::size_t>(plan.comm().rank())]) s.label = {};  // the plan's text goes with it
  });
  const auto only = [&](std::size_t rank, What what, std::size_t i) {
    std::vector<Span> found;
    std::ranges::copy_if(all[rank], std::back_inserter(found), [&](const Span& s) { return s.what == what; });
    return found.at(i);
  };
  for (std::size_t receiver = 0; receiver < ranks; ++receiver)
    for (std::size_t sender = 0; sender < ranks; ++sender)
      EXPECT_GE(only(receiver, What::flight, 0).end_ns, only(sender, What::flight, 0).begin_ns);
}

TEST(Recording, StopsAfterTheRunsThatWereAskedForAndBeginsAnew) {
  Plan plan(local(), {.shape = {8, 8, 8}});
  const Array in = plan.make_input(), out = plan.make_output();
  EXPECT_TRUE(plan.recorded().empty());
  plan.forward(in, out);
  EXPECT_TRUE(plan.recorded().empty()) << "nobody asked";
  plan.record(1);
  plan.forward(in, out);
  const std::size_t once = plan.recorded().size();
  EXPECT_GT(once, 1U);
  plan.forward(in, out);
  EXPECT_EQ(plan.recorded().size(), once);
  plan.record(2);
  EXPECT_TRUE(plan.recorded().empty());
  plan.forward(in, out);
  plan.forward(in, out);
  EXPECT_EQ(plan.recorded().size(), 2 * once);
}

TEST(Recording, TheReportOfShortRunsHasTimesAndBytesAfterEachOfThem) {
  on_ranks(2, [](Comm comm) {
    Plan plan(comm, {.shape = {4, 4}});
    const Array in = plan.make_input(), out = plan.make_output();
    plan.forward(in, out);
    const std::vector<StepReport> first = plan.last_run();
    for (int run = 0; run < 40; ++run) {
      plan.forward(in, out);
      const std::vector<StepReport>& report = plan.last_run();
      ASSERT_EQ(report.size(), first.size());
      for (std::size_t i = 0; i < report.size(); ++i) {
        EXPECT_EQ(report[i].bytes_memory + report[i].bytes_shared, first[i].bytes_memory + first[i].bytes_shared);
        if (report[i].label.starts_with("sweep")) { EXPECT_GT(report[i].seconds, 0) << run; }
      }
    }
  });
}

TEST(Recording, EveryRunThatIsRecordedIsTimed) {
  Plan plan(local(), {.shape = {4, 4}});
  const Array in = plan.make_input(), out = plan.make_output();
  for (int run = 0; run < 3; ++run) plan.forward(in, out);
  plan.record(40);
  for (int run = 0; run < 40; ++run) {
    plan.forward(in, out);
    double spans = 0, steps = 0;
    for (const Span& span : of(plan, What::step, run)) spans += 1e-9 * static_cast<double>(span.end_ns - span.begin_ns);
    for (const StepReport& step : plan.last_run()) steps += step.seconds;
    EXPECT_GT(steps, 0);
    EXPECT_LE(steps, spans) << "steps are timed inside their spans";
  }
}

TEST(Recording, WorksForRunsThatAreHelpedAlong) {
  on_ranks(2, [](Comm comm) {
    Plan plan(comm, {.shape = {12, 9, 16}}, {.expert = {.chunks = 2}});
    const Array in = plan.make_input(), out = plan.make_output();
    plan.record(1);
    plan.start(Direction::forward, in, out);
    while (!plan.test()) {}
    EXPECT_EQ(of(plan, What::run, 0).size(), 1U);
    EXPECT_FALSE(of(plan, What::flight, 0).empty());
  });
}

}  // namespace
}  // namespace shardfft::testing
