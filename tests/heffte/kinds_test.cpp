// Cosines and sines: forward as FFTW's, and what an unscaled way back multiplies with.
#include "heffte/arrays.hpp"

namespace shardfft::testing {
namespace {

namespace backend = heffte::backend;

template <class Backend, Transform1d kind>
struct Tried {
  using Tag = Backend;
  static constexpr Transform1d transform = kind;
};

template <class T>
class HeffteKinds : public ::testing::Test {};
using Kinds =
    ::testing::Types<Tried<backend::stock_cos, Transform1d::cosine2>, Tried<backend::stock_sin, Transform1d::sine2>,
                     Tried<backend::stock_cos1, Transform1d::cosine1>, Tried<backend::fftw_cos, Transform1d::cosine2>,
                     Tried<backend::fftw_sin, Transform1d::sine2>, Tried<backend::fftw_cos1, Transform1d::cosine1>,
                     Tried<backend::fftw_sin1, Transform1d::sine1>, Tried<backend::mkl_cos, Transform1d::cosine2>>;
TYPED_TEST_SUITE(HeffteKinds, Kinds);

TYPED_TEST(HeffteKinds, AreThoseOfTheDefinitionAndTheirPairIsWhatTheScaleUndoes) {
  const Shape n{5, 6, 4};
  const int ranks = world_size();
  const auto me = static_cast<std::size_t>(world_rank());
  const Box3 in = heffte::split_world(world_of(n), {ranks, 1, 1})[me],
             part = heffte::split_world(world_of(n), {1, 1, ranks})[me];
  const Box3 out(part.low, part.high, {2, 0, 1});
  Whole x = random_array(n, false, 11), y = x;
  for (int axis = 0; axis < 3; ++axis) y = real_to_real(y, axis, TypeParam::transform);
  const heffte::rtransform<typename TypeParam::Tag> transform(in, out, MPI_COMM_WORLD);
  const auto spectrum = transform.forward(cut<double>(x, in));
  expect_near(spectrum, cut<double>(y, out), "forward");
  expect_near(transform.backward(spectrum, heffte::scale::full), cut<double>(x, in), "backward");
  const long double pair = 1 / transform.get_scale_factor(heffte::scale::full);
  expect_near(transform.backward(spectrum), cut<double>(times(x, pair), in), "unscaled");
  expect_near(
      transform.backward_real(transform.forward(cut<float>(x, in), heffte::scale::symmetric), heffte::scale::symmetric),
      cut<float>(x, in), "symmetric");
}

TEST(HeffteKindsOfFftw, HaveThePairOfFftwAndOthersEightTimesThat) {
  const Box3 world = world_of({5, 6, 4});
  const Box3 box = heffte::split_world(world, {1, world_size(), 1})[static_cast<std::size_t>(world_rank())];
  const auto factor = [&](auto tag) {
    return heffte::rtransform<decltype(tag)>(box, box, MPI_COMM_WORLD).get_scale_factor(heffte::scale::full);
  };
  EXPECT_DOUBLE_EQ(factor(backend::fftw_cos{}), 1.0 / (8 * 120));
  EXPECT_DOUBLE_EQ(factor(backend::stock_cos{}), 1.0 / (64 * 120));
  EXPECT_DOUBLE_EQ(factor(backend::fftw_cos1{}), 1.0 / (8 * 4 * 5 * 3));
  EXPECT_DOUBLE_EQ(factor(backend::fftw_sin1{}), 1.0 / (8 * 6 * 7 * 5));
}

}  // namespace
}  // namespace shardfft::testing
