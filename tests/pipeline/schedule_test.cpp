// Turns of a run: their order for routes that one can draw, and what holds for all.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/route/schedule.hpp"
#include "pipeline/scenes.hpp"

namespace shardfft::testing {
namespace {

using enum Turn::Action;
using Turns = std::vector<Turn>;

// A chain of steps, joined by exchanges, each in so many chunks.
std::vector<RouteStep> chain(const std::vector<int>& chunks) {
  std::vector<RouteStep> steps(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    steps[i].reads = static_cast<int>(i) - 1;
    steps[i].writes = i + 1 < chunks.size() ? static_cast<int>(i) : -1;
    steps[i].chunks.count = chunks[i];
  }
  return steps;
}

TEST(Schedule, OfPencilsIsOneSweepAfterTheOther) {
  EXPECT_EQ(schedule(chain({2, 1, 1}), false), (Turns{{room, 0},
                                                      {chunk, 0, 0},
                                                      {chunk, 0, 1},
                                                      {finish, 0},
                                                      {room, 1},
                                                      {chunk, 1, 0},
                                                      {finish, 1},
                                                      {chunk, 2, 0},
                                                      {finish, 2},
                                                      {drain, 0}}));
}

TEST(Schedule, OfTwoSweepsThatTakeTurnsGoesPartByPart) {
  std::vector<RouteStep> steps = chain({2, 4, 1});
  steps[0].goes_on = true;
  steps[0].parts = steps[1].parts = 2;
  EXPECT_EQ(schedule(steps, false), (Turns{{room, 0},
                                           {chunk, 0, 0},
                                           {room, 1},
                                           {chunk, 1, 0},
                                           {chunk, 1, 1},
                                           {chunk, 0, 1},
                                           {chunk, 1, 2},
                                           {chunk, 1, 3},
                                           {finish, 0},
                                           {finish, 1},
                                           {chunk, 2, 0},
                                           {finish, 2},
                                           {drain, 0}}));
}

TEST(Schedule, OfAnApproximatePlanLooksFirstSumsEarlyAndVotesLast) {
  std::vector<RouteStep> steps = chain({1, 1});
  steps[0].measures_norm = true;
  EXPECT_EQ(schedule(steps, true), (Turns{{room, 0},
                                          {look, 0},
                                          {budget, 0},
                                          {chunk, 0, 0},
                                          {sum, 0},
                                          {finish, 0},
                                          {budget, 1},
                                          {chunk, 1, 0},
                                          {finish, 1},
                                          {result, 1},
                                          {drain, 0},
                                          {vote, 1}}));
}

bool of_errors(const Turn& turn) {
  return turn.what != room && turn.what != chunk && turn.what != finish && turn.what != drain;
}

TEST(Schedule, OfAnApproximatePlanIsThatOfExactModeWithMoreTurns) {
  for_scenes([](const Scene& scene) {
    const Route route = make_route(scene.of_rank(0));
    Turns turns = schedule(route.steps, true);
    std::erase_if(turns, of_errors);
    EXPECT_EQ(turns, schedule(route.steps, false));
  });
}

// What a chunk reads was sent by earlier turns of its writers, who have the same turns: no rank waits for one that
// waits for it. Every chunk comes once, after its room.
void expect_in_order(const Route& route) {
  std::vector<int> done(route.steps.size(), 0);
  std::vector<bool> has_room(route.steps.size(), false), finished(route.steps.size(), false);
  for (const Turn& turn : schedule(route.steps, false)) {
    const auto s = static_cast<std::size_t>(turn.step);
    const RouteStep& step = route.steps[s];
    if (turn.what == room) has_room[s] = true;
    if (turn.what == finish) finished[s] = true;
    if (turn.what != chunk) continue;
    EXPECT_EQ(turn.number, done[s]++);
    EXPECT_FALSE(finished[s]);
    EXPECT_EQ(has_room[s], step.writes >= 0);
    if (step.reads < 0) continue;
    const RouteStep& writer = route.steps[s - 1];
    const int part = turn.number / (step.chunks.count / step.parts);
    EXPECT_GE(done[s - 1], writer.goes_on ? writer.chunks.count / writer.parts * (part + 1) : writer.chunks.count);
  }
  for (std::size_t s = 0; s < route.steps.size(); ++s) {
    EXPECT_EQ(done[s], route.steps[s].chunks.count);
    EXPECT_TRUE(finished[s]);
  }
}

TEST(Schedule, NoRankWaitsForOneThatWaitsForIt) {
  for_scenes([](const Scene& scene) { expect_in_order(make_route(scene.of_rank(0))); });
  for (const bool backward : {false, true}) {
    const Route route = make_route(slab_spec(64, {0, 1, 2}, slabs(0), slabs(0), backward));
    EXPECT_EQ(std::ranges::count_if(route.steps, [](const RouteStep& step) { return step.goes_on; }), 1);
    expect_in_order(route);
  }
}

}  // namespace
}  // namespace shardfft::testing
