// The table of boxes as pure index arithmetic: sizes that no memory has.
#include "device/kernels/move_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "device/random_boxes.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

TEST(Divisors, DivideAsTheProcessorDoes) {
  Random random(5);
  std::vector<std::uint32_t> numbers = {
      1,          2,         3, 4, 5, 7, 8, 9, 100, 255, 256, 257, 65535, 65536, 65537, 1u << 30, (1u << 30) + 1,
      0x7ffffffe, 0x7fffffff};
  for (int i = 0; i < 3000; ++i)
    numbers.push_back(static_cast<std::uint32_t>(between(random, 1, (Index{1} << between(random, 1, 31)) - 1)));
  for (const std::uint32_t d : numbers) {
    const Divisor by(d);
    for (std::size_t i = 0; i < numbers.size(); i += 17) {
      const std::uint32_t q = numbers[i] / d;
      for (const std::uint64_t n :
           {std::uint64_t{numbers[i]}, std::uint64_t{q} * d, std::uint64_t{q} * d + d - 1, std::uint64_t{0x7fffffff}})
        ASSERT_EQ(by(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 0x7fffffff))),
                  std::min<std::uint64_t>(n, 0x7fffffff) / d)
            << n << " / " << d;
    }
    ASSERT_EQ(by(0), 0u);
  }
}

/// Elements of all parts of a box, counted.
Index elements_of_parts(const PreparedMove& box, Index element_bytes, Index block) {
  const MovePart part = part_of(box, block);
  return (part.row_end - part.row_begin) / (box.way == MoveWay::rows ? element_bytes : 1) *
         (part.column_end - part.column_begin) * part.outers;
}

TEST(MoveTables, CutBoxesOfMoreThanTwoToThe31RowsAndFindEveryOneOfThem) {
  const MoveSpec spec{.scalar = Scalar::f32, .complex = true};
  const Index n = Index{1} << 17, far = Index{1} << 40;
  const BoxMove box{.axes = 3, .extent = {3 * n, n, 2}, .from_step = {far, 512, 8}, .to_step = {n * 64, 64, 8}};
  const MoveTable table = make_move_table(spec, std::vector{box});
  EXPECT_EQ(table.bytes, 3 * n * n * 2 * 8);
  Index outer = 0, last_from = 0, last_to = 0;
  for (const PreparedMove& p : table.boxes) {
    EXPECT_LT(p.outer, PreparedMove::most_outer);
    const MoveOffsets first = outer_offsets(p, 0), last = outer_offsets(p, static_cast<std::uint32_t>(p.outer - 1));
    EXPECT_EQ(first.from, 0);
    last_from = std::max(last_from, p.from + last.from), last_to = std::max(last_to, p.to + last.to);
    outer += p.outer;
  }
  EXPECT_EQ(outer, 3 * n * n);
  EXPECT_EQ(last_from, (3 * n - 1) * far + (n - 1) * 512);
  EXPECT_EQ(last_to, (3 * n * n - 1) * 64);
}

TEST(MoveTables, MoveOneRunOfManyGigabytesInLargeBlocksWithoutGaps) {
  const MoveSpec spec{.scalar = Scalar::f64, .complex = true};
  const Index n = (Index{1} << 34) + 12345;
  const MoveTable table =
      make_move_table(spec, std::vector{BoxMove{.axes = 1, .extent = {n}, .from_step = {16}, .to_step = {16}}});
  ASSERT_EQ(table.boxes.size(), 1u);
  const PreparedMove& p = table.boxes[0];
  EXPECT_EQ(p.access, 16);
  EXPECT_EQ(p.blocks(), (n * 16 + 65535) / 65536);
  for (const Index block : {Index{0}, Index{1}, p.blocks() / 2, p.blocks() - 2})
    EXPECT_EQ(part_of(p, block).row_end, part_of(p, block + 1).row_begin);
  EXPECT_EQ(part_of(p, p.blocks() - 1).row_end, n * 16);
}

TEST(MoveTables, TransposeMatricesOfMoreThanTwoToThe31ElementsInTilesThatCoverThem) {
  const MoveSpec spec{.scalar = Scalar::f32, .complex = false};
  const Index rows = 100003, columns = 70001;
  const MoveTable table = make_move_table(
      spec, std::vector{BoxMove{
                .axes = 2, .extent = {rows, columns}, .from_step = {4, 4 * rows}, .to_step = {4 * columns, 4}}});
  ASSERT_EQ(table.boxes.size(), 1u);
  const PreparedMove& p = table.boxes[0];
  EXPECT_EQ(p.way, MoveWay::tiles);
  Index elements = 0;
  for (Index block = 0; block < p.blocks(); ++block) elements += elements_of_parts(p, 4, block);
  EXPECT_EQ(elements, rows * columns);
  EXPECT_EQ(part_of(p, p.blocks() - 1).row_end, columns);
  EXPECT_EQ(part_of(p, p.blocks() - 1).column_end, rows);
}

TEST(MoveTables, CoverEveryElementOfRandomBoxesOnceAndFindTheBoxOfEveryBlock) {
  constexpr std::uint64_t seed = 31;
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    const MoveSpec spec{.scalar = random() % 2 ? Scalar::f32 : Scalar::f64, .complex = random() % 2 == 0};
    std::vector<BoxMove> boxes;
    Index from = 0, to = 0, elements = 0;
    for (Index b = between(random, 0, 6); b > 0; --b) boxes.push_back(random_box(random, spec, 20000, from, to));
    const MoveTable table = make_move_table(spec, boxes, between(random, 2, 1000));
    for (Index block = 0; block < table.blocks(); ++block) {
      const Index box = box_of_block(table.first_block.data(), static_cast<Index>(table.boxes.size()), block);
      ASSERT_LE(table.first_block[static_cast<std::size_t>(box)], block);
      ASSERT_GT(table.first_block[static_cast<std::size_t>(box + 1)], block);
      elements += elements_of_parts(table.boxes[static_cast<std::size_t>(box)], spec.element_bytes(),
                                    block - table.first_block[static_cast<std::size_t>(box)]);
    }
    EXPECT_EQ(elements * spec.element_bytes(), table.bytes);
    if (HasFailure()) return;
  }
}

TEST(MoveTables, AccessSixteenBytesWhereStepsAndRowsAllowIt) {
  const MoveSpec spec{.scalar = Scalar::f32, .complex = true};
  const auto access = [&](Index extent, Index from_step, Index to_step) {
    return static_cast<int>(
        make_move_table(spec,
                        std::vector{BoxMove{
                            .axes = 2, .extent = {5, extent}, .from_step = {from_step, 8}, .to_step = {to_step, 8}}})
            .boxes.at(0)
            .access);
  };
  EXPECT_EQ(access(6, 96, 128), 16);
  EXPECT_EQ(access(7, 96, 128), 8);
  EXPECT_EQ(access(6, 104, 128), 8);
  EXPECT_EQ(access(6, 100, 128), 4);
}

TEST(MoveTables, RefuseWhatNoKernelCanMove) {
  const MoveSpec spec{.scalar = Scalar::f64};
  const auto refusal = [](const MoveSpec& s, const BoxMove& box) {
    return thrown([&] { (void)make_move_table(s, std::vector{box}); });
  };
  EXPECT_EQ(refusal(spec, {.axes = 9}), "invalid_argument: a box that moves has 0 to 8 axes, got 9");
  EXPECT_EQ(refusal(spec, {.axes = 1, .extent = {0}}),
            "invalid_argument: extents of a box that moves are at least 1, got 0 along axis 0; leave such boxes out");
  EXPECT_EQ(refusal(spec, {.axes = 1, .from = 4, .extent = {2}, .from_step = {8}, .to_step = {8}}),
            "invalid_argument: offsets and steps of a box that moves are multiples of its scalars' 8 bytes; got one "
            "that is not");
  EXPECT_EQ(refusal({.scalar = Scalar::f64, .complex = false}, {.conjugates = true}),
            "invalid_argument: elements of a box that arrive as their conjugates are complex; got real ones");
  EXPECT_EQ(refusal({.scalar = Scalar::f64, .complex = false, .twiddles = TileTwiddles{}}, {}),
            "invalid_argument: elements of a box that are multiplied by twiddle factors are complex; got real ones");
  EXPECT_EQ(refusal({.scalar = Scalar::f64, .twiddles = TileTwiddles{.at = 8}}, {}),
            "invalid_argument: elements that are multiplied by twiddle factors arrive at multiples of their 16 bytes "
            "from where their tile begins; got another place");
}

}  // namespace
}  // namespace shardfft::testing
