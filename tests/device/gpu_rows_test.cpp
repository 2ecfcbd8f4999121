// Copies of rows as the few calls that vendors have for them.
#include "device/gpu/rows.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace shardfft {
namespace {

using Bytes = std::vector<std::byte>;
constexpr Index no_limit = Index{1} << 31;

// What a vendor's call does, and what it asks of its arguments.
void run(const RowsCall& call, Index most_step) {
  ASSERT_GE(call.to_plane_rows, call.rows);
  ASSERT_GE(call.from_plane_rows, call.rows);
  if (call.planes * call.rows > 1) {
    ASSERT_LE(std::max(call.to_row_step, call.from_row_step), most_step);
    ASSERT_GE(std::min(call.to_row_step, call.from_row_step), static_cast<Index>(call.row_bytes));
  }
  for (Index plane = 0; plane < call.planes; ++plane)
    for (Index row = 0; row < call.rows; ++row)
      std::memcpy(call.to + (plane * call.to_plane_rows + row) * call.to_row_step,
                  call.from + (plane * call.from_plane_rows + row) * call.from_row_step, call.row_bytes);
}

// The definition in moves.hpp.
void copy_plainly(const RowsCopy& copy) {
  for (Index plane = 0; plane < copy.planes; ++plane)
    for (Index row = 0; row < copy.rows; ++row)
      std::memcpy(copy.to + plane * copy.to_plane_step + row * copy.to_row_step,
                  copy.from + plane * copy.from_plane_step + row * copy.from_row_step, copy.row_bytes);
}

// Steps of one end, without overlap: rows inside planes or planes inside rows, with gaps of all kinds.
void draw_steps(const RowsCopy& copy, Index& plane_step, Index& row_step, std::mt19937& random) {
  const auto gap = [&] { return std::uniform_int_distribution<Index>(0, 2)(random) * 4; };
  const Index row_bytes = static_cast<Index>(copy.row_bytes);
  const bool whole = random() % 2;  // planes at a whole number of rows
  if (random() % 2) {
    row_step = row_bytes + gap();
    plane_step = row_step * (copy.rows + (whole ? gap() / 4 : 0)) + (whole ? 0 : gap());
  } else {
    plane_step = row_bytes + gap();
    row_step = plane_step * (copy.planes + (whole ? gap() / 4 : 0)) + (whole ? 0 : gap());
  }
}

Bytes numbered(std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::byte>(i * 37 + i / 251);
  return result;
}

TEST(RowsOfAGpu, AnySetOfRowsBecomesCallsThatCopyTheSameBytesWithinTheVendorsLimits) {
  constexpr unsigned seed = 41;
  SCOPED_TRACE(::testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    RowsCopy copy{.row_bytes = 4 * (1 + random() % 5), .planes = Index(random() % 5), .rows = Index(random() % 5)};
    draw_steps(copy, copy.to_plane_step, copy.to_row_step, random);
    draw_steps(copy, copy.from_plane_step, copy.from_row_step, random);
    Bytes source = numbered(4096), expected(4096), got(4096);
    copy.from = source.data();
    copy.to = expected.data();
    copy_plainly(copy);
    copy.to = got.data();
    const Index most_step = round % 2 ? no_limit : 40;
    for (const RowsCall& call : calls_of(copy, most_step)) run(call, most_step);
    ASSERT_EQ(got, expected) << copy.planes << " planes of " << copy.rows << " rows of " << copy.row_bytes
                             << " bytes, to " << copy.to_plane_step << ", " << copy.to_row_step << ", from "
                             << copy.from_plane_step << ", " << copy.from_row_step;
  }
}

TEST(RowsOfAGpu, WhatLiesWithoutGapsIsOneCopyAndABoxIsOneCall) {
  const Bytes source = numbered(4096);
  Bytes target(4096);
  const RowsCopy flat{.to = target.data(),
                      .from = source.data(),
                      .row_bytes = 16,
                      .planes = 4,
                      .rows = 3,
                      .to_plane_step = 48,
                      .to_row_step = 16,
                      .from_plane_step = 48,
                      .from_row_step = 16};
  ASSERT_EQ(calls_of(flat, no_limit).size(), 1u);
  EXPECT_EQ(calls_of(flat, no_limit)[0].row_bytes, 4u * 3 * 16);
  RowsCopy box = flat;
  box.from_row_step = 32;
  box.from_plane_step = 32 * 5;
  ASSERT_EQ(calls_of(box, no_limit).size(), 1u);
  EXPECT_EQ(calls_of(box, no_limit)[0].planes, 4);
  std::swap(box.planes, box.rows);  // planes inside rows are the same box
  std::swap(box.to_plane_step, box.to_row_step);
  std::swap(box.from_plane_step, box.from_row_step);
  EXPECT_EQ(calls_of(box, no_limit).size(), 1u);
  EXPECT_TRUE(calls_of({.row_bytes = 16, .planes = 0}, no_limit).empty());
}

TEST(RowsOfAGpu, PlanesAtNoWholeNumberOfRowsTakeACallEachAlongTheShorterAxis) {
  const Bytes source = numbered(4096);
  Bytes target(4096);
  const RowsCopy copy{.to = target.data(),
                      .from = source.data(),
                      .row_bytes = 16,
                      .planes = 2,
                      .rows = 7,
                      .to_plane_step = 7 * 16,
                      .to_row_step = 16,
                      .from_plane_step = 7 * 20 + 4,
                      .from_row_step = 20};
  EXPECT_EQ(calls_of(copy, no_limit).size(), 2u);
}

}  // namespace
}  // namespace shardfft
