#include <gtest/gtest.h>

#include "engine/targets.hpp"
#include "oracle.hpp"
#include "support/chosen.hpp"
#include "verify/exact_dft.hpp"
#include "verify/roots.hpp"
#include "verify/spec.hpp"
#include "verify/turning_sum.hpp"
#include "verify/weights.hpp"

namespace shardfft {
namespace {

using namespace testing;

/// Random phases in every lane.
Quads phases(Index count, int lanes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Quads r(count, lanes);
  for (Index i = 0; i < count; ++i)
    for (int l = 0; l < lanes; ++l) r.set(i, l, root_of_unity(static_cast<Index>(random() % 4096), 4096));
  return r;
}

double size_of(const ComplexDD& z) { return std::hypot(z.re.rounded(), z.im.rounded()); }

Index product_mod(Index a, Index b, Index n) { return static_cast<Index>(static_cast<__int128>(a) * b % n); }

/// sum over k of c_k e^(2 pi i sign k j step / n), term by term.
ComplexDD segment_sum(const Quads& c, int lane, Index n, Index step, int sign, Index j) {
  ComplexDD sum{};
  for (Index k = 0; k < c.count(); ++k)
    sum = sum + c.get(k, lane) * root_of_unity(sign * product_mod(product_mod(j, step, n), k, n), n);
  return sum;
}

ComplexDD in_quads(const double* quads, int lanes, Index i, int lane) {
  const double* q = quads + 4 * lanes * i + lane;
  return {{q[0], q[lanes]}, {q[2 * lanes], q[3 * lanes]}};
}

TEST(TurningSum, IsTheSumOfItsTermsToEightyEightBitsForAnyLengthStepAndSign) {
  struct Sum {
    Index count, n, step;
  };
  const Index huge = (Index{1} << 44) - 17, power = Index{1} << 40;
  for (const Sum& s :
       {Sum{1, 1, 0}, Sum{1, 1000, 7}, Sum{2, 3, 1}, Sum{5, 5, 1}, Sum{2, 4099, 1}, Sum{7, 4099, 4098},
        Sum{6, 30000, 25}, Sum{16, 65536, 3}, Sum{40, 20011, 1}, Sum{40, 20011, 499}, Sum{300, 299993, 1},
        Sum{33, huge, 1}, Sum{33, huge, huge - 12345}, Sum{64, power, 1}, Sum{64, power, 12345678901}})
    for (const int sign : {-1, 1}) {
      const Quads c = phases(s.count, 8, 5);
      const TurningSum sum(c, s.n, s.step, sign);
      std::mt19937_64 random(7);
      for (int part = 0; part < 4; ++part) {
        const Index first = part == 0 ? 0 : static_cast<Index>(random() % static_cast<std::uint64_t>(s.n)),
                    count = std::min<Index>(s.n - first, 300);
        std::vector<double> found(static_cast<std::size_t>(32 * count));
        sum.values(first, count, found.data());
        for (Index i = 0; i < count; i += count > 20 ? 23 : 1)
          for (const int lane : {0, 7})
            EXPECT_LT(size_of(in_quads(found.data(), 8, i, lane) - segment_sum(c, lane, s.n, s.step, sign, first + i)),
                      0x1p-88 * std::sqrt(static_cast<double>(s.count)))
                << s.count << " terms, n " << s.n << ", step " << s.step << ", at " << first + i;
      }
    }
}

TEST(TurningSum, MultipliesWhatIsThere) {
  const Quads c = phases(4, 16, 1), there = phases(10, 16, 2);
  const TurningSum sum(c, 5003, 1, -1);
  Quads found = there;
  sum.multiply(77, 10, found.at(0));
  for (Index i = 0; i < 10; ++i)
    for (const int lane : {0, 8, 15})
      EXPECT_LT(size_of(found.get(i, lane) - there.get(i, lane) * segment_sum(c, lane, 5003, 1, -1, 77 + i)), 0x1p-86);
}

/// All weights, asked for in pieces of `piece`.
Quads all_of(const AxisWeights& weights, Index count, Index piece) {
  Quads all(count, weights.lanes());
  Workspace workspace;
  for (Index first = 0; first < count; first += piece) {
    const Index some = std::min(piece, count - first);
    std::copy_n(weights.quads(first, some, workspace), 4 * weights.lanes() * some, all.at(first));
  }
  return all;
}

TEST(DigitWeights, AreTheProductsOfTheirDigits) {
  for (const Index base : {1, 3, 10, 50}) {
    const DigitTables digits{phases(base, 16, 1), phases((50 + base - 1) / base, 16, 2)};
    for (const Index half_of : {0, 98, 99}) {
      const Quads found = all_of(*digit_weights(digits, half_of), 50, 7);
      for (Index k = 0; k < 50; ++k)
        for (const int lane : {0, 9}) {
          const double times = half_of == 0 || k == 0 || 2 * k == half_of ? 1 : 2;
          EXPECT_LT(size_of(found.get(k, lane) -
                            digits.low.get(k % base, lane) * digits.high.get(k / base, lane) * DoubleDouble{times}),
                    0x1p-98)
              << k;
        }
    }
  }
}

/// Largest difference between the transform and that of the digits' products by another algorithm, relative to the root
/// of `count`.
double deviation(Index n, Index count, Index base, int sign) {
  const DigitTables digits{phases(base, 8, 3), phases((count + base - 1) / base, 8, 4)};
  Quads padded(n, 8);
  for (Index k = 0; k < count; ++k)
    for (int l = 0; l < 8; ++l) padded.set(k, l, digits.low.get(k % base, l) * digits.high.get(k / base, l));
  const Quads expected = ExactDft(n, sign)(padded),
              found = all_of(*transformed_weights(digits, count, n, sign), n, 100);
  double worst = 0;
  for (Index j = 0; j < n; ++j)
    for (const int lane : {0, 7}) worst = std::max(worst, size_of(found.get(j, lane) - expected.get(j, lane)));
  return worst / std::sqrt(static_cast<double>(count));
}

TEST(TransformedWeights, AreTheTransformOfTheDigitsForEverySmallLengthCountAndBase) {
  for (Index n = 1; n <= 30; ++n)
    for (const Index count : {Index{1}, n / 2 + 1, n - n / 3, n})
      for (Index base = 1; base <= count; ++base)
        EXPECT_LT(deviation(n, count, base, n % 2 == 0 ? 1 : -1), 0x1p-85) << n << " " << count << " " << base;
}

void expect_longer_ones() {
  for (const auto& [n, count, base] : {std::array<Index, 3>{4096, 4096, 8},
                                       {4096, 2049, 8},
                                       {4099, 4099, 5},
                                       {4099, 2050, 4},
                                       {6000, 6000, 7},
                                       {20011, 20011, 40},
                                       {16384, 16384, 128}})
    EXPECT_LT(deviation(n, count, base, -1), 0x1p-85) << n << " " << count << " " << base;
}
TEST(TransformedWeights, AreThatOfLongerOnesWithEveryInstructionSet) { on_every_target(expect_longer_ones); }

TEST(TransformedWeights, OfLongAxesOfAnyKindAreSumsOfAllTheirTerms) {
  for (const auto& [n, count] :
       {std::array<Index, 2>{262144, 262144}, {262144, 131073}, {299993, 299993}, {299993, 149997}, {199998, 199998}}) {
    const Index base = best_base(n, count);
    const DigitTables digits{phases(base, 8, 3), phases((count + base - 1) / base, 8, 4)};
    const auto weights = transformed_weights(digits, count, n, -1, 0);
    const RootTable roots(n, -1);
    Workspace workspace;
    for (const Index j : sanitized ? std::vector{Index{1}, n - 1} : std::vector{Index{0}, Index{1}, n / 3, n - 1}) {
      ComplexDD sum{};
      for (Index k = 0; k < count; ++k)
        sum = sum + digits.low.get(k % base, 2) * digits.high.get(k / base, 2) * roots(product_mod(j, k, n));
      EXPECT_LT(size_of(in_quads(weights->quads(j, 1, workspace), 8, 0, 2) - sum),
                0x1p-83 * std::sqrt(static_cast<double>(count)))
          << n << " at " << j;
    }
  }
}

TEST(TransformedWeights, CountMirrorImagesInHalfSpectra) {
  const DigitTables digits{phases(10, 16, 3), phases(10, 16, 4)};
  for (const Index n : {100, 101}) {
    const Index half = n / 2 + 1;
    const Quads once = all_of(*transformed_weights(digits, 95, n, 1), half, 9),
                twice = all_of(*transformed_weights(digits, 95, n, 1, n), half, 9);
    for (Index j = 0; j < half; ++j)
      EXPECT_EQ(twice.get(j, 3).re.hi, once.get(j, 3).re.hi * (j == 0 || 2 * j == n ? 1 : 2)) << j;
  }
}

TEST(TransformedWeights, TakeTablesThatGrowLikeTheRootOfTheLength) {
  for (const Index n : {Index{1} << 17, Index{1} << 24, Index{1} << 30, Index{3} << 20, Index{65537}, Index{16777213},
                        Index{2} * 8388593, Index{1073741789}})
    for (const Index count : {n, n / 2 + 1})
      EXPECT_LT(static_cast<double>(table_entries(n, count, best_base(n, count))),
                1200 * std::sqrt(static_cast<double>(n)))
          << n << " " << count;
}

TEST(RootTable, HoldsEveryRoot) {
  for (const Index q : {1, 2, 3, 64, 1000, 65537}) {
    const RootTable table(q, -1);
    for (Index j = 0; j < q; j += q < 100 ? 1 : 37)
      EXPECT_LT(size_of(table(j) - root_of_unity(-j, q)), 0x1p-98) << j << "/" << q;
  }
}

}  // namespace
}  // namespace shardfft
