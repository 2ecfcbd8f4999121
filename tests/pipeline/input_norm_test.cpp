// How large the caller's input is, wherever it lies: by parts and threads, against a sum element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pipeline/bind/memory.hpp"
#include "pipeline/errors/input_norm.hpp"
#include "support/chosen.hpp"
#include "support/problems/approximation.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {
namespace {

CallerArray array_in(const Layout& layout, const LocalMemory& memory, int rank, bool complex, Scalar scalar) {
  CallerArray array{.layout = layout, .complex = complex};
  array.patches = caller_patches(layout.boxes(rank), placements(layout, rank, memory.places, "input_memory"),
                                 Base::input, array.element_bytes(scalar));
  return array;
}

// Sum over the elements of `rank`, each by itself; those inside along the axis count twice.
long double sum_by_elements(const Layout& layout, int rank, const Whole& x, const Weights& weights) {
  long double sum = 0;
  for (const Box& box : layout.boxes(rank))
    for_each(box, [&](const Coord& at) {
      const Index k = weights.axis < 0 ? 0 : at[weights.axis];
      sum += std::norm(x.at(at)) * (k == 0 || 2 * k == weights.n ? 1.0L : static_cast<long double>(weights.inside));
    });
  return sum;
}

template <class T>
void compare_on_every_layout(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr Scalar scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
  const Shape shape = small_shape(random, 4, seed % 5 == 0 ? 90 : 12);  // some of more than one part
  if (product(shape) > 600000) return;
  const int ranks = static_cast<int>(pick(random, 1, 7));
  const bool complex = seed % 3 != 0;
  const Whole x = data_of(0, shape, complex, seed, sizeof(T) == 4);
  for (const LayoutSpec& spec : layouts_of_every_kind(random, shape, ranks)) {
    const Layout layout(spec, shape, ranks);
    Weights weights;
    if (complex && seed % 2 == 0) {  // a half spectrum of an even or odd length
      weights.axis = static_cast<int>(pick(random, 0, shape.dims() - 1));
      weights.n = std::max<Index>(1, 2 * (shape[weights.axis] - 1) + pick(random, 0, 1));
      weights.inside = 2;
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const LocalMemory memory = pick(random, 0, 1) ? padded_memory(layout, rank, random) : packed_memory(layout, rank);
      LocalData<T> data(memory, complex);
      data.fill(x);
      const CallerArray array = array_in(layout, memory, rank, complex, scalar);
      const long double expected = sum_by_elements(layout, rank, x, weights);
      InputNorm one(array, scalar, weights, 1), three(array, scalar, weights, 3);
      const auto* input = static_cast<const std::byte*>(data.view().data);
      const double got = one.norm2(input);
      EXPECT_NEAR(got, static_cast<double>(expected), 1e-12 * static_cast<double>(expected))
          << "seed " << seed << " " << to_string(shape) << " " << layout.describe() << " rank " << rank;
      EXPECT_EQ(got, three.norm2(input)) << "threads change the bits";
    }
  }
}

TEST(InputNorm, IsThatOfTheElementsInEveryLayoutAndPlacementWithAndWithoutWeights) {
  constexpr std::uint64_t seeds = sanitized ? 12 : 120;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    compare_on_every_layout<double>(seed);
    compare_on_every_layout<float>(seed);
  }
}

TEST(InputNorm, OfALargeArrayIsTheSameOnAnyNumberOfThreads) {
  const Shape shape{70, 60, 50};
  const Layout layout(slabs(0), shape, 1);
  const Whole x = data_of(5, shape, true, 3, false);
  LocalData<double> data(packed_memory(layout, 0), true);
  data.fill(x);
  const CallerArray array = array_in(layout, packed_memory(layout, 0), 0, true, Scalar::f64);
  const auto* input = static_cast<const std::byte*>(data.view().data);
  const double one = InputNorm(array, Scalar::f64, {}, 1).norm2(input);
  EXPECT_NEAR(one, static_cast<double>(sum_by_elements(layout, 0, x, {})), 1e-12 * one);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(InputNorm(array, Scalar::f64, {}, threads).norm2(input), one);
  EXPECT_EQ(InputNorm(array, Scalar::f64, {}, 1).bytes(), product(shape) * 16);
}

TEST(InputNorm, IsNotFiniteWhereAnElementIsNotOrSquaresOverflow) {
  const Layout layout(slabs(0), {4, 5}, 1);
  const CallerArray array = array_in(layout, packed_memory(layout, 0), 0, true, Scalar::f64);
  for (const double spoiler :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    std::vector<double> data(40, 1.0);
    data[23] = spoiler;
    EXPECT_FALSE(
        std::isfinite(InputNorm(array, Scalar::f64, {}, 2).norm2(reinterpret_cast<const std::byte*>(data.data()))));
  }
}

TEST(InputNorm, OfNothingIsZero) {
  const Layout layout(slabs(0), {1, 3}, 4);
  const CallerArray array = array_in(layout, packed_memory(layout, 3), 3, true, Scalar::f64);
  InputNorm nothing(array, Scalar::f64, {}, 2);
  EXPECT_EQ(nothing.norm2(nullptr), 0);
  EXPECT_EQ(nothing.bytes(), 0);
}

}  // namespace
}  // namespace shardfft::testing
