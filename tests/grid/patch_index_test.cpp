// Patches that are found by their boxes, against a look at all of them.
#include "grid/patch_index.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

std::vector<Patch> patches_of(const std::vector<Box>& boxes) {
  std::vector<Patch> patches;
  for (const Box& box : boxes) patches.push_back({.box = box});
  return patches;
}

const Patch* found_one_by_one(const std::vector<Patch>& patches, const Box& box) {
  const auto found =
      std::find_if(patches.begin(), patches.end(), [&](const Patch& p) { return intersect(p.box, box) == box; });
  return found == patches.end() ? nullptr : &*found;
}

Box random_part(std::mt19937_64& random, const Box& box) {
  Box part = box;
  for (int a = 0; a < box.dims(); ++a) {
    part.lo[a] = pick(random, box.lo[a], box.hi[a] - 1);
    part.hi[a] = pick(random, part.lo[a] + 1, box.hi[a]);
  }
  return part;
}

TEST(PatchIndex, FindsThePatchThatHoldsABoxOrNoneWhateverTheLayout) {
  int held = 0, not_held = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const int ranks = static_cast<int>(pick(random, 1, 5));
    const Shape shape = small_shape(random, 4, 12);
    const Layout layout(random_layout(random, shape, ranks), shape, ranks);
    const std::vector<Patch> patches = patches_of(layout.boxes(static_cast<int>(pick(random, 0, ranks - 1))));
    const PatchIndex index(patches);
    for (int i = 0; i < 30; ++i) {
      const bool inside = !patches.empty() && i % 2 == 0;
      const Box box = random_part(
          random, inside
                      ? patches[static_cast<std::size_t>(pick(random, 0, static_cast<Index>(patches.size()) - 1))].box
                      : whole(shape));
      const Patch* expected = found_one_by_one(patches, box);
      ASSERT_EQ(index.holder(box), expected) << "seed " << seed << ", " << to_string(box) << " of " << to_string(shape);
      ++(expected ? held : not_held);
      std::vector<std::size_t> met;
      for (std::size_t p = 0; p < patches.size(); ++p)
        if (!intersect(patches[p].box, box).empty()) met.push_back(p);
      ASSERT_EQ(index.meeting(box), met) << "seed " << seed << ", " << to_string(box) << " of " << to_string(shape);
    }
  }
  EXPECT_GT(held, 3000);
  EXPECT_GT(not_held, 1000);
}

TEST(PatchIndex, FindsTheFirstOfSeveral) {
  std::vector<Box> boxes;
  for (Index i = 0; i < 100; ++i) boxes.push_back({{i / 2, 0}, {i / 2 + 3, 5}});
  const std::vector<Patch> patches = patches_of(boxes);
  const PatchIndex index(patches);
  for (Index i = 0; i < 50; ++i) {
    const Box box{{i, 1}, {i + 1, 3}};
    EXPECT_EQ(index.holder(box), found_one_by_one(patches, box)) << i;
  }
}

// Boxes that are compared, on average over all patches; one by one it would be half of the patches.
double looks_for_each(const std::vector<Box>& boxes) {
  const std::vector<Patch> patches = patches_of(boxes);
  const PatchIndex index(patches);
  Index looks = 0;
  for (const Patch& patch : patches) {
    EXPECT_EQ(index.holder(patch.box), &patch);
    Index met = 0;
    looks += std::max(index.looks(patch.box), index.for_meeting(patch.box, [&](std::size_t number) {
      met += &patches[number] == &patch ? 1 : 1000;
    }));
    EXPECT_EQ(met, 1);
  }
  return static_cast<double>(looks) / static_cast<double>(patches.size());
}

TEST(PatchIndex, LooksAtFewOfManyPatches) {
  for (const Index n : {1 << 10, 1 << 14}) {
    const Shape shape{2 * n, 3, 4};
    EXPECT_LE(looks_for_each(Layout(cyclic(0), shape, 2).boxes(1)), 4 * std::log2(n))
        << "planes cyclic over two ranks, " << n;
    std::vector<Box> bars;  // what two ranks with planes along different axes have in common
    const auto side = static_cast<Index>(std::sqrt(n));
    for (Index i = 0; i < side; ++i)
      for (Index k = 0; k < side; ++k) bars.push_back({{3 * i, 5 * k, 0}, {3 * i + 1, 5 * k + 1, 7}});
    EXPECT_LE(looks_for_each(bars), 4 * std::log2(n)) << "bars, " << n;
  }
}

}  // namespace
}  // namespace shardfft::testing
