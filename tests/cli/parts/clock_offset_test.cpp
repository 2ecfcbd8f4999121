// Simulated clocks: what two ranks would have read.
#include "launch/clock_offset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace shardfft::cli {
namespace {

struct Readings {
  std::vector<Ping> first{}, other{};
};

/// Exchanges that take between `fastest` and `slowest` ns each way, seen on two clocks that are `offset` apart; the
/// seed is fixed.
Readings simulated(std::int64_t offset, int fastest, int slowest) {
  std::mt19937 random(20261120);
  std::uniform_int_distribution<int> delay(fastest, slowest), idle(0, 1000);
  Readings r;
  std::int64_t now = 5'000'000;
  for (int i = 0; i < 32; ++i) {
    const std::int64_t a = now += idle(random), b = now + idle(random), begun = std::max(a, b);
    const std::int64_t a_done = begun + delay(random), b_done = begun + delay(random);
    r.first.push_back({a, a_done});
    r.other.push_back({b - offset, b_done - offset});
    now = std::max(a_done, b_done);
  }
  return r;
}

TEST(ClockOffset, IsFoundToHalfAnExchange) {
  for (const std::int64_t offset : {0LL, 1'234'567'890'123LL, -98'765'432'109LL}) {
    const Readings r = simulated(offset, 2'000, 50'000);
    EXPECT_NEAR(static_cast<double>(offset_between(r.first, r.other) - offset), 0, 50'000);
    const Readings quick = simulated(offset, 500, 600);
    EXPECT_NEAR(static_cast<double>(offset_between(quick.first, quick.other) - offset), 0, 1'100);
  }
}

TEST(ClockOffset, SlowExchangesDoNoHarm) {
  Readings r = simulated(777'000, 1'000, 1'500);
  const std::int64_t before = offset_between(r.first, r.other);
  r.first.push_back({90'000'000, 95'000'000});
  r.other.push_back({90'000'100 - 777'000, 94'000'000 - 777'000});
  EXPECT_EQ(offset_between(r.first, r.other), before);
}

TEST(ClockOffset, IsZeroWhereRanksShareAClock) {
  on_ranks(3, [](const Comm& comm) { EXPECT_EQ(clock_offset(comm), 0); });
}

}  // namespace
}  // namespace shardfft::cli
