// One axis as two: every element keeps its owner and its place in memory.
#include "grid/axis_split.hpp"

#include <gtest/gtest.h>

#include "grid/rules/box_rule.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

// By the formulas in axis_split.hpp.
Coord halved(const AxisSplit& s, Digits digits, const Coord& at) {
  Coord result = Coord::filled(at.dims() + 1, 0);
  for (int a = 0; a < at.dims(); ++a) result[a <= s.axis ? a : a + 1] = at[a];
  const Index i = at[s.axis];
  result[s.axis] = digits == Digits::before ? i / s.fast : i % s.slow;
  result[s.axis + 1] = digits == Digits::before ? i % s.fast : i / s.slow;
  return result;
}

// Index in the swept array whose halves are these: counted by owners if the layout deals the axis.
Coord counted(const AxisSplit& s, Digits digits, const Shape& swept, const Coord& owners, Coord halves) {
  const Coord round_robin = owners_of(s, digits, owners);
  for (const int a : {s.axis, s.axis + 1}) halves[a] = CyclicMap{swept[a], round_robin[a]}.counted(halves[a]);
  return halves;
}

struct Scene {
  AxisSplit s{};
  Shape shape{};
  explicit Scene(std::mt19937_64& random) : shape(small_shape(random, 3, 5)) {
    s = {.axis = static_cast<int>(pick(random, 0, shape.dims() - 1)),
         .slow = pick(random, 1, 5),
         .fast = pick(random, 1, 5)};
    shape[s.axis] = s.length();
  }
};

// What each rank counts, and the most of all, beside the owners of all elements.
void expect_counts(const Layout& parts, const std::vector<int>& owners) {
  Index most = 0;
  for (int rank = 0; rank < parts.ranks(); ++rank) {
    const Index count = std::ranges::count(owners, rank);
    EXPECT_EQ(parts.count(rank), count) << "rank " << rank << " of " << to_string(parts.spec());
    most = std::max(most, count);
  }
  if (parts.spec().rule) { EXPECT_EQ(parts.spec().rule->most(), most) << to_string(parts.spec()); }
}

// Whether a process grid that cuts rows gives each rank its boxes, by looking at all of them.
bool is_cut_of_rows(const AxisSplit& s, Digits digits, const Layout& layout, const Layout& parts) {
  Coord grid = Coord::filled(parts.global().dims(), 1);
  for (int a = 0; a < layout.global().dims(); ++a)
    grid[a == s.axis && digits != Digits::before ? a + 1 : s.inner(a)] = layout.grid()[a];
  const Layout alike(process_grid(grid), parts.global(), parts.ranks());
  for (int rank = 0; rank < parts.ranks(); ++rank)
    if (alike.boxes(rank) != parts.boxes(rank)) return false;
  return true;
}

TEST(AxisSplit, GivesEveryElementToItsOwner) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 40; ++i) {
    const Scene scene(random);
    const int ranks = static_cast<int>(pick(random, 1, 7));
    for (const LayoutSpec& spec : layouts_of_every_kind(random, scene.shape, ranks))
      for (const Digits digits : {Digits::before, Digits::after}) {
        const Layout layout(spec, scene.shape, ranks), parts = split(scene.s, digits, layout);
        const std::vector<int> expected = owner_of_each(layout), got = owner_of_each(parts);
        const testing::Whole old{layout.global(), {}}, frame{parts.global(), {}};
        ASSERT_EQ(expected.size(), got.size());
        expect_counts(parts, got);
        if (spec.kind != LayoutSpec::Kind::boxes && spec.kind != LayoutSpec::Kind::cyclic && layout.block() == 0) {
          EXPECT_EQ(parts.spec().rule == nullptr, is_cut_of_rows(scene.s, digits, layout, parts))
              << to_string(parts.spec());
        }
        for_each(whole(scene.shape), [&](const Coord& at) {
          const Coord there = counted(scene.s, digits, parts.global(), owners_of(layout), halved(scene.s, digits, at));
          ASSERT_EQ(got[static_cast<std::size_t>(frame.position(there))],
                    expected[static_cast<std::size_t>(old.position(at))])
              << to_string(at) << " of " << to_string(spec);
        });
      }
  }
}

TEST(AxisSplit, LeavesEveryElementWhereItIsInMemory) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i) {
    const Scene scene(random);
    Box box = whole(scene.shape);
    Coord strides = Coord::filled(scene.shape.dims(), 0);
    for (int a = 0; a < box.dims(); ++a) {
      box.lo[a] = pick(random, 0, box.hi[a] - 1);
      box.hi[a] = pick(random, box.lo[a] + 1, box.hi[a]);
      strides[a] = pick(random, 1, 1000);
    }
    const Patch patch{.box = box, .base = Base::output, .offset = 77, .strides = strides};
    const auto place = [](const Patch& p, const Coord& at) {
      Index offset = p.offset;
      for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
      return offset;
    };
    for (const Digits digits : {Digits::before, Digits::after}) {
      const std::vector<Patch> parts = split(scene.s, digits, std::vector<Patch>{patch}, 1, false);
      EXPECT_LE(parts.size(), 3u);
      Index count = 0;
      for (const Patch& part : parts) {
        EXPECT_EQ(part.base, Base::output);
        count += part.box.count();
      }
      EXPECT_EQ(count, box.count());
      for_each(box, [&](const Coord& at) {
        const Coord there = halved(scene.s, digits, at);
        int found = 0;
        for (const Patch& part : parts)
          if (part.box.contains(there)) {
            ++found;
            EXPECT_EQ(place(part, there), place(patch, at)) << to_string(at);
          }
        EXPECT_EQ(found, 1);
      });
    }
  }
}

// What is computed for element k of a hermitian axis: the places that it lies at, conjugated or not. By looking at all
// of them.
struct Computed {
  Coord at{};
  bool conjugated = false;
};
std::vector<Computed> computed_for(const AxisSplit& s, const Coord& at) {
  std::vector<Computed> all;
  const Index n = s.length(), k = at[s.axis];
  for (Index k_slow = 0; k_slow <= s.slow / 2; ++k_slow)
    for (Index k_fast = 0; k_fast < s.fast; ++k_fast) {
      const Index computed = k_fast * s.slow + k_slow;
      if (computed != k && n - computed != k) continue;
      Coord there = halved(s, Digits::after, at);
      there[s.axis] = k_slow, there[s.axis + 1] = k_fast;
      all.push_back({there, computed != k});
    }
  return all;
}

struct FoldedScene : Scene {
  Shape spectrum{};
  explicit FoldedScene(std::mt19937_64& random) : Scene(random), spectrum(shape) {
    spectrum[s.axis] = shape[s.axis] / 2 + 1;
  }
};

TEST(AxisSplit, GivesAllThatIsComputedForAnElementOfAFoldedAxisToItsOwner) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) {
    const FoldedScene scene(random);
    const int ranks = static_cast<int>(pick(random, 1, 7));
    for (const LayoutSpec& spec : layouts_of_every_kind(random, scene.spectrum, ranks)) {
      const Layout layout(spec, scene.spectrum, ranks), parts = split(scene.s, Digits::hermitian, layout);
      ASSERT_EQ(parts.global(), split(scene.s, Digits::hermitian, scene.spectrum));
      const std::vector<int> owners = owner_of_each(layout), got = owner_of_each(parts);
      EXPECT_TRUE(std::none_of(got.begin(), got.end(), [](int owner) { return owner < 0; }))
          << "nobody, or two, own what is computed";
      expect_counts(parts, got);
      const Whole frame{parts.global(), {}};
      Index seen = 0;
      for_each(whole(scene.spectrum), [&](const Coord& at) {
        for (const Computed& c : computed_for(scene.s, at)) {
          ++seen;
          ASSERT_EQ(got[static_cast<std::size_t>(
                        frame.position(counted(scene.s, Digits::hermitian, parts.global(), owners_of(layout), c.at)))],
                    owners[static_cast<std::size_t>(Whole{scene.spectrum, {}}.position(at))])
              << to_string(at) << " of " << to_string(spec) << ", " << scene.s.slow << " x " << scene.s.fast;
        }
      });
      EXPECT_EQ(seen, product(parts.global()));
    }
  }
}

TEST(AxisSplit, StoresEachElementOfAFoldedAxisOnceAndReadsAllThatIsComputedFromIt) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    const FoldedScene scene(random);
    Box box = whole(scene.spectrum);
    Coord strides = Coord::filled(box.dims(), 0);
    for (int a = 0; a < box.dims(); ++a) {
      box.lo[a] = pick(random, 0, box.hi[a] - 1);
      box.hi[a] = pick(random, box.lo[a] + 1, box.hi[a]);
      strides[a] = pick(random, 1, 1000);
    }
    const Patch patch{.box = box, .base = Base::input, .offset = 77, .strides = strides};
    const auto place = [](const Patch& p, const Coord& at) {
      Index offset = p.offset;
      for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
      return offset;
    };
    for (const bool reads : {false, true}) {
      const std::vector<Patch> parts = split(scene.s, Digits::hermitian, std::vector<Patch>{patch}, 1, reads);
      Index count = 0, expected = 0;
      for (const Patch& part : parts) count += part.box.count();
      for_each(box, [&](const Coord& at) {
        const std::vector<Computed> all = computed_for(scene.s, at);
        int found = 0;
        for (const Computed& c : all)
          for (const Patch& part : parts)
            if (part.box.contains(c.at)) {
              ++found;
              EXPECT_EQ(part.conjugated, c.conjugated);
              EXPECT_EQ(place(part, c.at), place(patch, at)) << to_string(at);
            }
        EXPECT_EQ(found, reads ? static_cast<int>(all.size()) : 1)
            << to_string(at) << ", " << scene.s.slow << " x " << scene.s.fast;
        expected += found;
      });
      EXPECT_EQ(count, expected);
    }
  }
}

Index place(const Patch& p, const Coord& at) {
  Index offset = p.offset;
  for (int a = 0; a < at.dims(); ++a) offset += (at[a] - p.box.lo[a]) * p.strides[a];
  return offset;
}

// A part of one owner of the split axis, as it is counted, and the other axes as they are.
Patch random_patch_of_an_owner(std::mt19937_64& random, const Shape& shape, int axis, Index owners) {
  Patch patch{.box = whole(shape), .base = Base::output, .offset = 5000, .strides = Coord::filled(shape.dims(), 0)};
  const IndexRange owner =
      CyclicMap{shape[axis], owners}.part(pick(random, 0, std::min(owners, shape[axis]) - 1), {0, shape[axis]});
  patch.box.lo[axis] = owner.lo, patch.box.hi[axis] = owner.hi;
  for (int a = 0; a < shape.dims(); ++a) {
    patch.box.lo[a] = pick(random, patch.box.lo[a], patch.box.hi[a] - 1);
    patch.box.hi[a] = pick(random, patch.box.lo[a] + 1, patch.box.hi[a]);
    patch.strides[a] = pick(random, 1, 1000);
  }
  return patch;
}

TEST(AxisSplit, LeavesEveryElementOfACyclicAxisWhereItIsInMemory) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 600; ++i) {
    const FoldedScene scene(random);
    for (const Digits digits : {Digits::before, Digits::after, Digits::hermitian}) {
      const Shape& shape = digits == Digits::hermitian ? scene.spectrum : scene.shape;
      Coord owners = Coord::filled(shape.dims(), 1);
      owners[scene.s.axis] = pick(random, 2, 7);
      const CyclicMap map{shape[scene.s.axis], owners[scene.s.axis]};
      const Patch patch = random_patch_of_an_owner(random, shape, scene.s.axis, map.owners);
      const std::vector<Patch> parts = split(scene.s, digits, std::vector<Patch>{patch}, map.owners, true);
      for_each(patch.box, [&](const Coord& at) {
        Coord index = at;
        index[scene.s.axis] = map.index(at[scene.s.axis]);
        const auto all = digits == Digits::hermitian ? computed_for(scene.s, index)
                                                     : std::vector<Computed>{{halved(scene.s, digits, index)}};
        for (const Computed& c : all) {
          const Coord there = counted(scene.s, digits, split(scene.s, digits, shape), owners, c.at);
          int found = 0;
          for (const Patch& part : parts)
            if (part.box.contains(there)) {
              ++found;
              EXPECT_EQ(part.conjugated, c.conjugated);
              ASSERT_EQ(place(part, there), place(patch, at)) << to_string(index) << " of " << scene.s.slow << " x "
                                                              << scene.s.fast << ", " << map.owners << " owners";
            }
          ASSERT_EQ(found, 1) << to_string(index) << " of " << scene.s.slow << " x " << scene.s.fast << ", "
                              << map.owners << " owners";
        }
      });
    }
  }
}

TEST(AxisSplit, LeavesAHalfWholeOnEveryRankWhereTheRanksDivideARowOfACyclicAxis) {
  const AxisSplit s{.axis = 1, .slow = 8, .fast = 12};
  const Layout round_robin(cyclic(1), Shape{5, 96, 6}, 4);
  EXPECT_EQ(split(s, Digits::before, round_robin).grid(), (Coord{1, 1, 4, 1}));
  EXPECT_EQ(split(s, Digits::after, round_robin).grid(), (Coord{1, 4, 1, 1}));
  const Layout uneven = split(s, Digits::after, Layout(cyclic(1), Shape{5, 96, 6}, 3));
  EXPECT_EQ(uneven.boxes(2).size(), 3u) << "three owners of the 12 rows of 8";
}

TEST(AxisSplit, KeepsAProcessGridWhereItsCutsFallBetweenRows) {
  const AxisSplit s{.axis = 1, .slow = 8, .fast = 3};
  const Layout cut(slabs(1), Shape{5, 24, 6}, 4);
  EXPECT_EQ(split(s, Digits::before, cut).grid(), (Coord{1, 4, 1, 1}));
  EXPECT_EQ(split(s, Digits::before, Layout(slabs(0), Shape{5, 24, 6}, 4)).grid(), (Coord{4, 1, 1, 1}));
  EXPECT_EQ(split(s, Digits::after, Layout(slabs(1), Shape{5, 24, 6}, 3)).grid(), (Coord{1, 1, 3, 1}));
  EXPECT_EQ(split(s, Digits::after, cut).spec().kind, LayoutSpec::Kind::boxes) << "24 / 4 = 6 is no multiple of 8";
  const Layout hermitian = split(s, Digits::hermitian, Layout(slabs(0), Shape{5, 13, 6}, 4));
  EXPECT_EQ(hermitian.grid(), (Coord{4, 1, 1, 1})) << "nobody shares the axis";
  EXPECT_EQ(hermitian.global(), (Shape{5, 5, 3, 6}));
}

TEST(AxisSplit, GivesTheRestOfTheLastRowToTheOwnerOfTheLastElement) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 40; ++i) {
    Scene scene(random);
    const Index rest = pick(random, 0, scene.s.fast - 1);
    scene.shape[scene.s.axis] -= rest;
    const int ranks = static_cast<int>(pick(random, 1, 7));
    for (const LayoutSpec& spec : {slabs(scene.s.axis), slabs(0), pencils(0)}) {
      const Layout layout(spec, scene.shape, ranks), parts = split(scene.s, Digits::before, layout);
      const std::vector<int> expected = owner_of_each(layout), got = owner_of_each(parts);
      const testing::Whole old{layout.global(), {}}, frame{parts.global(), {}};
      expect_counts(parts, got);
      for_each(whole(parts.global()), [&](const Coord& there) {
        Coord at = Coord::filled(scene.shape.dims(), 0);
        for (int a = 0; a < at.dims(); ++a) at[a] = there[scene.s.inner(a)];
        at[scene.s.axis] =
            std::min(there[scene.s.axis] * scene.s.fast + there[scene.s.axis + 1], scene.shape[scene.s.axis] - 1);
        ASSERT_EQ(got[static_cast<std::size_t>(frame.position(there))],
                  expected[static_cast<std::size_t>(old.position(at))])
            << to_string(there) << " of " << to_string(scene.shape);
      });
    }
  }
}

TEST(AxisSplit, BalancesFactors) {
  EXPECT_EQ(balanced_split(2, 1 << 20, 8), (AxisSplit{.axis = 2, .slow = 1024, .fast = 1024}));
  EXPECT_EQ(balanced_split(0, 1 << 15, 8), (AxisSplit{.axis = 0, .slow = 256, .fast = 128}));
  EXPECT_EQ(balanced_split(0, 1000, 8), (AxisSplit{.axis = 0, .slow = 40, .fast = 25}));
  EXPECT_FALSE(balanced_split(0, 65537, 2)) << "a prime";
  EXPECT_FALSE(balanced_split(0, 2 * 65537, 8));
  EXPECT_TRUE(balanced_split(0, 2 * 65537, 2));
  EXPECT_EQ(balanced_split(0, 30, 2, true), (AxisSplit{.axis = 0, .slow = 6, .fast = 5}));
  EXPECT_EQ(balanced_split(0, 42, 2, false), (AxisSplit{.axis = 0, .slow = 7, .fast = 6}));
  EXPECT_EQ(balanced_split(0, 42, 2, true), (AxisSplit{.axis = 0, .slow = 14, .fast = 3})) << "the slow half is even";
  EXPECT_EQ(balanced_split(0, 105, 2, true), (AxisSplit{.axis = 0, .slow = 15, .fast = 7})) << "no factor is even";
}

}  // namespace
}  // namespace shardfft::testing
