// Graphs of the emulated device: what is not ordered in them comes out wrong for some seeds, and broken rules are said.
#include <complex>

#include <gtest/gtest.h>

#include "device/emulated_devices.hpp"
#include "support/thrown.hpp"
#include "support/variables.hpp"

namespace shardfft::testing {
namespace {

struct TwoQueues {
  std::shared_ptr<Device> device = emulated_device();
  std::unique_ptr<Queue> queue = device->make_queue(), other = device->make_queue();
  std::unique_ptr<Event> forked = device->make_event(), joined = device->make_event();
};

TEST(EmulatedGraphs, DoTheirWorkAsLateAsTheWorkOfQueues) {
  const TwoQueues t;
  const auto one = pinned(t.device, std::vector{1}), to = pinned(t.device, std::vector{0});
  const auto graph = t.queue->capture([&] { t.queue->copy(to.data(), one.data(), 4); });
  t.queue->launch(*graph);
  EXPECT_EQ(to.numbers()[0], 0);
  t.queue->synchronize();
  EXPECT_EQ(to.numbers()[0], 1);
}

TEST(EmulatedGraphs, WhoseQueuesLackAWaitGiveOtherNumbersForSomeSeeds) {
  const TwoQueues t;
  Numbers<int> shared(t.device, 1);
  const auto one = pinned(t.device, std::vector{1}), to = pinned(t.device, std::vector{0});
  for (const bool waits : {true, false}) {
    const auto graph = t.queue->capture([&] {
      t.queue->record(*t.forked);
      t.other->wait(*t.forked);
      t.other->copy(shared.data(), one.data(), 4);
      t.other->record(*t.joined);
      if (waits) t.queue->wait(*t.joined);
      t.queue->copy(to.data(), shared.data(), 4);
      t.queue->wait(*t.joined);
    });
    int wrong = 0;
    for_seeds(60, [&](int) {
      shared.set({7});
      t.queue->launch(*graph);
      t.queue->synchronize();
      wrong += to.numbers()[0] != 1;
    });
    EXPECT_EQ(wrong == 0, waits) << wrong;
  }
}

TEST(EmulatedGraphs, CountAsOneLaunch) {
  const TwoQueues t;
  const Numbers<int> memory(t.device, 4);
  const auto calls = [&] {
    for (int i = 0; i < 4; ++i) t.queue->zero(memory.data() + 4 * i, 4);
  };
  const auto launches = [&](auto asked) {
    const std::uint64_t before = emulated::scheduler().launches();
    asked();
    return emulated::scheduler().launches() - before;
  };
  std::unique_ptr<Graph> graph;
  EXPECT_EQ(launches(calls), 4u);
  EXPECT_EQ(launches([&] { graph = t.queue->capture(calls); }), 0u);
  EXPECT_EQ(launches([&] { t.queue->launch(*graph); }), 1u);
  t.queue->synchronize();
}

TEST(EmulatedGraphs, ThatBreakARuleSaySoWhereTheyAreCaptured) {
  const TwoQueues t;
  const Numbers<int> memory(t.device, 1);
  int host = 0;
  const auto said = [&](const std::function<void()>& calls) {
    return thrown([&] { static_cast<void>(t.queue->capture(calls)); });
  };
  const auto expect = [](const std::string& what, const char* part) {
    EXPECT_TRUE(what.starts_with("device_failed: ")) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
  };
  expect(said([&] { t.queue->synchronize(); }), "somebody who waits for it or asks");
  expect(said([&] { t.queue->copy(memory.data(), &host, 4); }), "got other memory of the host");
  expect(said([&] {
           t.queue->record(*t.forked);
           t.other->wait(*t.forked);
           t.other->zero(memory.data(), 4);
         }),
         "waits in the end for all others");
  expect(thrown([&] { t.other->wait(*t.forked); }), "recorded anew before others wait");
  expect(thrown([&] { (void)t.forked->done(); }), "somebody who waits for it or asks");
  t.other->record(*t.joined);
  t.other->zero(memory.data(), 4);
  t.other->record(*t.joined);
  expect(said([&] { t.queue->wait(*t.joined); }), "got an event from before");
  expect(said([&] { static_cast<void>(t.queue->capture([] {})); }), "captured once at a time");
  const auto graph = t.queue->capture([&] { t.queue->zero(memory.data(), 4); });
  expect(said([&] { t.queue->launch(*graph); }), "graphs are not parts of graphs");
}

TEST(EmulatedGraphs, ThatAreGoneBeforeTheirWorkIsDoneAreFound) {
  const TwoQueues t;
  const Numbers<int> memory(t.device, 1);
  t.queue->launch(*t.queue->capture([&] { t.queue->zero(memory.data(), 4); }));
  EXPECT_NE(thrown([&] { t.queue->synchronize(); }).find("a graph lives until the queues have done with it"),
            std::string::npos);
}

TEST(EmulatedGraphs, AreNotMadeWhereTheEnvironmentSaysSo) {
  const Variable none("SHARDFFT_EMULATED_GRAPHS", "0");
  EXPECT_EQ(TwoQueues().queue->capture([] {}), nullptr);
}

TEST(EmulatedTransforms, FindWhoUsesTheirScratchMeanwhile) {
  const TwoQueues t;
  const auto fft = t.device->make_fft({.n = {8}});
  const Numbers<std::complex<double>> x(t.device, 8), y(t.device, 8);
  const DeviceMemory work(t.device, fft->work_bytes(), "a test");
  int found = 0;
  for_seeds(100, [&](int) {
    fft->run(*t.queue, x.data(), x.data(), work.data());
    fft->run(*t.other, y.data(), y.data(), work.data());
    for (Queue* q : {t.queue.get(), t.other.get()})
      found += thrown([&] { q->synchronize(); }).find("is its own until it is done") != std::string::npos;
  });
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace shardfft::testing
