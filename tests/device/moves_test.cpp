// The kernel that moves boxes, run on the host, against a loop over elements.
#include "device/kernels/move.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "device/kernels/launch.hpp"
#include "device/random_boxes.hpp"

namespace shardfft::testing {
namespace {

void move_on_host(const MoveSpec& spec, const std::vector<BoxMove>& boxes, const MoveBases& bases, double scale) {
  const MoveTable table = make_move_table(spec, boxes);
  with_move_kernel(spec, table.view(), bases, scale, [](const auto& kernel) { run_on_host(kernel); });
}

template <class T>
void move_by_definition(const MoveSpec& spec, const std::vector<BoxMove>& boxes, const std::byte* from, std::byte* to,
                        double scale) {
  for (const BoxMove& box : boxes)
    for_elements(box, [&](Index f, Index t) {
      T scalars[2];
      std::memcpy(scalars, from + f, static_cast<std::size_t>(spec.element_bytes()));
      for (T& x : scalars) x = spec.scales ? x * static_cast<T>(scale) : x;
      if (box.conjugates) scalars[1] = -scalars[1];
      std::memcpy(to + t, scalars, static_cast<std::size_t>(spec.element_bytes()));
    });
}

template <class T>
std::vector<T> numbered(Index scalars, T first) {
  std::vector<T> all(static_cast<std::size_t>(scalars));
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// A random list, moved from an input to an output that begin at any scalar; nothing around the targets may change.
template <class T>
void move_random_list(Random& random, Index boxes, Index most_elements) {
  const auto spec = random_spec<T>(random);
  const auto [list, from_bytes, to_bytes] = random_list(random, spec, boxes, most_elements);
  constexpr Index margin = 8;
  const auto scalar = static_cast<Index>(sizeof(T));
  auto input = numbered<T>(from_bytes / scalar + margin, 1), output = numbered<T>(to_bytes / scalar + margin, -1e6f),
       expected = output;
  const Index from = between(random, 0, 3), to = between(random, 0, 3);
  const double scale = 0.3;
  MoveBases bases;
  bases.start[static_cast<int>(MoveBase::input)] = reinterpret_cast<std::byte*>(input.data() + from);
  bases.start[static_cast<int>(MoveBase::output)] = reinterpret_cast<std::byte*>(output.data() + to);
  move_by_definition<T>(spec, list, bases.start[1], reinterpret_cast<std::byte*>(expected.data() + to), scale);
  move_on_host(spec, list, bases, scale);
  std::string all;
  for (const BoxMove& box : list) all += text(box) + "\n";
  ASSERT_EQ(output, expected) << all << "complex " << spec.complex << ", scales " << spec.scales << ", from scalar "
                              << from << " to " << to;
}

template <class T>
class Moves : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Moves, Scalars);

TYPED_TEST(Moves, BringEveryElementOfRandomBoxesToItsPlaceAndTouchNothingElse) {
  constexpr std::uint64_t seed = 41;
  Random random(seed);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    move_random_list<TypeParam>(random, between(random, 0, 5), between(random, 1, 6000));
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(Moves, BringLargeBoxesInSeveralBlocks) {
  constexpr std::uint64_t seed = 42;
  Random random(seed);
  for (int i = 0; i < 8; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
    move_random_list<TypeParam>(random, 2, 200000);
    if (this->HasFailure()) return;
  }
}

/// Every shape of tile: narrow, flat, small, with odd edges.
TYPED_TEST(Moves, TransposePlanesOfAnyExtentsThroughTiles) {
  using T = TypeParam;
  for (const bool complex : {false, true})
    for (const Index rows : {2, 3, 31, 32, 33, 65, 300})
      for (const Index columns : {2, 5, 32, 64, 67, 1100})
        for (const Index planes : {1, 3, 40}) {
          if (planes * rows * columns > 200000) continue;
          const MoveSpec spec{.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64, .complex = complex};
          const Index e = spec.element_bytes(), plane = rows * columns * e;
          const BoxMove box{.axes = 3,
                            .from_base = MoveBase::input,
                            .to_base = MoveBase::output,
                            .conjugates = complex && planes == 3,
                            .extent = {planes, rows, columns},
                            .from_step = {plane, e, rows * e},
                            .to_step = {plane, columns * e, e}};
          ASSERT_EQ(make_move_table(spec, std::vector{box}).boxes.at(0).way, MoveWay::tiles);
          auto input = numbered<T>(planes * plane / static_cast<Index>(sizeof(T)), 1),
               output = std::vector<T>(input.size()), expected = output;
          MoveBases bases;
          bases.start[1] = reinterpret_cast<std::byte*>(input.data()),
          bases.start[2] = reinterpret_cast<std::byte*>(output.data());
          move_by_definition<T>(spec, {box}, bases.start[1], reinterpret_cast<std::byte*>(expected.data()), 1);
          move_on_host(spec, {box}, bases, 1);
          ASSERT_EQ(output, expected) << planes << " x " << rows << " x " << columns << ", complex " << complex;
        }
}

TYPED_TEST(Moves, KeepEveryBitWhereNothingIsScaled) {
  using T = TypeParam;
  const std::vector<T> odd = {std::numeric_limits<T>::denorm_min(), -T(0),
                              std::numeric_limits<T>::infinity(),   std::numeric_limits<T>::signaling_NaN(),
                              std::numeric_limits<T>::max(),        T(1) / 3};
  std::vector<T> to(odd.size());
  const auto e = static_cast<Index>(sizeof(T)), n = static_cast<Index>(odd.size());
  BoxMove box{.axes = 1,
              .from = reinterpret_cast<Index>(odd.data()),
              .to = reinterpret_cast<Index>(to.data()),
              .extent = {n},
              .from_step = {e},
              .to_step = {e}};
  move_on_host({.scalar = e == 4 ? Scalar::f32 : Scalar::f64, .complex = false}, {box}, {}, 0.5);
  EXPECT_EQ(std::memcmp(to.data(), odd.data(), odd.size() * sizeof(T)), 0);
}

TEST(MovesFarApart, ReachElementsManyGigabytesAway) {
  constexpr std::size_t bytes = std::size_t{48} << 30;
  void* far = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (far == MAP_FAILED) GTEST_SKIP() << "no addresses for 48 GiB";
  auto* start = static_cast<std::byte*>(far);
  const Index step = (Index{9} << 30) + 8, n = 5;
  const auto input = numbered<double>(3 * n, 1);
  const BoxMove box{.axes = 2,
                    .from_base = MoveBase::input,
                    .to_base = MoveBase::output,
                    .to = 16,
                    .extent = {n, 3},
                    .from_step = {24, 8},
                    .to_step = {step, 8}};
  MoveBases bases;
  bases.start[1] = reinterpret_cast<std::byte*>(const_cast<double*>(input.data())), bases.start[2] = start;
  move_on_host({.scalar = Scalar::f64, .complex = false}, {box}, bases, 1);
  for (Index i = 0; i < n; ++i) EXPECT_EQ(std::memcmp(start + 16 + i * step, input.data() + 3 * i, 24), 0) << i;
  munmap(far, bytes);
}

}  // namespace
}  // namespace shardfft::testing
