// Long pencils in halves against the definition: short ones in every shape of halves, then those that the engine takes
// this way.
#include "engine/native/four_step/four_step_complex.hpp"
#include "engine/native/four_step/four_step_convolution.hpp"
#include "engine/native/four_step/four_step_real.hpp"
#include "engine/registry.hpp"
#include "engine/sampled_error.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

using native::FourStepFactors;

template <class T>
double allowed(Index n) {
  return roundoff<T> * std::log2(static_cast<double>(n));
}

template <class T>
void expect_exact(const Kernel& kernel, Transform1d t, Index n, int samples = usual_samples) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  EXPECT_LE(sampled_error<T>(kernel, t, n, random, Definition(n), samples), allowed<T>(n))
      << "n " << n << ", " << kernel.describe() << ", " << name(t);
}

template <class T>
class LongPencils : public ::testing::Test {};
TYPED_TEST_SUITE(LongPencils, FloatAndDouble);

/// Whole tiles and rests of both halves, odd and even, with primes that are butterflies (37) and that are convolutions
/// themselves (131, 197).
constexpr FourStepFactors shapes[] = {{32, 32}, {33, 32}, {32, 33}, {33, 35},  {37, 40},
                                      {47, 62}, {64, 50}, {80, 96}, {131, 34}, {36, 197}};

template <class T>
std::shared_ptr<Kernel> in_halves(const KernelRequest& request, const FourStepFactors& halves) {
  const auto& moves = *native::four_step_routines<T>();
  const auto& routines = native::routines<T>();
  if (request.transform == Transform1d::r2c || request.transform == Transform1d::c2r)
    return std::make_shared<native::FourStepReal<T>>(request, halves, moves, routines);
  return std::make_shared<native::FourStepComplex<T>>(request, halves, moves, routines);
}

TYPED_TEST(LongPencils, AgreeWithTheDefinitionWhateverTheHalves) {
  using T = TypeParam;
  on_every_target([] {
    if (native::four_step_routines<T>() == nullptr) return;
    for (const FourStepFactors& halves : shapes)
      for (const Transform1d t : all_transforms)
        expect_exact<T>(*in_halves<T>({halves.length(), t, scalar_of<T>}, halves), t, halves.length());
  });
}

TYPED_TEST(LongPencils, ByConvolutionAgreeWithTheDefinitionWhateverTheHalvesAndTheFormOfTheChirp) {
  using T = TypeParam;
  using native::ChirpForm;
  struct Case {
    Index n;
    FourStepFactors halves;
    ChirpForm form;
  };
  const Case cases[] = {{499, {32, 32}, ChirpForm::tables},     {512, {33, 32}, ChirpForm::tables},
                        {38, {32, 35}, ChirpForm::tables},      {1201, {48, 54}, ChirpForm::tables},
                        {1200, {75, 32}, ChirpForm::tables},    {499, {32, 40}, ChirpForm::products},
                        {512, {33, 40}, ChirpForm::products},   {512, {40, 33}, ChirpForm::products},
                        {1201, {48, 57}, ChirpForm::products},  {1200, {77, 36}, ChirpForm::products},
                        {1201, {32, 200}, ChirpForm::products}, {1024, {200, 33}, ChirpForm::products}};
  on_every_target([&cases] {
    if (native::four_step_routines<T>() == nullptr) return;
    for (const Case& c : cases)
      for (const Transform1d t : all_transforms)
        expect_exact<T>(native::FourStepConvolution<T>({c.n, t, scalar_of<T>}, c.halves,
                                                       *native::four_step_routines<T>(), native::routines<T>(), c.form),
                        t, c.n);
  });
}

/// At and around the thresholds, powers, mixes, odd lengths, primes, and twice a prime.
constexpr Index pencil_lengths[] = {4094,  4095,  4096,  4097,  4099,  5040,  6561,
                                    10007, 16384, 20014, 30030, 65534, 65536, 65537};

TYPED_TEST(LongPencils, OfTheEngineAgreeWithTheDefinition) {
  Sample sample;
  for (const Index n : pencil_lengths)
    for (const Transform1d t : all_transforms)
      if (sample.takes()) expect_exact<TypeParam>(*native_engine().make({n, t, scalar_of<TypeParam>}), t, n);
}

TYPED_TEST(LongPencils, OfWhichThereAreFewAgreeWithTheDefinition) {
  using T = TypeParam;
  for (const Index n : {4096, 5040, 16384})
    for (const Transform1d t : all_transforms) {
      const auto kernel = native_engine().make({n, t, scalar_of<T>, true});
      if (native::four_step_routines<T>() != nullptr) {
        EXPECT_EQ(kernel->in().pencils, 1) << n;
        EXPECT_GT(native_engine().make({n, t, scalar_of<T>})->in().pencils, 1) << n << ": many fill the lanes";
      }
      expect_exact<T>(*kernel, t, n);
    }
}

TEST(VeryLongPencils, AgreeWithTheDefinition) {
  constexpr int samples = sanitized ? 1 : 4;
  constexpr Index power = sanitized ? 1 << 17 : 1 << 20, prime = sanitized ? 100003 : 1000003;
  for (const auto& [n, t] : {std::pair{power - 1, Transform1d::r2c},
                             {power, Transform1d::forward},
                             {power, Transform1d::c2r},
                             {prime, Transform1d::backward}})
    expect_exact<double>(*native_engine().make({n, t, Scalar::f64}), t, n, samples);
  expect_exact<float>(*native_engine().make({100003, Transform1d::r2c, Scalar::f32}), Transform1d::r2c, 100003,
                      samples);
}

TYPED_TEST(LongPencils, OfRealsHaveSpectraWhoseEndsAreReal) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  for (const Index n : {4096, 4099, 6561, 8198}) {
    const auto kernel = native_engine().make({n, Transform1d::r2c, scalar_of<T>});
    const auto out = transformed<T>(*kernel, std::vector<Pencil>(static_cast<std::size_t>(kernel->in().pencils),
                                                                 random_pencil<T>(random, n, true)));
    EXPECT_EQ(out[0].front().imag(), 0) << n;
    if (n % 2 == 0) { EXPECT_EQ(out[0].back().imag(), 0) << n; }
  }
}

TEST(VeryLongPencils, TakeLittleMoreMemoryThanThePencil) {
  for (const Index n : {Index{1} << 20, Index{1} << 22}) {
    const auto kernel = native_engine().make({n, Transform1d::r2c, Scalar::f64});
    if (kernel->in().pencils != 1) GTEST_SKIP() << "no vectors here, and so no halves";
    EXPECT_LE(kernel->buffer_bytes(), static_cast<std::size_t>(n) * 10) << n;
  }
}

}  // namespace
}  // namespace shardfft::testing
