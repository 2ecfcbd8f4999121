// Successive halving with made-up times.
#include "planner/measure/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shardfft/error.hpp"

namespace shardfft::testing {
namespace {

/// Candidates with known times that count their runs.
struct Field {
  std::vector<double> seconds;
  std::set<std::size_t> broken{};
  int laps_allowed = 1 << 30, last_turns_allowed = 0;
  std::vector<int> runs = std::vector<int>(seconds.size());
  std::vector<std::size_t> order{};

  RaceResult race() {
    return shardfft::race(
        seconds.size(),
        [this](std::size_t i, int n, double) {
          order.push_back(i);
          runs[i] += n;
          return broken.contains(i) ? Lap{.dropped = "broken"} : Lap{.seconds = seconds[i]};
        },
        [this] { return static_cast<int>(order.size()) < laps_allowed; }, [this] { return last_turns_allowed-- > 0; });
  }
};

std::vector<double> falling(std::size_t n) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < n; ++i) seconds.push_back(static_cast<double>(n - i));
  return seconds;
}

TEST(Race, IsWonByTheFastestWhereverItStands) {
  for (const std::size_t n : {1, 2, 3, 4, 7, 30, 100})
    for (const std::size_t winner : {std::size_t{0}, n / 2, n - 1}) {
      Field field{std::vector<double>(n, 2.0)};
      field.seconds[winner] = 1;
      const RaceResult r = field.race();
      EXPECT_EQ(r.ranking.front().candidate, winner) << n;
      EXPECT_EQ(r.ranking.size(), n);
      EXPECT_TRUE(r.finished);
    }
}

TEST(Race, SpendsItsRunsOnTheFewThatAreFast) {
  Field field{falling(27)};
  const RaceResult r = field.race();
  EXPECT_EQ(r.rounds, 3);
  EXPECT_EQ(field.runs[1], 2) << "slow ones are visited once";
  EXPECT_EQ(field.runs[26], 2 + 6 + 18);
}

TEST(Race, CarriesTheFirstCandidateToTheEnd) {
  Field field{std::vector<double>(27, 1.0)};
  field.seconds[0] = 100;
  const RaceResult r = field.race();
  EXPECT_EQ(field.runs[0], 2 + 6 + 18) << "what it is compared with is measured as well as the winner";
  EXPECT_NE(r.ranking.front().candidate, 0u);
}

TEST(Race, DropsWhoFailsAndGoesOn) {
  Field field{falling(9), {0, 8}};
  const RaceResult r = field.race();
  EXPECT_EQ(r.ranking.front().candidate, 7u);
  EXPECT_EQ(r.ranking.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(r.ranking[i].dropped.empty(), i < 7) << i;
  EXPECT_EQ(field.runs[8], 2) << "never visited again";
}

TEST(Race, WhereEverybodyFailsHasNoWinner) {
  Field field{falling(4), {0, 1, 2, 3}};
  for (const Runner& r : field.race().ranking) EXPECT_EQ(r.dropped, "broken");
}

TEST(Race, StopsWhenTimeIsUpWithWhatItKnows) {
  for (const int allowed : {0, 1, 2, 5, 20, 30}) {
    Field field{falling(20)};
    field.laps_allowed = allowed;
    const RaceResult r = field.race();
    EXPECT_EQ(static_cast<int>(field.order.size()), std::max(allowed, 1)) << "the first one is always visited";
    EXPECT_EQ(r.laps, std::max(allowed, 1));
    EXPECT_FALSE(r.finished);
    EXPECT_EQ(r.ranking.size(), static_cast<std::size_t>(std::clamp(allowed, 1, 20)))
        << "those that nobody visited are missing";
    EXPECT_LE(r.rounds, 3);
  }
}

TEST(Race, TakesTurnsWithTheLastFewSoThatLuckShows) {
  int lap = 0;
  const RaceResult r = race(
      2, [&](std::size_t i, int, double) { return Lap{.seconds = i == 0           ? 2.0
                                                                 : ++lap % 3 == 0 ? 1.0
                                                                                  : 3.0}; },
      [] { return true; }, [] { return true; });
  ASSERT_EQ(r.ranking.front().candidate, 1u) << "its best lap is the best of all";
  EXPECT_EQ(r.ranking[0].turns.size(), 3u);
  EXPECT_FALSE(always_ahead(r.ranking[0], r.ranking[1])) << "but most of its laps are not";
  EXPECT_FALSE(always_ahead(r.ranking[1], r.ranking[0]));
  EXPECT_TRUE(always_ahead({.turns = {1, 2, 3}}, {.turns = {2, 3, 4}}));
  EXPECT_FALSE(always_ahead({.turns = {}}, {.turns = {2}}));
  EXPECT_FALSE(always_ahead({.turns = {1, 2}}, {.turns = {2, 3, 4}}))
      << "it may have been lucky in one turn, or in two";
}

TEST(Race, CutShortStillComparesTheFastestWithTheFirst) {
  Field field{falling(20)};
  field.laps_allowed = 10;
  field.last_turns_allowed = 6;
  const RaceResult r = field.race();
  EXPECT_EQ(std::vector(field.order.begin() + 10, field.order.end()), (std::vector<std::size_t>{0, 9, 0, 9, 0, 9}));
  EXPECT_EQ(r.ranking[0].candidate, 9u);
  EXPECT_EQ(r.ranking[1].candidate, 0u);
  EXPECT_TRUE(always_ahead(r.ranking[0], r.ranking[1]));
  EXPECT_FALSE(r.finished);
  EXPECT_EQ(r.laps, 16);
}

TEST(Race, WithoutTheLastTurnsOrWithAFewOfThemShowsNobodyAhead) {
  for (const int allowed : {0, 1, 5}) {
    Field field{falling(20)};
    field.laps_allowed = 10;
    field.last_turns_allowed = allowed;
    const RaceResult r = field.race();
    EXPECT_EQ(r.laps, 10 + allowed);
    const auto model = std::ranges::find(r.ranking, std::size_t{0}, &Runner::candidate);
    for (const Runner& other : r.ranking) EXPECT_FALSE(always_ahead(other, *model)) << other.candidate;
  }
}

TEST(Race, EndsWithTheErrorOfALap) {
  EXPECT_THROW((void)race(
                   3, [](std::size_t, int, double) -> Lap { throw Error(Status::transport_failed, "gone"); },
                   [] { return true; }, [] { return true; }),
               Error);
}

}  // namespace
}  // namespace shardfft::testing
