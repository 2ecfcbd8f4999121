// Differences do not depend on who adds which part.
#include "shardfft/answers/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

const Shape plane{5, 6};

LocalBox rows(const std::vector<double>& values, Index lo, Index hi) {
  const Index row = 8 * plane[1];
  return {.box = {{lo, 0}, {hi, plane[1]}},
          .data = reinterpret_cast<const std::byte*>(values.data()) + lo * row,
          .strides = {row, 8}};
}

Difference found(const Comm& comm, const std::vector<double>& a, const std::vector<double>& b) {
  Differences sums(plane);
  const Layout layout(slabs(0), plane, comm.size());
  for (const Box& box : layout.boxes(comm.rank()))
    for (Index row = box.hi[0]; row-- > box.lo[0];) sums.add<double>(rows(a, row, row + 1), rows(b, row, row + 1));
  return sums.over_ranks(comm);
}

TEST(Differences, AreThoseOfTheDefinitionOnAnyRanks) {
  std::vector<double> a(30), b;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
  b = a;
  b[8] += 3, b[20] -= 3, b[21] += 1;
  double norm = 0;
  for (const double v : a) norm += v * v;
  for (const int ranks : {1, 2, 4})
    on_ranks(ranks, [&](const Comm& comm) {
      const Difference d = found(comm, a, b);
      EXPECT_NEAR(d.max, 3, 1e-15);
      EXPECT_EQ(d.where, (Coord{1, 2}));
      EXPECT_NEAR(d.rms, std::sqrt(19. / 30), 1e-15);
      EXPECT_NEAR(d.relative, std::sqrt(19 / norm), 1e-14);
      const Difference none = found(comm, a, a);
      EXPECT_EQ(none.max, 0);
      EXPECT_EQ(none.where.dims(), 0);
      EXPECT_EQ(none.relative, 0);
    });
}

TEST(Differences, TakeTwoNansForEqualAndOneForInfinitelyFar) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<double> a(30, 1), b = a;
  a[3] = b[3] = nan;
  a[4] = b[4] = inf;
  EXPECT_EQ(found(local(), a, b).max, 0);
  b[7] = nan;
  EXPECT_EQ(found(local(), a, b).max, inf);
  EXPECT_EQ(found(local(), a, b).where, (Coord{1, 1}));
}

}  // namespace
}  // namespace shardfft::testing
