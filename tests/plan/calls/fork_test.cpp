// Children of fork(): the right answer where nothing of their parent is missing, else an error, always in time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "shardfft/shardfft.hpp"
#include "support/ranks/in_child.hpp"
#include "support/ranks/process_ranks.hpp"

namespace shardfft::testing {
namespace {

using Numbers = std::vector<std::complex<double>>;

const Problem problem{.shape = {32, 40, 48}};

Numbers numbers(std::size_t count) {
  Numbers values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = {static_cast<double>(i * 7 % 11), static_cast<double>(i * 5 % 13)};
  return values;
}

Plan plan_on(const Comm& comm) { return Plan(comm, problem, {.threads = 2, .wisdom = false}); }

/// Whether a plan of one process says the same as it did before.
void expect(bool holds, const char* what) {
  if (!holds) throw Error(Status::internal, what);
}

TEST(AForkedChild, GetsTheRightAnswerFromPlansOfOneProcessOldAndNew) {
  Plan plan = plan_on(local());
  const Numbers in = numbers(plan.input_bytes() / 16);
  Numbers out(in.size()), back(in.size());
  plan.forward(std::span(in), std::span(out));
  const std::uint64_t hash = plan.hash_output(std::span(std::as_const(out)));
  const auto same = [&](Plan& any) {
    Numbers again(out.size());
    any.forward(std::span(in), std::span(again));
    expect(again == out, "forward differs");
    any.start(Direction::backward, std::span(std::as_const(again)), std::span(back));
    while (!any.test()) {}
    any.wait();
    expect(any.hash_output(std::span(std::as_const(again))) == hash, "the hash differs");
    expect(any.verify(std::span(in), std::span(std::as_const(again))).ok(), "verify refuses it");
    expect(!any.exact_samples(std::span(in), {{1, 2, 3}}).empty(), "no samples");
    expect(any.make_input().bytes() == any.input_bytes(), "no array");
  };
  EXPECT_EQ(in_child([&] { same(plan); }), "ok");
  EXPECT_EQ(in_child([&] {
              Plan fresh = plan_on(local());
              same(fresh);
            }),
            "ok");
  EXPECT_EQ(in_child([&] {  // a grandchild
              expect(in_child([&] { same(plan); }) == "ok", "the child's child");
            }),
            "ok");
  same(plan);
}

TEST(AForkedChild, StartsRanksAndThreadsOfItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads where its parent has some";
#endif
  Plan plan = plan_on(local());
  const Numbers in = numbers(plan.input_bytes() / 16);
  Numbers out(in.size());
  plan.forward(std::span(in), std::span(out));
  EXPECT_EQ(in_child([&] {
              Numbers again(out.size());
              std::thread([&] { plan.forward(std::span(in), std::span(again)); }).join();
              expect(again == out, "forward differs");
              on_ranks(3, [](const Comm& comm) {
                Plan own = plan_on(comm);
                Array from = own.make_input(), to = own.make_output();
                own.forward(from, to);
              });
            }),
            "ok");
}

// What another thread held when the process forked would be held for ever in the child.
TEST(AForkedChild, MakesPlansWhateverOtherThreadsOfItsParentWereDoing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the allocator of gcc's address sanitizer has locks for which fork() does not wait";
#endif
  for (const Engine* engine : engines()) {
    SCOPED_TRACE(engine->name());
    const auto make = [&] {
      Plan plan(local(), {.shape = {12, 30}},
                {.threads = 1, .wisdom = false, .expert = {.engine = std::string(engine->name())}});
      const Numbers in = numbers(plan.input_bytes() / 16);
      Numbers out(in.size());
      plan.forward(std::span(in), std::span(out));
    };
    make();
    std::atomic<bool> enough = false;
    std::thread other([&] {
      while (!enough) make();
    });
    for (int i = 0; i < 20; ++i) EXPECT_EQ(in_child(make), "ok");
    enough = true;
    other.join();
  }
}

/// What a child does with a plan whose other ranks stayed behind.
std::vector<std::function<void(Plan&, Array&, Array&)>> ways() {
  return {[](Plan& plan, Array& in, Array& out) { plan.forward(in, out); },
          [](Plan& plan, Array& in, Array& out) { plan.start(Direction::forward, in, out); },
          [](Plan& plan, Array&, Array&) { (void)plan.test(); },
          [](Plan& plan, Array&, Array&) { plan.wait(); },
          [](Plan& plan, Array& in, Array& out) { (void)plan.verify(in, out); },
          [](Plan& plan, Array&, Array& out) { (void)plan.hash_output(out); },
          [](Plan& plan, Array& in, Array&) { (void)plan.exact_samples(in, {{0, 0, 0}}); },
          [](Plan& plan, Array&, Array&) { (void)plan.make_output(); },
          [](Plan& plan, Array&, Array&) { (void)plan_on(plan.comm()); },
          [](Plan& plan, Array&, Array&) { plan.comm().barrier(); }};
}

void children_leave_it_alone(const Comm& comm) {
  Plan plan = plan_on(comm);
  Array in = plan.make_input(), out = plan.make_output();
  std::fill_n(in.as<double>().data(), in.as<double>().size(), 1.5);
  plan.forward(in, out);
  const std::uint64_t before = plan.hash_output(out), input = plan.hash_input(in);
  for (const auto& way : ways()) {
    const std::string said = in_child([&] { way(plan, in, out); });
    EXPECT_NE(said.find("ranks belong to the process that made them"), std::string::npos) << said;
    EXPECT_NE(said.find("make a plan on local()"), std::string::npos) << said;
  }
  EXPECT_EQ(in_child([&] {  // what it inherited ends with it
              Plan gone(std::move(plan));
              const Array first(std::move(in)), second(std::move(out));
            }),
            "ok");
  EXPECT_EQ(plan.hash_input(in), input);
  plan.forward(in, out);
  EXPECT_EQ(plan.hash_output(out), before);
}

TEST(AForkedChild, LeavesRanksThatAreThreadsAlone) { on_ranks(3, children_leave_it_alone); }

// In processes of their own, whose failures count as their status.
TEST(AForkedChild, LeavesRanksThatAreProcessesAlone) {
  for (const ProcessEnd& end : on_processes(2, [](const Comm& comm) {
         children_leave_it_alone(comm);
         if (::testing::Test::HasFailure()) throw Error(Status::internal, "see above");
       }))
    EXPECT_EQ(end.said, "ok");
}

}  // namespace
}  // namespace shardfft::testing
