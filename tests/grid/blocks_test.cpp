#include "grid/blocks.hpp"

#include <gtest/gtest.h>

namespace shardfft::testing {
namespace {

TEST(Blocks, CutAnAxisIntoConsecutivePartsOfWhichTheFirstOnesAreOneLonger) {
  for (Index n = 0; n <= 40; ++n)
    for (Index p = 1; p <= 45; ++p) {
      Index at = 0;
      for (Index i = 0; i < p; ++i) {
        EXPECT_EQ(blocks::begin(n, p, i), at) << n << " over " << p << ", block " << i;
        at += n / p + (i < n % p ? 1 : 0);
      }
      EXPECT_EQ(blocks::begin(n, p, p), n);
    }
}

TEST(Blocks, OwnerIsTheBlockThatHoldsTheElement) {
  for (Index n = 1; n <= 40; ++n)
    for (Index p = 1; p <= 45; ++p)
      for (Index at = 0; at < n; ++at) {
        const Index owner = blocks::owner(n, p, at);
        EXPECT_TRUE(0 <= owner && owner < p && blocks::begin(n, p, owner) <= at && at < blocks::begin(n, p, owner + 1))
            << n << " over " << p << " at " << at;
      }
}

TEST(Blocks, DoNotOverflowNearTheLargestLengths) {
  const Index huge = Index{1} << 62;
  for (const Index n : {huge - 1, huge, huge + 12345})
    for (const Index p : {Index{1}, Index{2}, Index{3}, Index{99991}, Index{1} << 31, huge - 2}) {
      EXPECT_EQ(blocks::begin(n, p, p), n);
      for (const Index i : {Index{0}, Index{1}, p / 2, n % p, p - 1}) {
        if (i >= p) continue;
        const Index first = blocks::begin(n, p, i), end = blocks::begin(n, p, i + 1);
        EXPECT_EQ(end - first, n / p + (i < n % p ? 1 : 0));
        EXPECT_EQ(blocks::owner(n, p, first), i) << n << " over " << p;
        EXPECT_EQ(blocks::owner(n, p, end - 1), i) << n << " over " << p;
      }
    }
}

}  // namespace
}  // namespace shardfft::testing
