// Transforms of files in passes: tiles and cells, and which passes are chosen.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "passes/choose.hpp"

namespace shardfft::files {
namespace {

Pass cut(const Shape& shape, const Coord& parts) { return {.in = shape, .out = shape, .parts = parts}; }

TEST(Tiles, OfAPassCoverTheArrayOnceAndTheFirstIsTheLargest) {
  Pass grained = cut({7, 5, 9}, {3, 1, 3});
  grained.grain = {2, 1, 2};
  for (const Pass& pass : {cut({7, 5, 9}, {3, 1, 4}), grained}) {
    std::vector<int> seen(7 * 5 * 9);
    for (Index t = 0; t < pass.tiles(); ++t) {
      const Box tile = pass.tile_in(t);
      EXPECT_LE(tile.count(), pass.tile_in(0).count());
      EXPECT_GE(tile.count(), pass.tile_in(pass.tiles() - 1).count());
      for (Index i = tile.lo[0]; i < tile.hi[0]; ++i)
        for (Index j = tile.lo[1]; j < tile.hi[1]; ++j)
          for (Index k = tile.lo[2]; k < tile.hi[2]; ++k) ++seen[static_cast<std::size_t>((i * 5 + j) * 9 + k)];
    }
    EXPECT_EQ(std::ranges::count(seen, 1), 7 * 5 * 9);
  }
}

TEST(Cells, AreWholeInTilesOfBothPassesAndLieOneAfterTheOther) {
  std::mt19937 random(20261128);
  for (int repeat = 0; repeat < 50; ++repeat) {
    Shape shape{1, 1, 1};
    Coord before = shape, after = shape;
    for (int a = 0; a < 3; ++a) {
      shape[a] = 1 + static_cast<Index>(random() % 9);
      before[a] = 1 + static_cast<Index>(random()) % shape[a];
      after[a] = 1 + static_cast<Index>(random()) % shape[a];
    }
    const Cells cells(cut(shape, before), cut(shape, after));
    for (const Pass& pass : {cut(shape, before), cut(shape, after)}) {
      std::vector<Cells::Cell> all;
      for (Index t = 0; t < pass.tiles(); ++t) {
        Index elements = 0;
        for (const Cells::Cell& cell : cells.within(pass.tile_in(t))) {
          EXPECT_EQ(intersect(cell.box, pass.tile_in(t)), cell.box);
          elements += cell.box.count();
          all.push_back(cell);
        }
        EXPECT_EQ(elements, pass.tile_in(t).count());
      }
      EXPECT_EQ(static_cast<Index>(all.size()), cells.count());
      std::ranges::sort(all, {}, &Cells::Cell::start);
      Index end = 0;
      for (const Cells::Cell& cell : all) EXPECT_EQ(cell.start, std::exchange(end, cell.start + cell.box.count()));
      EXPECT_EQ(end, product(shape));
    }
  }
}

FileTransform transform_of(const Shape& shape, bool applies = false) {
  FileTransform asked = asked_of({.shape = shape, .precision = f32}, Direction::forward, applies);
  asked.order = {2, 1, 0};
  asked.file_order = {0, 1, 2};
  return asked;
}

TEST(ChosenPasses, AreTwoWithLongCallsWhereATileHoldsAPlane) {
  const FileTransform transform = transform_of({1024, 1024, 1024});  // 8 GiB
  const auto passes = choose_passes(transform, Index{768} << 20);    // three tiles of 256 MiB
  ASSERT_TRUE(passes);
  ASSERT_EQ(passes->size(), 2U);
  for (const Pass& pass : *passes) EXPECT_LE(ring_of(transform, pass).bytes(), Index{768} << 20);
  const Moved moved = moved_by(transform, *passes);
  EXPECT_EQ(moved.read, 2.0 * (Index{8} << 30));
  EXPECT_EQ(moved.written, 2.0 * (Index{8} << 30));
  EXPECT_LE(moved.calls, 32 * (1 + 2 * 32 + 1024));  // 32 tiles, 32^2 cells of 8 MiB, runs of 256 KiB in the result
}

TEST(ChosenPasses, CutTheResultAtPagesOfTheFile) {
  const FileTransform transform = transform_of({640, 640, 640});  // rows of 5 KiB
  const auto passes = choose_passes(transform, Index{256} << 20);
  ASSERT_TRUE(passes);
  const Pass& last = passes->back();
  ASSERT_EQ(last.axes, std::vector<int>{0});
  for (Index t = 0; t < last.tiles(); ++t) EXPECT_EQ(last.tile_out(t).lo[1] * 640 * 8 % 4096, 0);
  EXPECT_LE(ring_of(transform, last).bytes(), Index{256} << 20);
  EXPECT_EQ(choose_passes(transform_of({640, 641, 641}), Index{256} << 20)->back().grain.dims(), 0);
}

/// Whether tiles of the first pass begin where chunks do.
bool in_whole_chunks(const FileTransform& transform, Index bytes) {
  const auto passes = choose_passes(transform, bytes);
  EXPECT_TRUE(passes);
  for (const Pass& pass : *passes) EXPECT_LE(ring_of(transform, pass).bytes(), bytes);
  const Pass& first = passes->front();
  for (Index t = 0; t < first.tiles(); ++t)
    for (int a = 0; a < 3; ++a)
      if (first.tile_in(t).lo[a] % transform.chunks.extents[a] != 0) return false;
  return true;
}

TEST(ChosenPasses, ReadEachChunkOnceIfTheMemoryHoldsSome) {
  FileTransform transform = transform_of({500, 512, 512});  // 1 GiB
  for (const auto& [extents, bytes] : {std::pair<Shape, Index>{{64, 64, 64}, Index{64} << 20},
                                       {{64, 64, 64}, Index{512} << 20},
                                       {{1, 256, 256}, Index{32} << 20},
                                       {{48, 512, 7}, Index{512} << 20}}) {
    transform.chunks = {.extents = extents, .cost = 4};
    EXPECT_TRUE(in_whole_chunks(transform, bytes)) << to_string(extents);
  }
  transform.chunks = {.extents = {64, 64, 64}, .cost = 0.25};  // costs less than one more pass
  EXPECT_FALSE(in_whole_chunks(transform, Index{96} << 20));
  EXPECT_TRUE(in_whole_chunks(transform, Index{512} << 20));
  transform.chunks = {.extents = {500, 512, 512}, .cost = 4};  // which memory does not hold
  EXPECT_TRUE(choose_passes(transform, Index{64} << 20));
}

TEST(ChosenPasses, AreThreeWhereAPlaneIsMoreThanATile) {
  const FileTransform transform = transform_of({512, 512, 512});
  const auto passes = choose_passes(transform, Index{1} << 20);
  ASSERT_TRUE(passes);
  EXPECT_EQ(passes->size(), 3U);
  EXPECT_FALSE(choose_passes(transform, Index{32} << 10));  // 8 pencils are more
}

TEST(ChosenPasses, AreThreeWithAnOperatorAndTheOneInTheMiddleGoesForwardAndBack) {
  const FileTransform transform = transform_of({1024, 1024, 1024}, true);
  const auto passes = choose_passes(transform, Index{768} << 20);
  ASSERT_TRUE(passes);
  ASSERT_EQ(passes->size(), 3U);
  EXPECT_EQ((*passes)[0].work, Work::forward);
  EXPECT_EQ((*passes)[0].axes, (std::vector<int>{2, 1}));
  EXPECT_EQ((*passes)[1].work, Work::apply);
  EXPECT_EQ((*passes)[1].axes, std::vector<int>{0});
  EXPECT_EQ((*passes)[2].work, Work::backward);
  EXPECT_EQ((*passes)[2].axes, (std::vector<int>{1, 2}));
  EXPECT_EQ(moved_by(transform, *passes).read, 3.0 * (Index{8} << 30));
}

}  // namespace
}  // namespace shardfft::files
