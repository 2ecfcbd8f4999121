// Cosine, sine and Hartley transforms of pencils on every device that is here, against their definitions.
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "device/on_device.hpp"
#include "device/sweep/kind_fft.hpp"
#include "support/chosen.hpp"
#include "support/oracles/real_to_real.hpp"

namespace shardfft::testing {
namespace {

/// Pencils as a sweep has them, in a row or side by side, with elements of no pencil between them.
struct Pencils {
  PencilKind kind{};
  Index n = 1, batch = 1;
  bool side_by_side_in = false, side_by_side_out = false, in_place = false;

  [[nodiscard]] FftSpec spec(Scalar scalar) const {
    FftSpec spec{.scalar = scalar, .n = {n}, .batch = batch};
    if (side_by_side_in) spec.in_stride = batch + 1, spec.in_distance = 1;
    if (side_by_side_out) spec.out_stride = batch + 1, spec.out_distance = 1;
    if (!side_by_side_in) spec.in_distance = n + 2;
    if (!side_by_side_out) spec.out_distance = n + 2;
    return spec;
  }
  [[nodiscard]] std::size_t scalars() const { return static_cast<std::size_t>((n + 2) * (batch + 1) * kind.parts()); }
  [[nodiscard]] std::size_t at(bool in, Index b, Index k, Index part) const {
    const Index element = (in ? side_by_side_in : side_by_side_out) ? k * (batch + 1) + b : b * (n + 2) + k;
    return static_cast<std::size_t>(element * kind.parts() + part);
  }
};

class KindsOn : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  std::unique_ptr<Queue> queue = device->make_queue();

  template <class T>
  [[nodiscard]] std::vector<T> transformed(const Pencils& p, const std::vector<T>& x) {
    const auto fft = make_kind_fft(*device, p.spec(sizeof(T) == 4 ? Scalar::f32 : Scalar::f64), p.kind);
    const DeviceMemory from = on_device(device, *queue, x),
                       to = on_device(device, *queue, std::vector<T>(x.size(), 77)),
                       work(device, fft->work_bytes(), "a test");
    fft->run(*queue, from.data(), p.in_place ? from.data() : to.data(), work.data());
    if (!p.in_place) { EXPECT_EQ(on_host<T>(*queue, from), x) << fft->describe(); }
    return on_host<T>(*queue, p.in_place ? from : to);
  }

  /// The error of each pencil, and what lies between them.
  template <class T>
  void compare(const Pencils& p, std::uint64_t seed) {
    SCOPED_TRACE(std::string(to_string(p.kind.kind)) + " of " + std::to_string(p.n) + " x " + std::to_string(p.batch) +
                 (p.kind.complex ? ", complex" : "") + (p.kind.orthonormal ? ", orthonormal" : "") +
                 (p.in_place ? ", in place" : "") + ", seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<T> x(p.scalars(), T(99));
    for (T& number : x) number = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
    const std::vector<T> y = transformed(p, x);
    std::vector<bool> touched(y.size());
    const Transform1d t = transform_of(p.kind.kind);
    const auto period = static_cast<long double>(logical_length(t, p.n));
    for (Index b = 0; b < p.batch; ++b)
      for (Index part = 0; part < p.kind.parts(); ++part) {
        long double error = 0, norm = 0;
        for (Index k = 0; k < p.n; ++k) {
          long double right = 0;
          for (Index j = 0; j < p.n; ++j)
            right +=
                x[p.at(true, b, j, part)] *
                (p.kind.orthonormal ? std::sqrt(period) * orthonormal_entry(t, p.n, k, j) : r2r_entry(t, p.n, k, j));
          right *= p.kind.scale;
          const long double wrong = y[p.at(false, b, k, part)] - right;
          error += wrong * wrong, norm += right * right;
          touched[p.at(false, b, k, part)] = true;
        }
        ASSERT_LE(std::sqrt(error), 8 * std::numeric_limits<T>::epsilon() * std::sqrt(norm)) << "pencil " << b;
      }
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_TRUE(touched[i] || y[i] == (p.in_place ? x[i] : T(77))) << "between the pencils, at " << i;
  }
  void compare_both(const Pencils& p, std::uint64_t seed) {
    compare<float>(p, seed);
    compare<double>(p, seed);
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KindsOn);
INSTANTIATE_TEST_SUITE_P(Here, KindsOn, ::testing::ValuesIn(device_names()), as_word);

template <class Visit>
void for_all_kinds(const Visit& visit) {
  for (const Transform1d t : all_r2r) visit(kind_of(t));
}

TEST_P(KindsOn, EqualTheirDefinitionsAtEveryLength) {
  std::vector<Index> lengths(sanitized ? 18 : 40);
  std::iota(lengths.begin(), lengths.end(), 1);
  lengths.insert(lengths.end(), {97, 128, 250, 1000});
  std::uint64_t seed = 20261201;
  for_all_kinds([&](AxisKind kind) {
    for (const Index n : lengths) {
      if (kind == AxisKind::cosine1 && n == 1) continue;
      const Pencils p{.kind = {.kind = kind, .complex = n % 3 == 0}, .n = n, .batch = n > 200 ? 2 : 3};
      compare<double>(p, ++seed);
      if (n < 17 || n > 40) compare<float>(p, seed);
    }
  });
}

TEST_P(KindsOn, OfPencilsInARowOrSideBySideInPlaceAndNotRealAndComplexOrthonormalAndNot) {
  std::uint64_t seed = 20261301;
  for_all_kinds([&](AxisKind kind) {
    for (const Index n : {5, 8})
      for (const bool in : {false, true})
        for (const bool out : {false, true})
          for (const bool complex : {false, true})
            for (const bool orthonormal : {false, true}) {
              if (in == out) ++seed;
              compare_both({.kind = {kind, orthonormal, complex, orthonormal ? 1.0 : 0.375},
                            .n = n,
                            .batch = 7,
                            .side_by_side_in = in,
                            .side_by_side_out = out,
                            .in_place = in == out && seed % 2 == 0},
                           seed);
            }
  });
}

TEST_P(KindsOn, OfMorePencilsThanABlockHasThreads) {
  for (const bool side_by_side : {false, true})
    for_all_kinds([&](AxisKind kind) {
      compare_both({.kind = {.kind = kind},
                    .n = 9,
                    .batch = 300,
                    .side_by_side_in = side_by_side,
                    .side_by_side_out = side_by_side},
                   20261401);
    });
}

// Numbers 2^e times as large have results 2^e times as large, to the last bit unless something is subnormal.
TEST_P(KindsOn, AreLinearFromSubnormalNumbersToTheTopOfTheRange) {
  for_all_kinds([&](AxisKind kind) {
    for (const Index n : {12, 15, 64}) {
      const Pencils p{.kind = {.kind = kind}, .n = n, .batch = 2};
      std::vector<float> x(p.scalars());
      std::mt19937_64 random(7);
      for (float& number : x) number = std::uniform_real_distribution<float>(0.5F, 1)(random);
      const std::vector<float> usual = transformed(p, x);
      for (const int exponent : {-150, -145, -100, -1, 1, 60, 115}) {
        std::vector<float> scaled = x;
        for (float& number : scaled) number = std::ldexp(number, exponent);
        const std::vector<float> y = transformed(p, scaled);
        const float allowed = exponent <= -100 ? std::ldexp(4.0F * static_cast<float>(n), -149) : 0;
        for (Index b = 0; b < p.batch; ++b)
          for (Index k = 0; k < n; ++k)
            ASSERT_NEAR(y[p.at(false, b, k, 0)], std::ldexp(usual[p.at(false, b, k, 0)], exponent), allowed)
                << to_string(kind) << " of " << n << " times 2^" << exponent;
      }
    }
  });
}

}  // namespace
}  // namespace shardfft::testing
