#include <gtest/gtest.h>

#include "oracle.hpp"

namespace shardfft {
namespace {

using namespace testing;

/// Largest deviation of sampled outputs from the definition, relative to the norm per element.
double deviation(const TransformSpec& spec, bool complex_in, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Shape in_shape = spec.real && complex_in ? half_spectrum(spec.shape, spec.axes.back()) : spec.shape;
  const Global in = random_array(in_shape, complex_in, f64, random), exact = transformed(in, spec);
  std::vector<Coord> positions;
  for (int i = 0; i < count; ++i) {
    Coord at = exact.shape;
    for (int a = 0; a < at.dims(); ++a)
      at[a] = static_cast<Index>(random() % static_cast<std::uint64_t>(exact.shape[a]));
    positions.push_back(at);
  }
  const auto boxes = random_boxes(in_shape, 3, 5, random);
  double worst = 0;
  on_ranks(3, [&](const Comm& comm) {
    const auto me = static_cast<std::size_t>(comm.rank());
    std::mt19937_64 mine(seed + me);
    const std::vector<double> found = exact_samples(comm, local_part(in, boxes[me], f64, mine).array, spec, positions);
    ASSERT_EQ(found.size(), 2 * positions.size());
    if (comm.rank() != 0) return;
    for (std::size_t i = 0; i < positions.size(); ++i)
      worst =
          std::max(worst, static_cast<double>(std::abs(Wide(found[2 * i], found[2 * i + 1]) - exact[positions[i]])));
  });
  return worst / static_cast<double>(norm(exact)) * std::sqrt(static_cast<double>(exact.values.size()));
}

TEST(ExactSamples, AreTheCorrectlyRoundedOutputsForAllKindsBatchesAndDistributions) {
  for (const Shape& shape : {Shape{7, 6, 5}, Shape{4, 5, 6}})
    for (const std::vector<int>& axes : {std::vector<int>{0, 1, 2}, std::vector<int>{2, 0}, std::vector<int>{1}}) {
      EXPECT_LT(deviation({shape, axes, -1, false, 1.0}, true, 40, 1), 5e-16);
      EXPECT_LT(deviation({shape, axes, +1, false, 0.125}, true, 3, 2), 5e-16);
      EXPECT_LT(deviation({shape, axes, -1, true, 1.0}, false, 9, 3), 5e-16);
      EXPECT_LT(deviation({shape, axes, +1, true, 1.0}, true, 9, 4), 5e-16);
    }
}

TEST(ExactSamples, OfNowhereAreNone) {
  std::mt19937_64 random(1);
  const Global in = random_array({4, 4}, true, f64, random);
  const TransformSpec spec{{4, 4}, {0, 1}, -1, false, 1.0};
  EXPECT_TRUE(exact_samples(local(), local_part(in, {whole(in.shape)}, f64, random).array, spec, {}).empty());
}

}  // namespace
}  // namespace shardfft
