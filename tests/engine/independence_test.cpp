// The bits of a pencil depend on that pencil alone.
#include <cmath>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

constexpr Index few_lengths[] = {1,  2,   3,   8,   11,  13,  17,  30,   64,   77,   90,
                                 97, 100, 131, 197, 256, 347, 394, 1000, 4096, 4099, 6561};

template <class T>
Pencil not_numbers(std::mt19937_64& random, Index length) {
  constexpr Wide bad[] = {std::numeric_limits<Wide>::quiet_NaN(), std::numeric_limits<Wide>::infinity(),
                          -std::numeric_limits<Wide>::infinity()};
  Pencil pencil;
  for (Index k = 0; k < length; ++k) pencil.emplace_back(bad[random() % 3], bad[random() % 3]);
  return pencil;
}

/// The pencil's result at place v of the tile, among the given neighbours.
template <class T>
Pencil result_among(const Kernel& kernel, const Pencil& pencil, int place, std::vector<Pencil> neighbours) {
  neighbours[static_cast<std::size_t>(place)] = pencil;
  return transformed<T>(kernel, neighbours)[static_cast<std::size_t>(place)];
}

template <class T>
void expect_independence(Index n, Transform1d t) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const auto kernel = native_engine().make({n, t, scalar_of<T>});
  const int pencils = kernel->in().pencils;
  const Index length = kernel->in().length;
  const Pencil pencil = random_pencil<T>(random, length, is_real_in(t));
  std::vector<Pencil> zeros(static_cast<std::size_t>(pencils), Pencil(static_cast<std::size_t>(length))),
      numbers = zeros, nans = zeros;
  for (auto& x : numbers) x = random_pencil<T>(random, length, false);
  for (auto& x : nans) x = not_numbers<T>(random, length);
  const Pencil expected = result_among<T>(*kernel, pencil, 0, zeros);
  for (int place = 0; place < pencils; ++place) {
    if (sanitized && place > 0 && place < pencils - 1) continue;
    for (const auto& neighbours : {zeros, numbers, nans})
      EXPECT_EQ(result_among<T>(*kernel, pencil, place, neighbours), expected)
          << "n " << n << ", transform " << static_cast<int>(t) << ", place " << place;
  }
}

template <class T>
class Lanes : public ::testing::Test {};
TYPED_TEST_SUITE(Lanes, FloatAndDouble);

TYPED_TEST(Lanes, GiveAPencilTheSameBitsInAnyPlaceAmongAnyNeighbours) {
  on_every_target([] {
    for (const Index n : few_lengths)
      for (const Transform1d t : all_transforms) expect_independence<TypeParam>(n, t);
  });
}

TYPED_TEST(Lanes, LetNoInfinityOrNanOfTheirOwnPencilGetLost) {
  std::mt19937_64 random(3);
  for (const Index n : few_lengths)
    for (const Wide bad : {std::numeric_limits<Wide>::quiet_NaN(), std::numeric_limits<Wide>::infinity()}) {
      const auto kernel = native_engine().make({n, Transform1d::forward, scalar_of<TypeParam>});
      std::vector<Pencil> pencils(static_cast<std::size_t>(kernel->in().pencils),
                                  random_pencil<TypeParam>(random, n, false));
      pencils[0][random() % pencils[0].size()] = {bad, 0};
      const auto out = transformed<TypeParam>(*kernel, pencils);
      for (const auto& y : out[0]) EXPECT_FALSE(std::isfinite(y.real()) && std::isfinite(y.imag())) << n;
    }
}

TYPED_TEST(Lanes, GiveTheSameBitsWhateverLayInTheBuffersBefore) {
  // transformed() fills its buffers with 0x55 before it puts the pencils in; a second run reuses dirty memory.
  using T = TypeParam;
  std::mt19937_64 random(4);
  for (const Index n : few_lengths)
    for (const Transform1d t : all_transforms) {
      const auto kernel = native_engine().make({n, t, scalar_of<T>});
      AlignedBytes a(kernel->buffer_bytes()), b(kernel->buffer_bytes());
      std::vector<Pencil> pencils;
      for (int v = 0; v < kernel->in().pencils; ++v)
        pencils.push_back(random_pencil<T>(random, kernel->in().length, is_real_in(t)));
      const auto expected = transformed<T>(*kernel, pencils);
      for (int again = 0; again < 2; ++again) {
        for (int v = 0; v < kernel->in().pencils; ++v)
          put<T>(kernel->in(), a.data(), v, pencils[static_cast<std::size_t>(v)]);
        std::byte* result = kernel->run(a.data(), b.data());
        for (int v = 0; v < kernel->out().pencils; ++v)
          EXPECT_EQ(take<T>(kernel->out(), result, v), expected[static_cast<std::size_t>(v)]) << n;
      }
    }
}

}  // namespace
}  // namespace shardfft::testing
