// Complex transforms, and reals to half spectra, in all ways in which a program may call them.
#include "heffte/arrays.hpp"

namespace shardfft::testing {
namespace {

using heffte::scale;
using heffte::backend::stock;

/// World, order of boxes before and after, ranks that have something before.
struct Case {
  Shape n;
  Order in{0, 1, 2}, out{0, 1, 2};
  int busy = 1 << 20;
};

/// Odd and prime extents, two dimensions, all orders, and ranks without input.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{{6, 10, 8}},
                                     {{5, 7, 12}, {2, 1, 0}, {1, 0, 2}},
                                     {{11, 4, 9}, {1, 2, 0}, {0, 1, 2}},
                                     {{8, 9, 13}, {0, 2, 1}, {2, 0, 1}},
                                     {{12, 14, 1}, {1, 0, 2}},
                                     {{9, 5, 7}, {2, 1, 0}, {2, 1, 0}, 2},
                                     {{7, 12, 6}, {}, {1, 2, 0}, 1}};
  return all;
}

/// Boxes of this rank: before, cut as cubic as can be over the busy ranks; after, along the longest axis, turned.
std::pair<Box3, Box3> boxes_of(const Case& c, const Box3& outside) {
  const int ranks = world_size(), me = world_rank(), busy = std::min(c.busy, ranks);
  const Order in = c.in == Order{} ? Order{0, 1, 2} : c.in;
  Box3 inbox({0, 0, 0}, {-1, -1, -1});
  const auto at = static_cast<std::size_t>((me + 1) % ranks);
  const auto parts = heffte::split_world(world_of(c.n), heffte::proc_setup_min_surface(world_of(c.n), busy));
  const auto slabs = heffte::split_world(outside, {1, ranks, 1});  // more ranks than planes leave empty boxes
  const Box3 slab(slabs[at].low, slabs[at].high, c.out);
  if (me < busy) {
    const Box3& part = parts[static_cast<std::size_t>(me)];
    return {Box3(part.low, part.high, in), slab};
  }
  return {inbox, slab};
}

std::string text_of(const Case& c) {
  return to_string(c.n) + " orders " + std::to_string(c.in[0]) + std::to_string(c.in[1]) + " " +
         std::to_string(c.out[0]) + std::to_string(c.out[1]) + " busy " + std::to_string(c.busy);
}

template <class T>
class HeffteTransforms : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(HeffteTransforms, Scalars);

TYPED_TEST(HeffteTransforms, AreThoseOfTheDefinitionInEachOrderAndWithEmptyBoxes) {
  using C = std::complex<TypeParam>;
  for (const Case& c : cases()) {
    const auto [inbox, outbox] = boxes_of(c, world_of(c.n));
    const Whole x = random_array(c.n, true, 3);
    const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
    const auto spectrum = fft.forward(cut<C>(x, inbox));
    expect_near(spectrum, cut<C>(transformed(x), outbox), text_of(c));
    const auto back = fft.backward(cut<C>(x, outbox));
    expect_near(back, cut<C>(transformed(x, 1), inbox), "back " + text_of(c));
  }
}

TYPED_TEST(HeffteTransforms, OfRealsGiveHalfTheSpectrumAlongEachAxis) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (const Case& c : cases())
    for (int axis = 0; axis < 3; ++axis) {
      const auto [inbox, outbox] = boxes_of(c, world_of(c.n).r2c(axis));
      const Whole x = random_array(c.n, false, 4);
      const std::string what = text_of(c) + " axis " + std::to_string(axis);
      const heffte::fft3d_r2c<stock> fft(inbox, outbox, axis, MPI_COMM_WORLD);
      const auto spectrum = fft.forward(cut<T>(x, inbox), scale::full);
      const auto elements = static_cast<long double>(product(c.n));
      expect_near(spectrum, cut<C>(times(half(transformed(x), axis), 1 / elements), outbox), what);
      expect_near(fft.backward(spectrum), cut<T>(x, inbox), "back " + what);
    }
}

TYPED_TEST(HeffteTransforms, TakeRealsForComplexNumbers) {
  using T = TypeParam;
  using C = std::complex<T>;
  const Case c = cases()[1];
  const auto [inbox, outbox] = boxes_of(c, world_of(c.n));
  const Whole x = random_array(c.n, false, 5);
  const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
  const auto spectrum = fft.forward(cut<T>(x, inbox));
  expect_near(spectrum, cut<C>(transformed(x), outbox), "reals");
  expect_near(fft.backward_real(spectrum, scale::full), cut<T>(x, inbox), "back to reals");
  expect_near(fft.backward(spectrum, scale::full), cut<C>(x, inbox), "back to complex numbers");
}

TYPED_TEST(HeffteTransforms, AreScaledAtEachCallInEitherDirection) {
  using C = std::complex<TypeParam>;
  const Case c = cases()[0];
  const auto [inbox, outbox] = boxes_of(c, world_of(c.n));
  const Whole x = random_array(c.n, true, 6);
  const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
  const auto n = static_cast<long double>(product(c.n));
  EXPECT_DOUBLE_EQ(fft.get_scale_factor(scale::full), static_cast<double>(1 / n));
  EXPECT_DOUBLE_EQ(fft.get_scale_factor(scale::symmetric), static_cast<double>(1 / std::sqrt(n)));
  for (const auto& [how, factor] :
       {std::pair{scale::none, 1.0L}, {scale::full, 1 / n}, {scale::symmetric, 1 / std::sqrt(n)}}) {
    expect_near(fft.forward(cut<C>(x, inbox), how), cut<C>(times(transformed(x), factor), outbox), "forward");
    expect_near(fft.backward(cut<C>(x, outbox), how), cut<C>(times(transformed(x, 1), factor), inbox), "backward");
  }
}

TYPED_TEST(HeffteTransforms, OfABatchAreThoseOfEachArray) {
  using T = TypeParam;
  using C = std::complex<T>;
  const Case c = cases()[5];
  const int batch = 3;
  const auto [inbox, outbox] = boxes_of(c, world_of(c.n).r2c(2));
  const heffte::fft3d_r2c<stock> fft(inbox, outbox, 2, MPI_COMM_WORLD);
  std::vector<T> in;
  std::vector<C> right;
  for (int b = 0; b < batch; ++b) {
    const Whole x = random_array(c.n, false, static_cast<std::uint64_t>(20 + b));
    for (const T value : cut<T>(x, inbox)) in.push_back(value);
    for (const C value : cut<C>(half(transformed(x), 2), outbox)) right.push_back(value);
  }
  std::vector<C> out(right.size()), workspace(batch * fft.size_workspace());
  fft.forward(batch, in.data(), out.data(), workspace.data());
  expect_near(out, right, "batch");
  std::vector<T> back(in.size());
  fft.backward(batch, out.data(), back.data(), scale::full);
  expect_near(back, in, "batch back");
}

TYPED_TEST(HeffteTransforms, OfMixedOrdersFollowTheOrderOfEachRank) {
  using C = std::complex<TypeParam>;
  const Shape n{8, 6, 10};
  const Order orders[] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  const auto part = heffte::split_world(world_of(n), {1, world_size(), 1})[static_cast<std::size_t>(world_rank())];
  const Box3 inbox(part.low, part.high, orders[world_rank() % 3]),
      outbox(part.low, part.high, orders[(world_rank() + 1) % 3]);
  const Whole x = random_array(n, true, 7);
  const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
  std::vector<C> in, out(2 * static_cast<std::size_t>(fft.size_outbox())), right;
  for (const long double factor : {1.0L, -3.0L}) {
    for (const C value : cut<C>(times(x, factor), inbox)) in.push_back(value);
    for (const C value : cut<C>(times(transformed(x), factor), outbox)) right.push_back(value);
  }
  fft.forward(2, in.data(), out.data());
  expect_near(out, right, "mixed orders, two arrays");
}

TYPED_TEST(HeffteTransforms, WorkInPlaceWhateverTheSizesOfTheBoxes) {
  using C = std::complex<TypeParam>;
  for (const Case& c : cases()) {
    const auto [inbox, outbox] = boxes_of(c, world_of(c.n));
    const Whole x = random_array(c.n, true, 8);
    const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
    auto data = cut<C>(x, inbox);
    data.resize(static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox())) + 1);
    fft.forward(data.data(), data.data());
    auto got = data;
    got.resize(static_cast<std::size_t>(fft.size_outbox()));
    expect_near(got, cut<C>(transformed(x), outbox), text_of(c));
    fft.backward(data.data(), data.data(), scale::full);
    data.resize(static_cast<std::size_t>(fft.size_inbox()));
    expect_near(data, cut<C>(x, inbox), "back " + text_of(c));
  }
}

TYPED_TEST(HeffteTransforms, OfRealsWorkInPlace) {
  using T = TypeParam;
  using C = std::complex<T>;
  const Case c = cases()[1];
  const auto [inbox, outbox] = boxes_of(c, world_of(c.n).r2c(0));
  const Whole x = random_array(c.n, false, 9);
  const heffte::fft3d_r2c<stock> fft(inbox, outbox, 0, MPI_COMM_WORLD);
  std::vector<C> memory(static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox())) + 1);
  T* reals = reinterpret_cast<T*>(memory.data());
  const auto in = cut<T>(x, inbox);
  std::copy(in.begin(), in.end(), reals);
  fft.forward(reals, memory.data());
  auto got = memory;
  got.resize(static_cast<std::size_t>(fft.size_outbox()));
  expect_near(got, cut<C>(half(transformed(x), 0), outbox), "reals in place");
  fft.backward(memory.data(), reals, scale::full);
  expect_near(std::vector<T>(reals, reals + fft.size_inbox()), in, "back in place");
}

TYPED_TEST(HeffteTransforms, MayWorkInPlaceOnSomeRanksOnly) {
  using C = std::complex<TypeParam>;
  const Case c = cases()[0];
  const auto [inbox, outbox] = boxes_of(c, world_of(c.n));
  const Whole x = random_array(c.n, true, 10);
  const heffte::fft3d<stock> fft(inbox, outbox, MPI_COMM_WORLD);
  auto data = cut<C>(x, inbox);
  data.resize(static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox())));
  std::vector<C> other(data.size());
  C* out = world_rank() == 0 ? data.data() : other.data();
  fft.forward(data.data(), out);
  expect_near(std::vector<C>(out, out + fft.size_outbox()), cut<C>(transformed(x), outbox), "one rank in place");
}

}  // namespace
}  // namespace shardfft::testing
