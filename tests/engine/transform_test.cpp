// Every short length against the definition.
#include <algorithm>
#include <cmath>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

/// Relative L2 error allowed.
template <class T>
double bound(Index n) {
  return roundoff<T> * std::max(1.0, std::log2(static_cast<double>(n)));
}

Pencil exact(const Pencil& pencil, Transform1d t, Index n, const Definition& reference) {
  const Pencil inputs = complex_inputs(pencil, t, n);
  Pencil out;
  for (Index u = 0; u < (t == Transform1d::r2c ? n / 2 + 1 : n); ++u) {
    const auto y = reference.output(inputs, u, sign_of(t));
    out.push_back(is_real_out(t) ? y.real() : y);
  }
  return out;
}

double relative_error(const Pencil& got, const Pencil& want) {
  Wide error = 0, norm = 0;
  for (std::size_t k = 0; k < want.size(); ++k) error += std::norm(got[k] - want[k]), norm += std::norm(want[k]);
  return static_cast<double>(std::sqrt(error / norm));
}

template <class T>
void expect_transform(Index n, Transform1d t, std::mt19937_64& random, const Definition& reference) {
  const auto kernel = native_engine().make({.n = n, .transform = t, .scalar = scalar_of<T>});
  std::vector<Pencil> pencils;
  for (int v = 0; v < kernel->in().pencils; ++v)
    pencils.push_back(random_pencil<T>(random, input_length(t, n), is_real_in(t)));
  const auto out = transformed<T>(*kernel, pencils);
  for (std::size_t v = 0; v < out.size(); v += 3)
    EXPECT_LE(relative_error(out[v], exact(pencils[v], t, n, reference)), bound<T>(n))
        << "n " << n << ", " << kernel->describe() << ", transform " << static_cast<int>(t) << ", pencil " << v;
}

template <class T>
class ShortTransforms : public ::testing::Test {};
TYPED_TEST_SUITE(ShortTransforms, FloatAndDouble);

TYPED_TEST(ShortTransforms, AgreeWithTheDefinitionForEveryLengthOnEveryInstructionSet) {
  Sample sample;
  std::mt19937_64 random(20240601);
  SCOPED_TRACE("seed 20240601");
  for (Index n = 1; n <= 130; ++n) {
    const Definition reference(n);
    on_every_target([&] {
      for (const Transform1d t : all_transforms)
        if (sample.takes()) expect_transform<TypeParam>(n, t, random, reference);
    });
  }
}

TYPED_TEST(ShortTransforms, BackwardAfterForwardIsTheInputTimesItsLength) {
  std::mt19937_64 random(7);
  for (const Index n : {1, 2, 3, 16, 60, 97, 131, 210, 347, 509}) {
    const auto forward = native_engine().make({n, Transform1d::forward, scalar_of<TypeParam>}),
               backward = native_engine().make({n, Transform1d::backward, scalar_of<TypeParam>});
    std::vector<Pencil> pencils;
    for (int v = 0; v < forward->in().pencils; ++v) pencils.push_back(random_pencil<TypeParam>(random, n, false));
    const auto out = transformed<TypeParam>(*backward, transformed<TypeParam>(*forward, pencils));
    for (Pencil& pencil : pencils)
      for (auto& x : pencil) x *= static_cast<Wide>(n);
    for (std::size_t v = 0; v < out.size(); ++v)
      EXPECT_LE(relative_error(out[v], pencils[v]), 2 * bound<TypeParam>(n)) << n;
  }
}

TYPED_TEST(ShortTransforms, ComplexToRealAfterRealToComplexIsTheInputTimesItsLength) {
  std::mt19937_64 random(8);
  for (const Index n : {1, 2, 3, 4, 15, 60, 97, 131, 210, 347, 509, 694}) {
    const auto forward = native_engine().make({n, Transform1d::r2c, scalar_of<TypeParam>}),
               backward = native_engine().make({n, Transform1d::c2r, scalar_of<TypeParam>});
    std::vector<Pencil> pencils;
    for (int v = 0; v < forward->in().pencils; ++v) pencils.push_back(random_pencil<TypeParam>(random, n, true));
    const auto out = transformed<TypeParam>(*backward, transformed<TypeParam>(*forward, pencils));
    for (Pencil& pencil : pencils)
      for (auto& x : pencil) x *= static_cast<Wide>(n);
    for (std::size_t v = 0; v < out.size(); ++v)
      EXPECT_LE(relative_error(out[v], pencils[v]), 2 * bound<TypeParam>(n)) << n;
  }
}

TYPED_TEST(ShortTransforms, FromComplexToRealDoNotLookAtImaginaryPartsThatMustBeZero) {
  using T = TypeParam;
  std::mt19937_64 random(9);
  for (const Index n : {1, 2, 4, 6, 9, 15, 34, 64, 262, 347, 694, 4096, 4099, 6561, 8198}) {
    const auto kernel = native_engine().make({n, Transform1d::c2r, scalar_of<T>});
    std::vector<Pencil> clean, dirty;
    for (int v = 0; v < kernel->in().pencils; ++v) {
      clean.push_back(random_pencil<T>(random, n / 2 + 1, false));
      clean.back().front().imag(0);
      if (n % 2 == 0) clean.back().back().imag(0);
      dirty.push_back(clean.back());
      dirty.back().front().imag(std::numeric_limits<Wide>::quiet_NaN());
      if (n % 2 == 0) dirty.back().back().imag(std::numeric_limits<Wide>::infinity());
    }
    EXPECT_EQ(transformed<T>(*kernel, dirty), transformed<T>(*kernel, clean)) << n;
  }
}

}  // namespace
}  // namespace shardfft::testing
