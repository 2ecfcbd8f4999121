// Gather and scatter against the formulas of the tile formats, element by element, for random rectangles; nothing
// around them may change.
#include "sweep/host/tile_moves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/problems/between.hpp"

namespace shardfft::testing {
namespace {

/// Memory in which every scalar has a value of its own, with the part that a rectangle covers somewhere inside.
template <class T>
struct Field {
  std::vector<T> scalars{};
  Index first = 0, step_k = 0, step_v = 0;  // scalars
  Index count_k = 0, count_v = 0;
  bool conjugated = false;

  [[nodiscard]] Index at(Index k, Index v, int part) const { return first + k * step_k + v * step_v + part; }
  template <class Byte, class Self>
  static Rectangle<Byte> rectangle(Self& field) {
    const auto bytes = static_cast<Index>(sizeof(T));
    return {reinterpret_cast<Byte*>(field.scalars.data() + field.first),
            field.count_k,
            field.count_v,
            field.step_k * bytes,
            field.step_v * bytes,
            field.conjugated};
  }
};

enum class Shape { along_v, along_k, scattered, reversed, mirrored };

/// `aligned`: the rectangle starts at a cache line and its steps are whole lines, so that stores may bypass the cache.
template <class T>
Field<T> random_field(Random& random, Shape shape, Index parts, Index count_k, Index count_v, bool aligned) {
  Field<T> f{.count_k = count_k, .count_v = count_v};
  const Index line = 64 / static_cast<Index>(sizeof(T));
  const auto padded = [&](Index scalars) {
    return aligned ? (scalars + line - 1) / line * line : scalars + between(random, 0, 5);
  };
  const Index gap = shape == Shape::scattered ? parts + between(random, 1, 3) : parts;
  const bool v_fast = shape == Shape::along_v || shape == Shape::reversed || shape == Shape::mirrored;
  (v_fast ? f.step_v : f.step_k) = gap;
  (v_fast ? f.step_k : f.step_v) = padded(gap * (v_fast ? count_v : count_k));
  Index low = 0, high = 0;
  if (shape == Shape::reversed) f.step_k = -f.step_k, low = (count_k - 1) * f.step_k;
  if (shape == Shape::mirrored) f.step_v = -f.step_v, low = (count_v - 1) * f.step_v;
  high = std::max<Index>(0, (count_k - 1) * f.step_k) + std::max<Index>(0, (count_v - 1) * f.step_v) + parts;
  const Index margin = 2 * line;
  f.scalars.resize(static_cast<std::size_t>(high - low + 4 * margin));
  f.first = margin - low + between(random, 0, 3);
  if (aligned)
    while (reinterpret_cast<std::uintptr_t>(f.scalars.data() + f.first) % 64 != 0) ++f.first;
  for (std::size_t i = 0; i < f.scalars.size(); ++i) f.scalars[i] = static_cast<T>(i + 1);
  return f;
}

struct Case {
  TileFormat format{};
  std::shared_ptr<std::vector<Index>> places{};  // those of the format, if it has any
  Shape shape = Shape::along_v;
  Index k0 = 0, v0 = 0, count_k = 0, count_v = 0;
  double scale = 1;
  bool non_temporal = false, conjugated = false;
};

template <class T>
Case random_case(Random& random) {
  Case c;
  const int native = native_engine().make({.n = 4, .scalar = scalar_of<T>})->in().pencils;
  c.format.order = random() % 3 == 0 ? TileFormat::Order::rows : TileFormat::Order::lanes;
  c.format.complex = random() % 2;
  c.format.pencils = random() % 4 == 0 ? static_cast<int>(between(random, 1, 20)) : native;
  c.format.length = between(random, 1, 70);
  if (c.format.order == TileFormat::Order::rows)
    c.format.ld = c.format.length * (c.format.complex ? 2 : 1) + between(random, 0, 4);
  if (c.format.order == TileFormat::Order::lanes && random() % 2) {
    c.places = std::make_shared<std::vector<Index>>(static_cast<std::size_t>(c.format.length));
    std::iota(c.places->begin(), c.places->end(), 0);
    std::shuffle(c.places->begin(), c.places->end(), random);
    c.format.places = c.places->data();
  }
  const bool whole = random() % 2;
  c.v0 = whole ? 0 : between(random, 0, c.format.pencils - 1);
  c.count_v = whole ? c.format.pencils : between(random, 1, c.format.pencils - c.v0);
  c.k0 = random() % 2 ? 0 : between(random, 0, c.format.length - 1);
  c.count_k = between(random, 1, c.format.length - c.k0);
  c.shape = static_cast<Shape>(random() % 5);
  c.conjugated = c.format.complex && random() % 5 < (c.shape == Shape::mirrored ? 4u : 1u);
  c.scale = random() % 2 ? 1 : 0.375;
  c.non_temporal = random() % 2;
  return c;
}

std::string text(const Case& c) {
  return "order " + std::to_string(static_cast<int>(c.format.order)) + ", complex " + std::to_string(c.format.complex) +
         ", tile " + std::to_string(c.format.length) + " x " + std::to_string(c.format.pencils) + ", from (" +
         std::to_string(c.k0) + ", " + std::to_string(c.v0) + "), " + std::to_string(c.count_k) + " x " +
         std::to_string(c.count_v) + ", shape " + std::to_string(static_cast<int>(c.shape)) + ", non_temporal " +
         std::to_string(c.non_temporal) + (c.places ? ", places" : "") + (c.conjugated ? ", conjugated" : "") +
         ", scale " + std::to_string(c.scale);
}

/// A tile between guard scalars, every scalar with a value of its own; lanes tiles are aligned as the kernels' are.
template <class T>
class GuardedTile {
 public:
  explicit GuardedTile(const TileFormat& format)
      : count_(static_cast<std::size_t>(format.scalars())), bytes_((count_ + 2 * guard) * sizeof(T)) {
    for (std::size_t i = 0; i < count_ + 2 * guard; ++i) scalars()[i] = -static_cast<T>(i + 1);
  }
  [[nodiscard]] std::byte* data() { return bytes_.data() + guard * sizeof(T); }
  [[nodiscard]] std::vector<T> copy() { return {scalars(), scalars() + count_ + 2 * guard}; }
  static T& element_of(std::vector<T>& copy, const TileFormat& f, Index k, Index v, int part) {
    return element<T>(f, reinterpret_cast<std::byte*>(copy.data() + guard), k, v, part);
  }

 private:
  static constexpr std::size_t guard = 64;
  T* scalars() { return reinterpret_cast<T*>(bytes_.data()); }
  std::size_t count_;
  AlignedBytes bytes_;
};

template <class T>
class TileMoves : public ::testing::Test {
 protected:
  static constexpr int cases = 1500;
  /// body(case, field, tile) for random cases on every instruction set
  template <class Body>
  static void for_random_cases(std::uint64_t seed, Body body) {
    on_every_target([&] {
      Random random(seed);
      for (int i = 0; i < cases; ++i) {
        const Case c = random_case<T>(random);
        SCOPED_TRACE(text(c) + ", seed " + std::to_string(seed) + ", case " + std::to_string(i));
        auto field = random_field<T>(random, c.shape, c.format.complex ? 2 : 1, c.count_k, c.count_v, random() % 2);
        field.conjugated = c.conjugated;
        GuardedTile<T> tile(c.format);
        body(c, field, tile);
        if (::testing::Test::HasFailure()) return;
      }
    });
  }
  template <class F>
  static void for_elements(const Case& c, F f) {
    for (Index k = 0; k < c.count_k; ++k)
      for (Index v = 0; v < c.count_v; ++v)
        for (int part = 0; part < (c.format.complex ? 2 : 1); ++part) f(k, v, part);
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TileMoves, Scalars);

TYPED_TEST(TileMoves, GatherFillsExactlyItsPartOfTheTile) {
  using T = TypeParam;
  this->for_random_cases(11, [](const Case& c, Field<T>& field, GuardedTile<T>& tile) {
    std::vector<T> expected = tile.copy();
    TestFixture::for_elements(c, [&](Index k, Index v, int part) {
      GuardedTile<T>::element_of(expected, c.format, c.k0 + k, c.v0 + v, part) =
          field.scalars[static_cast<std::size_t>(field.at(k, v, part))] * (c.conjugated && part == 1 ? -1 : 1);
    });
    const auto before = field.scalars;
    gather(scalar_of<T>, c.format, tile.data(), c.k0, c.v0, Field<T>::template rectangle<const std::byte>(field));
    EXPECT_EQ(tile.copy(), expected);
    EXPECT_EQ(field.scalars, before);
  });
}

TYPED_TEST(TileMoves, ScatterWritesExactlyItsRectangleScaled) {
  using T = TypeParam;
  this->for_random_cases(12, [](Case c, Field<T>& field, GuardedTile<T>& tile) {
    c.format.places = nullptr;  // results come in natural order
    std::vector<T> before = tile.copy(), expected = field.scalars;
    TestFixture::for_elements(c, [&](Index k, Index v, int part) {
      expected[static_cast<std::size_t>(field.at(k, v, part))] =
          GuardedTile<T>::element_of(before, c.format, c.k0 + k, c.v0 + v, part) *
          static_cast<T>(c.conjugated && part == 1 ? -c.scale : c.scale);
    });
    scatter(scalar_of<T>, c.format, tile.data(), c.k0, c.v0, Field<T>::template rectangle<std::byte>(field), c.scale,
            c.non_temporal);
    non_temporal_fence();
    EXPECT_EQ(field.scalars, expected);
    EXPECT_EQ(tile.copy(), before);
  });
}

TYPED_TEST(TileMoves, ClearPencilsMakesTheRestZeroAndNothingElse) {
  using T = TypeParam;
  this->for_random_cases(13, [](const Case& c, Field<T>&, GuardedTile<T>& tile) {
    std::vector<T> expected = tile.copy();
    for (Index v = c.count_v; v < c.format.pencils; ++v)
      for (Index k = 0; k < c.format.length; ++k)
        for (int part = 0; part < (c.format.complex ? 2 : 1); ++part)
          GuardedTile<T>::element_of(expected, c.format, k, v, part) = 0;
    clear_pencils(scalar_of<T>, c.format, tile.data(), c.count_v);
    EXPECT_EQ(tile.copy(), expected);
  });
}

TYPED_TEST(TileMoves, KeepEveryBitOfOddNumbersWhenTheScaleIsOne) {
  using T = TypeParam;
  constexpr T odd[] = {std::numeric_limits<T>::denorm_min(), -T(0), std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::max(), T(1) / 3};
  on_every_target([&] {
    for (const bool complex : {false, true})
      for (const bool along_v : {false, true}) {
        const auto kernel = native_engine().make({.n = 40, .scalar = scalar_of<T>});
        TileFormat format = kernel->in();
        format.complex = complex;
        format.places = nullptr;
        const Index element_bytes = static_cast<Index>(sizeof(T)) * (complex ? 2 : 1),
                    other = element_bytes * (along_v ? format.pencils : format.length);
        std::vector<T> from(static_cast<std::size_t>(format.scalars())), to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = odd[i % std::size(odd)];
        AlignedBytes tile(kernel->buffer_bytes());
        const Index step_k = along_v ? other : element_bytes, step_v = along_v ? element_bytes : other;
        gather(scalar_of<T>, format, tile.data(), 0, 0,
               {reinterpret_cast<const std::byte*>(from.data()), format.length, format.pencils, step_k, step_v});
        scatter(scalar_of<T>, format, tile.data(), 0, 0,
                {reinterpret_cast<std::byte*>(to.data()), format.length, format.pencils, step_k, step_v}, 1, false);
        for (std::size_t i = 0; i < from.size(); ++i) {
          EXPECT_EQ(to[i], from[i]);
          EXPECT_EQ(std::signbit(to[i]), std::signbit(from[i]));
        }
      }
  });
}

TEST(TileMovesOfNothing, TouchNoMemory) {
  const TileFormat format{.length = 8};
  gather(Scalar::f64, format, nullptr, 0, 0, {});
  scatter(Scalar::f64, format, nullptr, 0, 0, {}, 2, true);
  clear_pencils(Scalar::f64, format, nullptr, format.pencils);
}

}  // namespace
}  // namespace shardfft::testing
