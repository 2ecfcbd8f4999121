// Tests at which byte of their cache lines rows begin, against the addresses themselves.
#include "sweep/host/row_starts.hpp"

#include <gtest/gtest.h>

namespace shardfft::testing {
namespace {

constexpr Index line = 64;
const Walk columns{.axis = 0, .lane = 2};

// Planes of 32 rows of `row` complex numbers, 8 of them, `begin` bytes after the start of a line.
struct Planes {
  Box box;
  Patch patch;
  Bases bases;

  Planes(Index row, Index begin, Base base)
      : box{{2, 3, 5}, {10, 35, 5 + row}}, patch{.box = box, .base = base, .strides = {32 * 16 * row, 16 * row, 16}} {
    bases.output = reinterpret_cast<std::byte*>((1 << 20) + begin);
    patch.address = base == Base::fixed ? bases.output : nullptr;
  }
};

}  // namespace

TEST(RowStarts, SayHowManyPencilsOfTheLineLieAheadOfEachRow) {
  for (const Index row : {128, 129, 130, 131})
    for (const Index begin : {0, 16, 32, 48}) {
      const Planes p(row, begin, Base::output);
      const RowStarts starts(p.box, columns, 8, p.patch, 16);
      EXPECT_EQ(starts.most(), 3) << "the caller's memory may begin anywhere";
      for (Index r = 0; r < 32; ++r)
        EXPECT_EQ(starts.of(r, p.box, columns, p.bases), (begin + r * row * 16) % line / 16)
            << row << " " << begin << " " << r;
    }
}

TEST(RowStarts, CostNothingWhereTheyAreKnownToBeAligned) {
  EXPECT_EQ(RowStarts(Planes(128, 0, Base::fixed).box, columns, 8, Planes(128, 0, Base::fixed).patch, 16).most(), 0);
  EXPECT_EQ(RowStarts(Planes(128, 16, Base::fixed).box, columns, 8, Planes(128, 16, Base::fixed).patch, 16).most(), 3);
  EXPECT_EQ(RowStarts(Planes(129, 0, Base::fixed).box, columns, 8, Planes(129, 0, Base::fixed).patch, 16).most(), 3);
}

TEST(RowStarts, AreLeftAloneWhereNoWholeLinesCouldBeWritten) {
  const Planes p(129, 0, Base::output);
  Patch odd = p.patch;
  odd.strides[0] += 16;
  EXPECT_EQ(RowStarts(p.box, columns, 8, odd, 16).most(), 0) << "the elements of one pencil begin differently";
  EXPECT_EQ(RowStarts(p.box, columns, 3, p.patch, 16).most(), 0) << "three pencils are no whole lines";
  EXPECT_EQ(RowStarts(p.box, {.axis = 0, .lane = 1}, 8, p.patch, 16).most(), 0)
      << "pencils do not lie next to each other";
  EXPECT_EQ(RowStarts(p.box, {.axis = 0, .lane = 2, .across = true}, 8, p.patch, 16).most(), 0)
      << "tiles go on in the next row";
  const Planes between(129, 8, Base::output);
  EXPECT_EQ(RowStarts(between.box, columns, 8, between.patch, 16).of(1, between.box, columns, between.bases), 0)
      << "no element begins where a line does";
}

}  // namespace shardfft::testing
