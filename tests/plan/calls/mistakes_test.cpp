// Mistakes in the order and the arguments of calls: one error, the same on any number of ranks.
#include <atomic>
#include <chrono>
#include <complex>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "plan/calls/expect_error.hpp"

namespace shardfft::testing {
namespace {

const Problem reals{.shape = {8, 6}, .kind = r2c};

TEST(Mistakes, ASecondRunWhileOneIsUnderWay) {
  for (const int ranks : {1, 2, 3}) {
    expect_error(ranks, Status::invalid_argument, {"call out of order", "wait()"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      Array in = plan.make_input(), out = plan.make_output();
      plan.start(Direction::forward, in, out);
      plan.start(Direction::forward, in, out);
    });
    expect_error(ranks, Status::invalid_argument, {"call out of order", "wait()"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      Array in = plan.make_input(), out = plan.make_output();
      plan.start(Direction::forward, in, out);
      plan.backward(out, in);
    });
  }
}

TEST(Mistakes, WaitingForARunThatWasNotStarted) {
  for (const int ranks : {1, 3}) {
    expect_error(ranks, Status::invalid_argument, {"call out of order", "start()"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      plan.wait();
    });
    expect_error(ranks, Status::invalid_argument, {"call out of order", "start()"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      (void)plan.test();
    });
  }
}

TEST(Mistakes, WaitingAgainAfterTestSaidThatTheRunIsOverIsNone) {
  on_ranks(2, [](const Comm& comm) {
    Plan plan(comm, reals);
    Array in = plan.make_input(), out = plan.make_output();
    plan.start(Direction::forward, in, out);
    while (!plan.test()) {}
    EXPECT_NO_THROW(plan.wait());
  });
}

// Each is right or refused, and some are refused: both threads run the plan again and again until that was seen.
TEST(Mistakes, TwoThreadsThatRunOnePlanAtTheSameTime) {
  Plan plan(local(), {.shape = {48, 40, 32}}, {.threads = 1, .wisdom = false});
  const std::size_t count = plan.input_bytes() / sizeof(std::complex<double>);
  std::vector<std::complex<double>> in(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) in[i] = {static_cast<double>(i % 7), static_cast<double>(i % 5)};
  plan.forward(std::span(std::as_const(in)), std::span(expected));
  std::atomic<int> refused{0}, ran{0}, wrong{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto run = [&] {
    std::vector<std::complex<double>> out(count);
    while (refused == 0 && std::chrono::steady_clock::now() < end) {
      try {
        plan.forward(std::span(std::as_const(in)), std::span(out));
        ++ran;
        wrong += out != expected;
      } catch (const Error& e) {
        wrong += e.status() != Status::invalid_argument ||
                 std::string(e.what()).find("call out of order: one thread at a time runs a plan") == std::string::npos;
        ++refused;
      }
    }
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(wrong, 0);
  std::vector<std::complex<double>> out(count);
  plan.forward(std::span(std::as_const(in)), std::span(out));
  EXPECT_EQ(out, expected) << "what was refused leaves nothing behind";
}

TEST(Mistakes, APlanThatWasMovedFrom) {
  const std::vector<std::function<void(Plan&)>> calls = {[](Plan& p) { (void)p.make_input(); },
                                                         [](Plan& p) { (void)p.make_output(); },
                                                         [](Plan& p) { (void)p.describe(); },
                                                         [](Plan& p) { (void)p.input(); },
                                                         [](Plan& p) { (void)p.problem(); },
                                                         [](Plan& p) { (void)p.error_bound(); },
                                                         [](Plan& p) { p.wait(); },
                                                         [](Plan& p) { (void)p.test(); },
                                                         [](Plan& p) { (void)p.comm(); },
                                                         [](Plan& p) { p.forward(View{}, View{}); }};
  for (const auto& call : calls)
    expect_error(1, Status::invalid_argument, {"moved from"}, [&](const Comm& comm) {
      Plan plan(comm, reals);
      const Plan there(std::move(plan));
      call(plan);  // NOLINT: that is what is tested
    });
}

TEST(Mistakes, AGroupThatWasMovedFrom) {
  expect_error(1, Status::invalid_argument, {"moved from"}, [](const Comm& comm) {
    Comm here = comm;
    const Comm there(std::move(here));
    (void)here.size();  // NOLINT: that is what is tested
  });
}

TEST(Mistakes, ArgumentsThatAreExchanged) {
  for (const int ranks : {1, 2}) {
    expect_error(ranks, Status::invalid_argument, {"exchanged", "backward(in, out)"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      Array space = plan.make_input(), spectrum = plan.make_output();
      plan.backward(space, spectrum);
    });
    expect_error(ranks, Status::invalid_argument, {"exchanged", "forward(in, out)"}, [](const Comm& comm) {
      Plan plan(comm, reals);
      Array space = plan.make_input(), spectrum = plan.make_output();
      plan.forward(spectrum, space);
    });
  }
}

TEST(Mistakes, NumbersOfAnotherPrecision) {
  expect_error(2, Status::invalid_argument, {"f64", "f32", "precision"}, [](const Comm& comm) {
    Plan plan(comm, {.shape = {8, 6}});
    Array out = plan.make_output();
    std::vector<std::complex<float>> in(48);
    plan.forward(in, out);
  });
}

TEST(Mistakes, RealsInPlaceOfComplexNumbers) {
  expect_error(2, Status::invalid_argument, {"complex f64", "got real f64", "a plan of another kind"},
               [](const Comm& comm) {
                 Plan plan(comm, {.shape = {8, 6}});
                 Array out = plan.make_output();
                 std::vector<double> in(48);
                 plan.forward(in, out);
               });
}

TEST(Mistakes, MemoryThatABindingOfOneRankRefuses) {
  const auto either = [](const Plan& plan, const Array& array) {
    return plan.comm().rank() == 1 ? View("it is a list", View::refused) : View(array);
  };
  const std::function<void(Plan&, const Array&, const Array&)> calls[] = {
      [&](Plan& p, const Array& in, const Array& out) { p.forward(either(p, in), out); },
      [&](Plan& p, const Array& in, const Array& out) { p.forward(in, either(p, out)); },
      [&](Plan& p, const Array& in, const Array& out) { p.start(Direction::backward, either(p, out), in); },
      [&](Plan& p, const Array& in, const Array& out) { p.adjoint(either(p, out), in); },
      [&](Plan& p, const Array& in, const Array& out) { (void)p.verify(in, either(p, out)); },
      [&](Plan& p, const Array& in, const Array&) { (void)p.hash_input(either(p, in)); }};
  for (const auto& call : calls)
    for (const Index rows : {8, 1})  // of one row, rank 1 owns nothing
      expect_error(3, Status::invalid_argument, {"rank 1: it is a list"}, [&](const Comm& comm) {
        Plan plan(comm, {.shape = {rows, 6}, .kind = r2c}, {.input = slabs(0), .output = slabs(0)});
        call(plan, plan.make_input(), plan.make_output());
      });
  expect_error(3, Status::invalid_argument, {"rank 1: it is a list"}, [](const Comm& comm) {
    Halo halo(comm, Layout(slabs(0), {8, 6}, comm.size()), {.low = {1, 1}, .high = {1, 1}}, sizeof(double));
    const Array array = halo.make_array();
    halo.exchange(comm.rank() == 1 ? View("it is a list", View::refused) : View(array));
  });
}

TEST(Mistakes, TheOneFieldInWhichRanksDifferIsNamed) {
  expect_error(3, Status::mismatch, {"`chunks 2`", "`chunks 3`", "ranks 0"}, [](const Comm& comm) {
    const Plan plan(comm, reals, {.expert = {.chunks = comm.rank() == 2 ? 3 : 2}});
  });
  expect_error(3, Status::mismatch, {"shape 8 x 6", "shape 8 x 7"},
               [](const Comm& comm) { const Plan plan(comm, {.shape = {8, comm.rank() == 1 ? 7 : 6}}); });
}

}  // namespace
}  // namespace shardfft::testing
