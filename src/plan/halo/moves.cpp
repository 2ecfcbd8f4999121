#include "plan/halo/moves.hpp"

#include <algorithm>

#include "grid/blocks.hpp"
#include "shardfft/programs/team.hpp"
#include "support/memory/copy_box.hpp"

namespace shardfft {
namespace {

// The share of one thread: a block of the longest axis.
HaloMove share_of(HaloMove move, const Coord& strides, int thread, int threads) {
  const auto axis = static_cast<int>(std::max_element(move.shape.begin(), move.shape.end()) - move.shape.begin());
  const Index n = move.shape[axis], first = blocks::begin(n, threads, thread);
  move.shape[axis] = blocks::size(n, threads, thread);
  move.at += first * strides[axis];
  move.other += first * move.other_strides[axis];
  return move;
}

void run(const HaloMove& m, HaloWay way, std::byte* array, const Coord& strides, Index element_bytes) {
  std::byte *here = array + m.at, *there = (m.message ? m.message : array) + m.other;
  if (way == HaloWay::store)
    copy_box(here, strides, there, m.other_strides, m.shape, element_bytes);
  else if (way == HaloWay::fill)
    copy_box(there, m.other_strides, here, strides, m.shape, element_bytes);
  else
    add_box(there, m.other_strides, here, strides, m.shape, element_bytes, way == HaloWay::add_f32 ? 4 : 8);
}

// Threads that have work. Waking one costs as much as `worth_a_thread` elements.
int team(const std::vector<HaloMove>& moves, int threads) {
  constexpr Index worth_a_thread = 4096;
  Index elements = 0;
  for (const HaloMove& m : moves) elements += product(m.shape);
  return static_cast<int>(std::min<Index>(threads, 1 + elements / worth_a_thread));
}

}  // namespace

void run(const std::vector<HaloMove>& moves, HaloWay way, std::byte* array, const Coord& strides, Index element_bytes,
         int threads) {
  on_team(team(moves, threads), [&](TeamMember me) {
    for (const HaloMove& m : moves) {
      run(me.threads == 1 ? m : share_of(m, strides, me.thread, me.threads), way, array, strides, element_bytes);
      if (me.threads > 1) team_barrier();
    }
  });
}

}  // namespace shardfft
