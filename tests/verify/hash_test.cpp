#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <set>

#include "oracle.hpp"

namespace shardfft {
namespace {

using namespace testing;

std::uint64_t hashed(const Global& g, Precision precision, int ranks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto boxes = random_boxes(g.shape, ranks, 7, random);
  std::vector<std::uint64_t> found(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](const Comm& comm) {
    const auto me = static_cast<std::size_t>(comm.rank());
    std::mt19937_64 mine(seed + me);
    found[me] = hash(comm, local_part(g, boxes[me], precision, mine).array);
  });
  for (const std::uint64_t h : found) EXPECT_EQ(h, found[0]) << "ranks disagree";
  return found[0];
}

Global numbers(bool complex, Precision precision) {
  std::mt19937_64 random(12);
  return random_array({5, 6, 7}, complex, precision, random);
}

TEST(Hash, IsTheSameForEveryPartitionAndAllStrides) {
  for (const Precision p : {f32, f64})
    for (const bool complex : {true, false}) {
      const Global g = numbers(complex, p);
      const std::uint64_t expected = hashed(g, p, 1, 1);
      for (std::uint64_t seed = 2; seed < 12; ++seed)
        EXPECT_EQ(hashed(g, p, static_cast<int>(1 + seed % 5), seed), expected) << "seed " << seed;
    }
}

TEST(Hash, IsTheSameForRowsLongerThanAPiece) {
  std::mt19937_64 random(12);
  const Global g = random_array({10000}, true, f64, random);
  EXPECT_EQ(hashed(g, f64, 1, 1), hashed(g, f64, 4, 2));
}

TEST(Hash, ChangesWithEveryBitOfEveryElement) {
  const Global g = numbers(true, f64);
  std::set<std::uint64_t> seen{hashed(g, f64, 1, 1)};
  for (const std::size_t at : {0, 1, 100, 209})
    for (int bit = 0; bit < 64; ++bit) {
      Global changed = g;
      const auto flipped = std::bit_cast<double>(
          std::bit_cast<std::uint64_t>(static_cast<double>(g.values[at].imag())) ^ (std::uint64_t{1} << bit));
      changed.values[at].imag(flipped);
      EXPECT_TRUE(seen.insert(hashed(changed, f64, 1, 1)).second) << "element " << at << " bit " << bit;
    }
}

TEST(Hash, ChangesWhenElementsOrTheirPartsChangePlaces) {
  for (const Precision p : {f32, f64}) {
    const Global g = numbers(true, p);
    std::set<std::uint64_t> seen{hashed(g, p, 1, 1)};
    for (std::size_t i = 1; i < g.values.size(); ++i) {
      Global changed = g;
      std::swap(changed.values[0], changed.values[i]);
      EXPECT_TRUE(seen.insert(hashed(changed, p, 1, 1)).second) << i;
    }
    Global changed = g;
    changed.values[5] = Wide(g.values[5].imag(), g.values[5].real());
    EXPECT_TRUE(seen.insert(hashed(changed, p, 1, 1)).second);
  }
}

TEST(Hash, TellsZerosApartAndNoNans) {
  for (const Precision p : {f32, f64}) {
    Global plus = numbers(true, p), minus = plus, quiet = plus, other = plus;
    plus.values[3] = Wide(0.0L, 1.0L), minus.values[3] = Wide(-0.0L, 1.0L);
    EXPECT_NE(hashed(plus, p, 1, 1), hashed(minus, p, 1, 1));
    quiet.values[3] = Wide(std::numeric_limits<long double>::quiet_NaN(), 1.0L);
    other.values[3] = Wide(-std::numeric_limits<long double>::quiet_NaN(), 1.0L);
    ASSERT_NE(std::signbit(quiet.values[3].real()), std::signbit(other.values[3].real()));
    EXPECT_EQ(hashed(quiet, p, 1, 1), hashed(other, p, 1, 1));
    EXPECT_NE(hashed(quiet, p, 1, 1), hashed(plus, p, 1, 1));
  }
}

TEST(Hash, TellsShapesApart) {
  std::mt19937_64 random(1);
  Global g = random_array({6, 4}, true, f64, random);
  Global zeros{{3, 4}, true, std::vector<Wide>(12)}, more{{3, 5}, true, std::vector<Wide>(15)};
  EXPECT_NE(hashed(zeros, f64, 1, 1), hashed(more, f64, 1, 1));
  EXPECT_NE(hashed(g, f64, 1, 1), hashed(g, f32, 1, 1));
}

}  // namespace
}  // namespace shardfft
