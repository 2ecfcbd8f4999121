// Twiddle factors against long double, and that no bit depends on where in a tile a pencil lies.
#include "sweep/twiddles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <random>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"

namespace shardfft::testing {
namespace {

struct Pencils {
  Index first, count, other, step;
};

// The tile as a table of complex numbers, by the formula of the format.
template <class T>
std::complex<T> element(const TileFormat& f, const std::vector<T>& tile, Index k, Index v) {
  const Index p = f.place(k);
  const Index at = f.order == TileFormat::Order::lanes ? p * 2 * f.pencils + v : v * f.ld + 2 * k;
  return {tile[static_cast<std::size_t>(at)],
          tile[static_cast<std::size_t>(at + (f.order == TileFormat::Order::lanes ? f.pencils : 1))]};
}

template <class T>
struct Tile {
  std::vector<T> room{};
  T* start = nullptr;
  explicit Tile(const TileFormat& f) : room(static_cast<std::size_t>(f.scalars()) + 16) {
    start = reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(room.data()) + 63) / 64 * 64);
  }
  [[nodiscard]] std::vector<T> values(const TileFormat& f) const { return {start, start + f.scalars()}; }
};

template <class T>
std::vector<T> multiplied(const Twiddles& twiddles, const TileFormat& f, const std::vector<T>& before,
                          const Pencils& p) {
  Tile<T> tile(f);
  std::copy(before.begin(), before.end(), tile.start);
  twiddles.multiply(sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, f, reinterpret_cast<std::byte*>(tile.start), p.first,
                    p.count, p.other, p.step);
  return tile.values(f);
}

template <class T>
void check(const Engine& engine, Index length, Index n, Transform1d transform, std::mt19937_64& random) {
  const auto between = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  const auto kernel =
      engine.make({.n = length, .transform = transform, .scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64});
  const TileFormat& f = kernel->in();
  std::vector<T> before(static_cast<std::size_t>(f.scalars()));
  for (T& x : before) x = static_cast<T>(between(-1000, 1000));
  const Twiddles twiddles(n, length, transform);
  Pencils p{.first = between(0, f.pencils - 1), .count = 0, .other = 0, .step = 0};
  p.count = between(1, f.pencils - p.first);
  p.step = std::min(between(0, 1) * between(1, 20), (n / length - 1) / p.count);
  p.other = between(0, n / length - 1 - p.step * (p.count - 1));
  const std::vector<T> after = multiplied(twiddles, f, before, p);
  const long double sign = transform == Transform1d::forward ? -1 : 1, pi = std::acos(-1.0L);
  for (Index v = 0; v < f.pencils; ++v) {
    const bool mine = v >= p.first && v < p.first + p.count;
    const Index other = p.other + p.step * (v - p.first);
    for (Index k = 0; k < length; ++k) {
      const auto x = element(f, before, k, v), y = element(f, after, k, v);
      if (!mine) {
        ASSERT_EQ(x, y) << "a pencil that is not to be multiplied";
        continue;
      }
      const std::complex<long double> exact =
          std::complex<long double>(x) *
          std::polar(1.0L, sign * 2 * pi * static_cast<long double>(k * other) / static_cast<long double>(n));
      ASSERT_LE(std::abs(std::complex<long double>(y) - exact), 5 * std::numeric_limits<T>::epsilon() * std::abs(exact))
          << "element " << k << " of pencil " << v;
    }
    if (!mine) continue;
    std::vector<T> alone = before;
    const Pencils other_way{v, 1, other, p.step > 0 ? 0 : 1};
    const auto again = multiplied(twiddles, f, alone, other_way);
    std::vector<std::complex<T>> memory;
    for (Index k = 0; k < length; ++k) memory.push_back(element(f, before, k, v));
    twiddles.multiply(sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, reinterpret_cast<std::byte*>(memory.data()), 1,
                      length, 1, other);
    for (Index k = 0; k < length; ++k) {
      ASSERT_EQ(element(f, again, k, v), element(f, after, k, v)) << "bits depend on the neighbours";
      ASSERT_EQ(memory[static_cast<std::size_t>(k)], element(f, after, k, v)) << "bits differ in memory";
    }
  }
}

TEST(Twiddles, AreRightToTheLastBitsAndTheSameInEveryTile) {
  std::mt19937_64 random(9);
  for (const Engine* engine : engines())
    for (const auto& [length, others] :
         {std::pair<Index, Index>{16, 64}, {16, 400}, {7, 1000}, {100, 40}, {128, 1 << 20}, {1, 50}})
      for (const Transform1d transform : {Transform1d::forward, Transform1d::backward})
        for (int i = 0; i < 6; ++i) {
          check<double>(*engine, length, length * others, transform, random);
          check<float>(*engine, length, length * others, transform, random);
        }
}

/// Pencils in memory, with `gap` numbers between two that are neighbours, which stay as they are.
template <class T>
void check_in_memory(Index length, Index n, Index gap, std::mt19937_64& random) {
  const auto between = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  const Twiddles twiddles(n, length, Transform1d::forward);
  const Index count = between(1, std::min<Index>(70, n / length)), other = between(0, n / length - count);
  const bool along_pencils = between(0, 1) == 0;
  const Index step_k = along_pencils ? 1 + gap : count * (1 + gap),
              step_v = along_pencils ? length * (1 + gap) : 1 + gap;
  std::vector<std::complex<T>> before(static_cast<std::size_t>(length * count * (1 + gap)));
  for (auto& x : before) x = {static_cast<T>(between(-1000, 1000)), static_cast<T>(between(-1000, 1000))};
  const Scalar scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
  auto after = before, expected = before;
  twiddles.multiply(scalar, reinterpret_cast<std::byte*>(after.data()), step_k, step_v, count, other);
  for (Index v = 0; v < count; ++v) {  // one after the other, with room between elements
    std::vector<std::complex<T>> alone(static_cast<std::size_t>(2 * length));
    const auto place = [&](Index k) { return static_cast<std::size_t>(k * step_k + v * step_v); };
    for (Index k = 0; k < length; ++k) alone[static_cast<std::size_t>(2 * k)] = before[place(k)];
    twiddles.multiply(scalar, reinterpret_cast<std::byte*>(alone.data()), 2, 2 * length, 1, other + v);
    for (Index k = 0; k < length; ++k) expected[place(k)] = alone[static_cast<std::size_t>(2 * k)];
  }
  ASSERT_EQ(after, expected) << length << " of " << n << ", " << count << " pencils from " << other << ", steps "
                             << step_k << " " << step_v;
}

TEST(Twiddles, HaveTheSameBitsWhereverPencilsLieInMemory) {
  std::mt19937_64 random(11);
  for (const auto& [length, others] :
       {std::pair<Index, Index>{16, 64}, {37, 400}, {7, 1000}, {100, 40}, {128, 1 << 20}, {1, 50}})
    for (const Index gap : {0, 0, 0, 1}) {
      check_in_memory<double>(length, length * others, gap, random);
      check_in_memory<float>(length, length * others, gap, random);
    }
}

}  // namespace
}  // namespace shardfft::testing
