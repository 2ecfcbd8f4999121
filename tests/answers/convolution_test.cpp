// Convolutions against sums of products; sharpened arrays that were blurred here.
#include "shardfft/answers/convolution.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <mutex>

#include "answers/sums.hpp"
#include "plan/calls/expect_error.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

template <class T>
void copy_box(Filled<T>& array, const Box& box, std::byte* packed, bool into_array) {
  for_each_position(box, {}, [&](const Coord& at) {
    T& there = array.at(at);
    std::memcpy(into_array ? static_cast<void*>(&there) : packed, into_array ? packed : static_cast<void*>(&there),
                sizeof(T));
    packed += sizeof(T);
  });
}

template <class T>
Filled<T> by_tiles(const Convolution& what, Filled<T>& x, Filled<T>& k, int ranks, int threads) {
  Filled<T> result(what.result(), 1);
  std::mutex writes;
  for (int rank = 0; rank < ranks; ++rank)
    convolve_tiles(
        what, way_of(what), k.values, rank, ranks, threads,
        [&](const Box& box, std::byte* to) { copy_box(x, box, to, false); },
        [&](const Box& box, const std::byte* from) {
          const std::lock_guard lock(writes);
          copy_box(result, box, const_cast<std::byte*>(from), true);  // NOLINT: only read
        });
  return result;
}

template <class T>
Filled<T> through_the_spectrum(const Convolution& what, Filled<T>& x, Filled<T>& k, int ranks) {
  Filled<T> result(what.result(), 1);
  std::mutex writes;
  on_ranks(ranks, [&](const Comm& comm) {
    const Layout in(slabs(0), x.shape, comm.size()), out(slabs(0), result.shape, comm.size());
    std::vector<T> mine(static_cast<std::size_t>(in.count(comm.rank()))),
        made(static_cast<std::size_t>(out.count(comm.rank())));
    for_each_element(in, comm.rank(), [&](const Coord& at, std::size_t i) { mine[i] = x.at(at); });
    convolve_whole(comm, what, slabs(0), mine, k.values, made);
    const std::lock_guard lock(writes);
    for_each_element(out, comm.rank(), [&](const Coord& at, std::size_t i) { result.at(at) = made[i]; });
  });
  return result;
}

template <class T>
void expect_sums(const Shape& shape, const Shape& kernel) {
  for (const ConvolutionMode mode : {ConvolutionMode::same, ConvolutionMode::full, ConvolutionMode::circular}) {
    Filled<T> x(shape, 3), k(kernel, 5);
    constexpr bool single = std::is_same_v<T, float>;
    const Convolution what{.array = shape,
                           .kernel = kernel,
                           .mode = mode,
                           .precision = single ? f32 : f64,
                           .complex = !std::is_floating_point_v<T>};
    const Filled<T> wanted = direct(what, x, k), tiled = by_tiles(what, x, k, 1, 1);
    const double bound = single ? 1e-4 : 1e-12;
    EXPECT_LT(farthest(tiled, wanted), bound) << to_string(shape) << " by " << to_string(kernel);
    EXPECT_EQ(by_tiles(what, x, k, 3, 2).values, tiled.values) << "ranks share tiles whole";
    const Filled<T> alone = through_the_spectrum(what, x, k, 1);
    EXPECT_LT(farthest(alone, wanted), bound) << to_string(shape) << " by " << to_string(kernel);
    EXPECT_EQ(through_the_spectrum(what, x, k, 3).values, alone.values);
  }
}

TEST(Convolution, IsTheSumOfProductsEitherWayWithTheSameBitsOnAnyRanks) {
  expect_sums<double>({70, 5, 6}, {3, 2, 4});
  expect_sums<float>({300, 9}, {4, 9});
  expect_sums<std::complex<double>>({9000}, {7});
}

TEST(Convolution, GoesOverTilesIfTheKernelIsSmall) {
  EXPECT_TRUE(way_of({.array = {512, 512, 512}, .kernel = {5, 5, 5}}).by_tiles);
  EXPECT_FALSE(way_of({.array = {512, 512, 512}, .kernel = {300, 300, 300}}).by_tiles);
  EXPECT_THROW((void)way_of({.array = {8, 8}, .kernel = {3}}), Error);
  EXPECT_THROW((void)way_of({.array = {8}, .kernel = {9}, .mode = ConvolutionMode::circular}), Error);
}

/// What a plan's array is, blurred around the centre 1, 1 of `psf`.
void expect_sharp(const Comm& comm, const Deconvolution& how, double bound) {
  const Shape shape{12, 9};
  Filled<double> x(shape, 3), psf({3, 3}, 5);
  for (double& v : x.values) v = 1 + v * v;
  for (double& v : psf.values) v = 0.05;
  psf.at({1, 1}) = 0.6;
  Plan plan(comm, {.shape = shape, .kind = r2c}, {.input = slabs(0), .apply = Apply::to_outputs});
  Array given = plan.make_input(), spread = plan.make_input(), out = plan.make_applied();
  for_each_element(plan.input(), comm.rank(), [&](const Coord& at, std::size_t i) {
    for_each_position(whole(psf.shape), {}, [&](const Coord& t) {
      const Coord from{(at[0] + 1 - t[0] + shape[0]) % shape[0], (at[1] + 1 - t[1] + shape[1]) % shape[1]};
      given.as<double>()[i] += psf.at(t) * x.at(from);
    });
  });
  wrap_kernel(plan.input(), comm.rank(), psf.shape, {1, 1}, psf.values, spread, 8);
  deconvolve(plan, given, spread, out, how);
  for_each_element(plan.input(), comm.rank(), [&](const Coord& at, std::size_t i) {
    EXPECT_NEAR(out.as<double>()[i], x.at(at), bound) << comm.size() << " ranks";
  });
}

TEST(Deconvolution, SharpensWhatWasBlurred) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [](const Comm& comm) {
      expect_sharp(comm, {.balance = 0}, 1e-12);
      expect_sharp(comm, {.iterations = 300}, 1e-3);
    });
}

TEST(Deconvolution, SaysWhatItTakes) {
  const auto with = [](Kind kind, const Deconvolution& how, bool whole_result) {
    return [=](const Comm& comm) {
      Plan plan(comm, {.shape = {8, 8}, .kind = kind}, {.apply = Apply::to_outputs});
      Array in = plan.make_input(), out = plan.make_applied();
      const View view = out;
      deconvolve(plan, in, in, whole_result ? view : View(view.data, view.bytes / 2), how);
    };
  };
  expect_error(2, Status::invalid_argument, {"of real arrays"}, with(c2c, {}, true));
  expect_error(2, Status::invalid_argument, {"got -1"}, with(r2c, {.iterations = -1}, true));
  expect_error(2, Status::invalid_argument, {"got -2"}, with(r2c, {.balance = -2}, true));
  expect_error(2, Status::invalid_argument, {"the result has"}, with(r2c, {.iterations = 2}, false));
}

}  // namespace
}  // namespace shardfft::testing
