// Rows stored in whole lines against the same elements one by one; nothing around them may change.
#include "sweep/host/whole_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "engine/pencils.hpp"
#include "engine/targets.hpp"
#include "support/problems/between.hpp"

namespace shardfft::testing {
namespace {

Index in_line(const std::byte* p) { return static_cast<Index>(reinterpret_cast<std::uintptr_t>(p) % 64); }

/// Bytes of which each differs from its neighbours.
void number(std::byte* bytes, std::size_t count, unsigned first) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + i * 7);
}

/// A target in memory of its own, with room around it.
struct Target {
  static constexpr Index margin = 192;
  Index element = 0;
  Rectangle<std::byte> rectangle{};
  AlignedBytes memory;
  std::size_t bytes = 0;

  /// Elements along the rows `element` bytes apart, rows `step` bytes (which may run downwards); the first one begins
  /// `ahead` bytes after the start of a line.
  Target(Index element_bytes, bool pencils_are_rows, Index rows, Index elements, Index step, Index ahead)
      : element(element_bytes),
        memory(static_cast<std::size_t>((rows - 1) * std::abs(step) + elements * element_bytes + 2 * margin + 64)) {
    bytes = static_cast<std::size_t>((rows - 1) * std::abs(step) + elements * element_bytes + 2 * margin + 64);
    number(memory.data(), bytes, 11);
    rectangle.data = memory.data() + margin + ahead + (step < 0 ? (rows - 1) * -step : 0);
    while (in_line(rectangle.data) != ahead) rectangle.data += 4;
    rectangle.count_k = pencils_are_rows ? elements : rows, rectangle.count_v = pencils_are_rows ? rows : elements;
    rectangle.step_k = pencils_are_rows ? element : step, rectangle.step_v = pencils_are_rows ? step : element;
  }
  [[nodiscard]] std::vector<std::byte> copy() { return {memory.data(), memory.data() + bytes}; }
};

/// What belongs to element (k, v): `element` bytes.
void write_element(std::byte* to, Index element, Index k, Index v) {
  number(to, static_cast<std::size_t>(element), static_cast<unsigned>(101 + k * 31 + v * 57));
}

template <class Byte>
void write_all(const Rectangle<Byte>& r, Index element, Index k0, Index v0) {
  for (Index k = 0; k < r.count_k; ++k)
    for (Index v = 0; v < r.count_v; ++v) write_element(r.data + k * r.step_k + v * r.step_v, element, k0 + k, v0 + v);
}

TEST(WholeLines, HoldEveryElementAtEveryPhaseAndNothingElse) {
  on_every_target([] {
    Random random(31);
    for (int i = 0; i < 4000; ++i) {
      const Index element = Index{4} << between(random, 0, 2);  // a float to a complex double
      const bool pencils_are_rows = random() % 2;
      const Index rows = between(random, 1, pencils_are_rows ? 20 : 40),
                  elements = between(random, 1, i % 50 == 0 ? 5000 : 300);
      const Index gap = random() % 3 == 0 ? 0 : 4 * between(random, 0, 40);
      const Index step = (elements * element + gap) * (random() % 8 == 0 ? -1 : 1), ahead = 4 * between(random, 0, 15);
      SCOPED_TRACE("case " + std::to_string(i) + ": " + std::to_string(rows) + " rows of " + std::to_string(elements) +
                   " elements of " + std::to_string(element) + " bytes, step " + std::to_string(step) + ", ahead " +
                   std::to_string(ahead) + (pencils_are_rows ? ", pencils are rows" : ""));
      Target target(element, pencils_are_rows, rows, elements, step, ahead),
          expected(element, pencils_are_rows, rows, elements, step, ahead);
      write_all(expected.rectangle, element, 0, 0);
      AlignedBytes staging(staging_bytes);
      number(staging.data(), static_cast<std::size_t>(staging_bytes), 77);
      Index filled = 0;
      PartialLines partial(target.rectangle.count_k);
      through_staging_tiles(
          target.rectangle, element, between(random, 1, 16), partial.from(0), staging.data(),
          [&](const Rectangle<std::byte>& part, Index k, Index v) {
            const Index first = std::min<Index>(0, (part.count_k - 1) * part.step_k) +
                                std::min<Index>(0, (part.count_v - 1) * part.step_v);
            const Index last = std::max<Index>(0, (part.count_k - 1) * part.step_k) +
                               std::max<Index>(0, (part.count_v - 1) * part.step_v) + element;
            ASSERT_GE(part.data + first, staging.data());
            ASSERT_LE(part.data + last, staging.data() + staging_bytes);
            EXPECT_EQ(in_line(part.data),
                      in_line(target.rectangle.data + k * target.rectangle.step_k + v * target.rectangle.step_v));
            write_all(part, element, k, v);
            filled += part.count_k * part.count_v;
          });
      partial.store();
      non_temporal_fence();
      EXPECT_EQ(filled, rows * elements);
      EXPECT_EQ(target.copy(), expected.copy());
      if (::testing::Test::HasFailure()) return;
    }
  });
}

// Tiles one after the other: pencils next to each other, cut anywhere; now and then a tile does not go on where the one
// before it ended.
TEST(WholeLines, ThatOneTileBeginsAreEndedByTheNextOne) {
  on_every_target([] {
    Random random(32);
    for (int i = 0; i < 500; ++i) {
      const Index element = Index{4} << between(random, 0, 2), rows = between(random, 1, 40),
                  elements = between(random, 1, 600);
      const Index step = elements * element + 4 * between(random, 0, 20), ahead = 4 * between(random, 0, 15);
      SCOPED_TRACE("case " + std::to_string(i) + ": " + std::to_string(rows) + " rows of " + std::to_string(elements) +
                   " elements of " + std::to_string(element) + " bytes, step " + std::to_string(step) + ", ahead " +
                   std::to_string(ahead));
      Target target(element, false, rows, elements, step, ahead), expected(element, false, rows, elements, step, ahead);
      write_all(expected.rectangle, element, 0, 0);
      std::vector<std::pair<Index, Index>> tiles;  // first pencil, how many
      for (Index v = 0; v < elements; v += tiles.back().second)
        tiles.emplace_back(v, between(random, 1, std::min<Index>(elements - v, 100)));
      if (random() % 3 == 0) std::shuffle(tiles.begin(), tiles.end(), random);
      const bool none_waits = random() % 8 == 0;
      AlignedBytes staging(staging_bytes);
      PartialLines partial(rows);
      for (const auto& [first, count] : tiles)
        through_staging_tiles(part_of(target.rectangle, 0, first, rows, count), element, 8,
                              none_waits ? nullptr : partial.from(0), staging.data(),
                              [&, v0 = first](const Rectangle<std::byte>& part, Index k, Index v) {
                                write_all(part, element, k, v0 + v);
                              });
      partial.store();
      non_temporal_fence();
      EXPECT_EQ(target.copy(), expected.copy());
      if (::testing::Test::HasFailure()) return;
    }
  });
}

TEST(WholeLines, OfPencilsThatNoCacheHoldsDoNotWait) {
  EXPECT_NE(PartialLines(1000).from(999), nullptr);
  EXPECT_EQ(PartialLines(1000000).from(999), nullptr);
  EXPECT_EQ(PartialLines().from(0), nullptr);
}

TEST(WholeLines, ThatWereForgottenAreNotStored) {
  Target target(16, false, 1, 100, 1600, 16);
  AlignedBytes staging(staging_bytes);
  PartialLines partial(1);
  through_staging_tiles(part_of(target.rectangle, 0, 0, 1, 26), 16, 8, partial.from(0), staging.data(),
                        [](const Rectangle<std::byte>& part, Index, Index) { write_all(part, 16, 0, 0); });
  const std::vector<std::byte> before = target.copy();
  partial.forget();
  partial.store();
  EXPECT_EQ(target.copy(), before);
}

TEST(WholeLines, WaitForTheirRest) {
  Target target(16, false, 1, 100, 1600, 16);
  const std::vector<std::byte> before = target.copy();
  std::byte* const last_line = target.rectangle.data + 48 + 5 * 64;  // 26 elements: 3, five lines, 3
  AlignedBytes staging(staging_bytes);
  PartialLines partial(1);
  const auto fill = [](const Rectangle<std::byte>& part, Index, Index) { write_all(part, 16, 0, 0); };
  through_staging_tiles(part_of(target.rectangle, 0, 0, 1, 26), 16, 8, partial.from(0), staging.data(), fill);
  ASSERT_EQ(in_line(last_line), 0);
  const auto at = static_cast<std::size_t>(last_line - target.memory.data());
  EXPECT_TRUE(std::equal(last_line, last_line + 64, before.data() + at)) << "stored before the line was whole";
  partial.store();
  std::byte expected[48];
  for (Index v = 0; v < 3; ++v) write_element(expected + 16 * v, 16, 0, 23 + v);
  EXPECT_TRUE(std::equal(expected, expected + 48, last_line));
  EXPECT_TRUE(std::equal(last_line + 48, last_line + 64, before.data() + at + 48)) << "more was stored than there was";
}

TEST(WholeLines, AreForLongRowsThatBeginAnywhereInTheirLines) {
  alignas(64) std::byte memory[64]{};
  const Rectangle<std::byte> pencils_are_rows{memory, 189, 8, 16, 189 * 16},
      neighbours{memory, 197, 64, 233 * 189 * 16, 16};
  EXPECT_TRUE(suits_staging(pencils_are_rows, 16));
  EXPECT_TRUE(suits_staging(neighbours, 16));
  Rectangle<std::byte> r = pencils_are_rows;
  r.step_v = 192 * 16;  // begin with lines
  EXPECT_FALSE(suits_staging(r, 16));
  r.data += 16;
  EXPECT_TRUE(suits_staging(r, 16));
  r.step_k = 32;  // no rows
  EXPECT_FALSE(suits_staging(r, 16));
  r = neighbours;
  r.count_v = 8;  // hardly a whole line
  EXPECT_FALSE(suits_staging(r, 16));
}

TEST(WholeLines, KeepRowsTogetherThatGoOnInEachOtherWhereThereIsRoom) {
  const StagingForm joined = staging_form(189, 16, 189 * 16, 8, true),
                    apart = staging_form(189, 16, 189 * 16, 8, false), cut = staging_form(1001, 16, 1001 * 16, 8, true);
  EXPECT_EQ(joined.step, 189 * 16);
  EXPECT_EQ(apart.elements, 189);
  EXPECT_EQ(apart.step % 64, 189 * 16 % 64);
  EXPECT_GE(apart.step, 189 * 16 + 63);
  EXPECT_EQ(cut.elements, 201);  // five parts, nearly alike
  EXPECT_EQ(cut.step % 64, 1001 * 16 % 64);
}

}  // namespace
}  // namespace shardfft::testing
