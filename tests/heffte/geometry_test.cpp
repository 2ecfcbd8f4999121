// Boxes, and how worlds are cut.
#include "heffte/arrays.hpp"

namespace shardfft::testing {
namespace {

TEST(HeffteBoxes, HaveInclusiveCornersAndCountInSixtyFourBits) {
  const Box3 box({2, 0, 5}, {4, 0, 9}, {2, 0, 1});
  EXPECT_EQ(box.size, (std::array{3, 1, 5}));
  EXPECT_EQ(box.count(), 15);
  EXPECT_EQ(box.osize(0), 5);
  EXPECT_EQ(box.find_order(1), 2);
  EXPECT_TRUE(box.is2d());
  EXPECT_EQ(Box3({0, 0, 0}, {2999, 2999, 2999}).count(), 27'000'000'000);
}

TEST(HeffteBoxes, AreEmptyIfTheyEndBeforeTheyBegin) {
  const Box3 none({0, 0, 0}, {-1, -1, -1}), one({0, 0, 0}, {0, 0, 0});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.count(), 0);
  EXPECT_TRUE(none.collide(one).empty());
  EXPECT_TRUE(none.r2c(0).empty());
  EXPECT_EQ(one.count(), 1);
}

TEST(HeffteBoxes, OfHalfSpectraHaveHalfTheIndicesAndOneMore) {
  const Box3 box({0, 0, 0}, {6, 7, 0});
  EXPECT_EQ(box.r2c(0).size, (std::array{4, 8, 1}));
  EXPECT_EQ(box.r2c(1).size, (std::array{7, 5, 1}));
  EXPECT_EQ(box.r2c(2).size, (std::array{7, 8, 1}));
}

TEST(HeffteBoxes, OfTwoDimensionsHaveOneIndexOfTheThird) {
  const heffte::box2d<> box(std::array{1, 2}, std::array{3, 4}, std::array{1, 0});
  EXPECT_EQ(box.size, (std::array{3, 3, 1}));
  EXPECT_EQ(box.order, (std::array{1, 0, 2}));
}

TEST(HeffteWorlds, AreCutSoThatTheFirstPartsHaveTheRemainder) {
  const auto boxes = heffte::split_world(Box3({0, 0, 0}, {9, 3, 4}), {4, 1, 2});
  ASSERT_EQ(boxes.size(), 8U);
  const int sizes[] = {3, 3, 2, 2};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(boxes[i].size, (std::array{sizes[i % 4], 4, i < 4 ? 3 : 2})) << i;
  EXPECT_TRUE(heffte::world_complete(boxes, heffte::find_world(boxes)));
  EXPECT_EQ(heffte::find_world(boxes), Box3({0, 0, 0}, {9, 3, 4}));
}

TEST(HeffteWorlds, WithGapsOrOverlapsAreRefused) {
  auto boxes = heffte::split_world(Box3({0, 0, 0}, {9, 3, 4}), {2, 1, 1});
  const Box3 world = heffte::find_world(boxes);
  EXPECT_THROW(heffte::world_complete({boxes[0]}, world), std::invalid_argument);
  EXPECT_THROW(heffte::world_complete({boxes[0], boxes[1], boxes[1]}, world), std::invalid_argument);
}

TEST(HeffteGrids, HaveTheSmallestSurface) {
  EXPECT_EQ(heffte::make_procgrid(12), (std::array{3, 4}));
  EXPECT_EQ(heffte::make_procgrid(7), (std::array{1, 7}));
  EXPECT_EQ(heffte::proc_setup_min_surface(Box3({0, 0, 0}, {63, 63, 63}), 8), (std::array{2, 2, 2}));
  EXPECT_EQ(heffte::proc_setup_min_surface(Box3({0, 0, 0}, {99, 9, 9}), 4), (std::array{4, 1, 1}));
  EXPECT_EQ(heffte::proc_setup_min_surface(Box3({0, 0, 0}, {0, 0, 9}), 5), (std::array{1, 1, 5}));
  EXPECT_THROW(heffte::proc_setup_min_surface(Box3({0, 0, 0}, {0, 0, 3}), 5), std::invalid_argument);
}

TEST(HeffteGrids, ArePrintedOfInputAndOutput) {
  const Box3 world({0, 0, 0}, {9, 9, 9});
  const auto in = heffte::split_world(world, {1, 2, 3}), out = heffte::split_world(world, {6, 1, 1});
  const auto options = heffte::default_options<heffte::backend::stock>();
  const auto grids = heffte::compute_grids(heffte::plan_operations<int>({in, out}, -1, options, 0));
  ASSERT_EQ(grids.size(), 5U);
  EXPECT_EQ(grids.front(), (std::array{1, 2, 3}));
  EXPECT_EQ(grids.back(), (std::array{6, 1, 1}));
}

TEST(HeffteBoxesOfAllRanks, AreGatheredWithTheirOrders) {
  const int me = world_rank();
  const heffte::box3d<long long> in({me, 0, 0}, {me, 4, 5}, {2, 1, 0}), out({0, 0, 0}, {-1, -1, -1});
  const auto all = heffte::mpi::gather_boxes(in, out, MPI_COMM_WORLD);
  ASSERT_EQ(all.in.size(), static_cast<std::size_t>(world_size()));
  for (int r = 0; r < world_size(); ++r) {
    const auto& theirs = all.in[static_cast<std::size_t>(r)];
    EXPECT_EQ(theirs.low[0], r);
    EXPECT_EQ(theirs.high[2], 5);
    EXPECT_EQ(theirs.order, (Order{2, 1, 0}));
    EXPECT_TRUE(all.out[static_cast<std::size_t>(r)].empty());
  }
}

}  // namespace
}  // namespace shardfft::testing
