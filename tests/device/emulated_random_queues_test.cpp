// Random programs over several queues and devices, with every wait that they need, and with one step that does not
// wait.
#include <gtest/gtest.h>

#include "device/emulated_devices.hpp"
#include "device/random_boxes.hpp"

namespace shardfft::testing {
namespace {

constexpr int cells = 5;  // one for each queue

/// Queue `who` makes its own cell -0.5 times cell `other`.
struct Step {
  int who, other;
};

std::vector<Step> random_program(Random& random, int steps) {
  std::vector<Step> program;
  for (int s = 0; s < steps; ++s) {
    const int who = static_cast<int>(between(random, 0, cells - 1));
    program.push_back({who, static_cast<int>((who + between(random, 1, cells - 1)) % cells)});
  }
  return program;
}

std::vector<double> in_order(const std::vector<Step>& program) {
  std::vector<double> value(cells);
  std::iota(value.begin(), value.end(), 1);
  for (const Step& s : program)
    value[static_cast<std::size_t>(s.who)] = value[static_cast<std::size_t>(s.other)] * -0.5;
  return value;
}

/// Runs the steps on queues. `careless`: number of the step that waits for nobody.
std::vector<double> on_queues(const std::vector<Step>& program, int careless) {
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<Numbers<double>> memory;
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<std::unique_ptr<Event>> events;
  for (int c = 0; c < cells; ++c) {
    devices.push_back(emulated_device(c % 3));
    memory.emplace_back(devices.back(), std::vector<double>{c + 1.0});
    queues.push_back(devices.back()->make_queue());
    events.push_back(devices.back()->make_event());
  }
  for (const auto& a : devices)
    for (const auto& b : devices) EXPECT_TRUE(a->reaches(*b));
  std::vector<std::unique_ptr<MoveList>> lists;
  int number = 0;
  for (const Step& s : program) {
    const auto who = static_cast<std::size_t>(s.who), other = static_cast<std::size_t>(s.other);
    const bool waits = number++ != careless;
    for (std::size_t c = 0; c < cells; ++c)
      if (c != who && waits) queues[who]->wait(*events[c]);  // written what is read now, read what is overwritten now
    const BoxMove move{.from = reinterpret_cast<Index>(memory[other].data()),
                       .to = reinterpret_cast<Index>(memory[who].data())};
    lists.push_back(
        devices[who]->make_moves({.scalar = Scalar::f64, .complex = false, .scales = true}, std::vector{move}));
    queues[who]->move(*lists.back(), {}, -0.5);
    queues[who]->record(*events[who]);
  }
  std::vector<double> value;
  for (int c = 0; c < cells; ++c) queues[static_cast<std::size_t>(c)]->synchronize();
  for (const auto& m : memory) value.push_back(m.get()[0]);
  return value;
}

TEST(EmulatedPrograms, GiveTheNumbersOfTheirOrderWhenQueuesWaitForEachOther) {
  for_seeds(100, [](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto program = random_program(random, 30);
    ASSERT_EQ(on_queues(program, -1), in_order(program)) << "seed " << seed;
  });
}

TEST(EmulatedPrograms, GiveOtherNumbersForManySeedsWhenOneStepDoesNotWait) {
  int wrong = 0;
  for_seeds(100, [&](int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto program = random_program(random, 30);
    wrong += on_queues(program, static_cast<int>(between(random, 10, 29))) != in_order(program);
  });
  EXPECT_GT(wrong, 20);
}

}  // namespace
}  // namespace shardfft::testing
