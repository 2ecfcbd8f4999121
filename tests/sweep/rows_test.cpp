// Addresses of rows against addresses of elements.
#include "sweep/host/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "pipeline/bind/memory.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

std::byte* address(const Patch& patch, const Bases& bases, const Coord& at) {
  std::byte* p = bases.start(patch);
  for (int a = 0; a < at.dims(); ++a) p += (at[a] - patch.box.lo[a]) * patch.strides[a];
  return p;
}

// Addresses are compared, never used.
std::byte* imagined(Index at) { return reinterpret_cast<std::byte*>(at); }
const Bases bases{imagined(1 << 20), imagined(2 << 20), imagined(3 << 20)};

TEST(Bases, StartEachKindOfPatchAtItsOwnMemory) {
  Patch patch{.address = imagined(4096), .offset = 24};
  EXPECT_EQ(bases.start(patch), imagined(4096 + 24));
  const std::pair<Base, std::byte*> starts[] = {
      {Base::input, bases.input}, {Base::output, bases.output}, {Base::plane, bases.plane}};
  for (const auto& [base, start] : starts) {
    patch.base = base;
    EXPECT_EQ(bases.start(patch), start + 24);
  }
}

struct Scene {
  Shape shape{};
  std::vector<Patch> patches{};
  Walk walk{};

  explicit Scene(std::mt19937_64& random) : shape(small_shape(random, 4, 6)) {
    const Layout layout(random_boxes(random, shape, 1), shape, 1);
    const LocalMemory memory = padded_memory(layout, 0, random);
    patches = caller_patches(memory.boxes, memory.places, Base::input, 8);
    walk.axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
    for (int a = 0; a < shape.dims(); ++a)
      if (a != walk.axis && (walk.lane < 0 || pick(random, 0, 1) == 1)) walk.lane = a;
  }
};

TEST(Rows, HoldTheAddressOfEveryElementOfARowInOnePatch) {
  std::mt19937_64 random(61);
  for (int i = 0; i < 200; ++i) {
    const Scene scene(random);
    const Walk& walk = scene.walk;
    PencilRows rows;
    rows.reserve(scene.patches.size(), 1);
    rows.select(PatchIndex(scene.patches), whole(scene.shape), walk, bases);
    for_each(whole(scene.shape), [&](const Coord& at) {  // rows come and go: the last axis is often not the lane
      const Index k = at[walk.axis], v = walk.lane < 0 ? 0 : at[walk.lane];
      int found = 0;
      for (const RowPatch& r : rows.row(at)) {
        if (k < r.k_lo || k >= r.k_hi || v < r.v_lo || v >= r.v_hi) continue;
        ++found;
        for (const Patch& patch : scene.patches)
          EXPECT_TRUE(!patch.box.contains(at) || r.origin + k * r.step_k + v * r.step_v == address(patch, bases, at));
      }
      EXPECT_EQ(found, 1);
    });
  }
}

// ContiguousLanes in the tile are neighbours in memory in some patches, in others not; where they are, every element is
// where its patch says.
TEST(Rows, KnowWhereNeighboursBeginAndWhereTheyAreNone) {
  std::mt19937_64 random(62);
  int found = 0, none = 0, aligned = 0;
  for (int i = 0; i < 400; ++i) {
    const Scene scene(random);
    const Walk& walk = scene.walk;
    if (walk.lane < 0) continue;
    PencilRows rows;
    const Index length = scene.shape[walk.axis];
    rows.reserve(scene.patches.size(), length);
    rows.select(PatchIndex(scene.patches), whole(scene.shape), walk, bases);
    PencilRows shuffled;  // the same rows, counted along them in another order
    shuffled.reserve(scene.patches.size(), length);
    shuffled.select(PatchIndex(scene.patches), whole(scene.shape), walk, bases);
    std::vector<Index> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for_each(whole(scene.shape), [&](Coord at) {
      const Index count = std::min<Index>(2, scene.shape[walk.lane] - at[walk.lane]);
      const ContiguousLanes seen = rows.contiguous_lanes(at, count, length, 8),
                            other = shuffled.contiguous_lanes(at, count, length, 8, order.data());
      bool lie_so = true, alike = true;
      Index phase = -1;
      for (Index k = 0; k < length; ++k) {
        at[walk.axis] = k;
        std::vector<std::byte*> places;
        const Patch* home = nullptr;
        for (Index v = 0; v < count; ++v) {
          Coord one = at;
          one[walk.lane] += v;
          for (const Patch& patch : scene.patches)
            if (patch.box.contains(one)) {
              lie_so = lie_so && (home == nullptr || home == &patch) && patch.strides[walk.lane] == 8;
              home = &patch;
              places.push_back(address(patch, bases, one));
            }
        }
        const Index start = static_cast<Index>(reinterpret_cast<std::uintptr_t>(places.front())) - at[walk.lane] * 8;
        alike = alike && (phase < 0 || start % 64 == phase);
        phase = start % 64;
        if (seen.rows != nullptr) { EXPECT_EQ(seen.rows[k] + seen.offset + at[walk.lane] * 8, places.front()); }
        if (other.rows != nullptr) {
          EXPECT_EQ(other.rows[order[static_cast<std::size_t>(k)]] + other.offset + at[walk.lane] * 8, places.front());
        }
      }
      EXPECT_EQ(seen.rows != nullptr, lie_so);
      EXPECT_EQ(other.rows != nullptr, lie_so);
      EXPECT_EQ(other.phase, seen.phase);
      if (seen.rows != nullptr) { EXPECT_EQ(seen.phase, alike ? phase : -1); }
      found += lie_so, none += !lie_so, aligned += lie_so && alike;
    });
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(none, 100);
  EXPECT_GT(aligned, 20);
  EXPECT_LT(aligned, found);
}

TEST(Rows, KnowHowFarTheNextTileIs) {
  const Patch patch{.box = {{2, 0, 3}, {9, 4, 40}}, .base = Base::input, .strides = {5000, 1000, 16}};
  PencilRows rows;
  rows.reserve(1, 4);
  rows.select(patch, {.axis = 1, .lane = 2}, bases);
  for (const Coord& next :
       {Coord{2, 0, 11},
        {3, 0, 3},
        {8, 3,
         5}})  // further along the row, in the next one, in another one; where it is along its pencils does not matter
    EXPECT_EQ(rows.to_next_tile({2, 0, 3}, next),
              address(patch, bases, {next[0], 0, next[2]}) - address(patch, bases, {2, 0, 3}));
  EXPECT_EQ(rows.next(), nullptr);
  const Coord unit{4, 0, 3};
  rows.goes_on_at(unit);
  EXPECT_EQ(rows.next(), &unit);
  rows.select(patch, {.axis = 1, .lane = 2}, bases);
  EXPECT_EQ(rows.next(), nullptr);
}

// What a sink looks at goes to a plane, too, and a part of it to its own place besides.
TEST(Rows, OfPencilsThatGoToTwoPlacesHaveNoOnePlace) {
  const Box all{{0, 0, 0}, {4, 2, 17}};
  const Patch plane{.box = all, .base = Base::plane, .strides = {34 * 8, 17 * 8, 8}},
      own{.box = {{0, 0, 0}, {2, 2, 9}}, .base = Base::output, .strides = {18 * 8, 9 * 8, 8}};
  const Walk walk{.axis = 0, .lane = 2};
  for (const auto& patches : {std::vector{plane, own}, {own, plane}}) {
    const PatchIndex index(patches);
    PencilRows rows;
    rows.reserve(2, 4);
    rows.select(index, all, walk, bases);
    for (const Index row : {0, 1})
      for (const Index v : {12, 9, 8, 3, 1, 0, 9, 2, 13}) {
        const ContiguousLanes seen = rows.contiguous_lanes({0, row, v}, 4, 4, 8);
        EXPECT_EQ(seen.rows != nullptr, v >= 9) << "row " << row << ", pencils from " << v;
        for (Index k = 0; seen.rows != nullptr && k < 4; ++k)
          EXPECT_EQ(seen.rows[k] + seen.offset + v * 8, address(plane, bases, {k, row, v}));
      }
  }
}

// What an encoder reads is in a plane, what stays on the rank is not: they are stored in different ways.
TEST(Rows, KnowWhichOfThemAreNotInAPlane) {
  const Walk walk{.axis = 0, .lane = 1};
  const auto in_plane = [](Index lo, Index hi) {
    return Patch{.box = {{lo, 0}, {hi, 8}}, .base = Base::plane, .offset = 64 * lo, .strides = {64, 8}};
  };
  const auto far = [](Index lo, Index hi, Index offset) {
    return Patch{.box = {{lo, 0}, {hi, 8}}, .base = Base::output, .offset = offset, .strides = {64, 8}};
  };
  std::vector<Index> backwards(12);
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  struct Case {
    std::vector<Patch> patches;
    Index far_lo, far_hi, phase;
    const Index* indices = nullptr;
  };
  const std::vector<Case> cases{
      {{in_plane(0, 12)}, 0, 0, -1},
      {{far(0, 12, 640)}, 0, 12, 0},
      {{far(0, 3, 24), in_plane(3, 12)}, 0, 3, 24},
      {{in_plane(0, 4), far(4, 6, 8), far(6, 9, 72), in_plane(9, 12)}, 4, 9, 8},
      {{in_plane(0, 4), far(4, 6, 8), far(6, 12, 16)}, 4, 12, -1},
      {{far(0, 2, 0), in_plane(2, 4), far(4, 12, 0)}, 0, 12, 0},      // planes between them
      {{far(0, 3, 0), in_plane(3, 12)}, 0, 12, 0, backwards.data()},  // counted in another order
  };
  for (const Case& c : cases) {
    SCOPED_TRACE("case " + std::to_string(&c - cases.data()));
    PencilRows rows;
    rows.reserve(c.patches.size(), 12);
    rows.select(PatchIndex(c.patches), {{0, 0}, {12, 8}}, walk, bases);
    const ContiguousLanes seen = rows.contiguous_lanes({0, 0}, 8, 12, 8, c.indices);
    ASSERT_NE(seen.rows, nullptr);
    EXPECT_EQ(seen.far_lo, c.far_lo);
    EXPECT_EQ(seen.far_hi, c.far_hi);
    EXPECT_EQ(seen.phase, c.phase);
  }
}

TEST(Rows, LeaveOutPatchesThatTheBoxOrTheRowDoesNotMeet) {
  const Coord strides{80, 8};
  const std::vector<Patch> patches{{.box = {{0, 0}, {4, 5}}, .strides = strides},
                                   {.box = {{4, 0}, {8, 5}}, .strides = strides},
                                   {.box = {{0, 5}, {8, 10}}, .strides = strides}};
  PencilRows rows;
  rows.reserve(patches.size(), 1);
  rows.select(PatchIndex(patches), whole({8, 10}), {.axis = 1}, bases);
  EXPECT_EQ(rows.row({2, 0}).size(), 2u);
  rows.select(PatchIndex(patches), {{0, 0}, {8, 5}}, {.axis = 1, .lane = 0}, bases);
  EXPECT_EQ(rows.row({0, 0}).size(), 2u);
  rows.select(PatchIndex(patches), {{0, 0}, {4, 5}}, {.axis = 1, .lane = 0}, bases);
  EXPECT_EQ(rows.row({0, 0}).size(), 1u);
  rows.select(patches[1], {.axis = 1}, bases);
  EXPECT_EQ(rows.row({0, 0}).size(), 0u);
  EXPECT_EQ(rows.row({5, 0}).size(), 1u);
}

}  // namespace
}  // namespace shardfft::testing
