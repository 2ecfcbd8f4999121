// The kernel that makes half spectra those of reals, run on the host, against the definition: an array of reals has the
// conjugate of element k at element -k.
#include "device/kernels/half_spectra.hpp"

#include <complex>
#include <random>

#include <gtest/gtest.h>

#include "device/kernels/launch.hpp"

namespace shardfft::testing {
namespace {

template <class T>
void check_one(FftSpec spec, unsigned seed) {
  using Complex = std::complex<T>;
  spec.scalar = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;
  spec.transform = DeviceTransform::c2r;
  const Index n = spec.n.back(), half = n / 2 + 1, fast = spec.n.size() > 1 ? spec.n[spec.n.size() - 2] : 1,
              slow = spec.n.size() > 2 ? spec.n.front() : 1;
  const Index stride = spec.n.size() == 1 ? spec.in_stride : 1,
              distance = spec.n.size() == 1 && spec.in_distance ? spec.in_distance : half * slow * fast;
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-1000, 1000);  // means are exact
  std::vector<Complex> given(
      static_cast<std::size_t>((spec.batch - 1) * distance + (slow * fast * half - 1) * stride + 8));
  for (Complex& x : given) x = {static_cast<T>(number(random)), static_cast<T>(number(random))};
  const auto at = [&](Index b, Index s, Index f, Index k) {
    return static_cast<std::size_t>(b * distance + ((s * fast + f) * half + k) * stride);
  };
  std::vector<Complex> expected = given;
  for (Index b = 0; b < spec.batch; ++b)
    for (Index s = 0; s < slow; ++s)
      for (Index f = 0; f < fast; ++f)
        for (Index k = 0; k < half; ++k)
          if ((n - k) % n == k)
            expected[at(b, s, f, k)] =
                (given[at(b, s, f, k)] + std::conj(given[at(b, (slow - s) % slow, (fast - f) % fast, k)])) / T(2);
  with_half_spectra(spec, reinterpret_cast<std::byte*>(given.data()), [](const auto& kernel) { run_on_host(kernel); });
  for (std::size_t i = 0; i < given.size(); ++i)
    ASSERT_EQ(given[i], expected[i]) << "at " << i << ", " << slow << " x " << fast << " x " << n << ", batch "
                                     << spec.batch << ", seed " << seed;
}

void check_both(const FftSpec& spec) {
  check_one<float>(spec, 71);
  check_one<double>(spec, 72);
}

TEST(HalfSpectra, BecomeThoseOfRealsAndKeepAllElse) {
  for (const Index n : {1, 2, 3, 8, 9}) {
    check_both({.n = {n}, .batch = 3});
    check_both({.n = {n}, .batch = 300, .in_stride = 1, .in_distance = n / 2 + 4});
    check_both({.n = {n}, .batch = 5, .in_stride = 5, .in_distance = 1});
    for (const Index fast : {1, 2, 5, 6}) {
      check_both({.n = {fast, n}, .batch = 2});
      for (const Index slow : {1, 2, 3, 4, 40}) check_both({.n = {slow, fast, n}, .batch = 2});
    }
  }
}

TEST(HalfSpectra, MayHaveTheLargestNumbersThereAre) {
  constexpr double most = std::numeric_limits<double>::max();
  std::vector<std::complex<double>> x{{most, most}, {1, 2}, {-most, most}};
  with_half_spectra({.transform = DeviceTransform::c2r, .n = {4}}, reinterpret_cast<std::byte*>(x.data()),
                    [](const auto& kernel) { run_on_host(kernel); });
  EXPECT_EQ(x, (std::vector<std::complex<double>>{{most, 0}, {1, 2}, {-most, 0}}));
}

}  // namespace
}  // namespace shardfft::testing
