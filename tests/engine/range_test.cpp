// Kernels leave the number range nowhere but where their results do: transforms are linear and scaling by a power of
// two is exact, so that scaled inputs must give the scaled bits, from subnormal numbers to the top of the range.
#include <algorithm>
#include <cmath>

#include "engine/pencils.hpp"
#include "engine/registry.hpp"
#include "engine/targets.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

template <class T>
using Limits = std::numeric_limits<T>;

/// How many exponents are tried from the least to the highest.
const int exponents = chosen_problems(3);

template <class T>
Wide largest(const std::vector<Pencil>& pencils) {
  Wide most = 0;
  for (const Pencil& pencil : pencils)
    for (const auto& x : pencil) most = std::max({most, std::abs(x.real()), std::abs(x.imag())});
  return most;
}

/// x 2^exponent, rounded to T.
template <class T>
std::vector<Pencil> scaled(std::vector<Pencil> pencils, int exponent) {
  for (Pencil& pencil : pencils)
    for (auto& x : pencil)
      x = {static_cast<T>(std::ldexp(x.real(), exponent)), static_cast<T>(std::ldexp(x.imag(), exponent))};
  return pencils;
}

/// Bits, and nowhere Inf or NaN, which would differ.
template <class T>
void expect_scaled_bits(const Kernel& kernel, const std::vector<Pencil>& inputs, const std::vector<Pencil>& results,
                        int exponent) {
  EXPECT_TRUE(transformed<T>(kernel, scaled<T>(inputs, exponent)) == scaled<T>(results, exponent))
      << kernel.describe() << ", inputs times 2^" << exponent;
}

/// Results are below 2^-margin of the largest number: intermediates may be larger than results by a small factor.
constexpr int margin = 1;

/// Inputs as large as each other's results allow: pencil by pencil, times a power of two.
template <class T>
std::vector<Pencil> levelled(const Kernel& kernel, std::vector<Pencil> inputs) {
  const auto results = transformed<T>(kernel, inputs);
  for (std::size_t v = 0; v < inputs.size(); ++v) {
    const Wide most = std::max(largest<T>({results[v]}), largest<T>({inputs[v]}));
    inputs[v] = scaled<T>({inputs[v]}, -std::ilogb(most) - 1).front();
  }
  return inputs;
}

template <class T>
void expect_the_upper_range(const Kernel& kernel, const std::vector<Pencil>& plain) {
  const auto inputs = levelled<T>(kernel, plain);
  const auto results = transformed<T>(kernel, inputs);
  constexpr int most = Limits<T>::max_exponent - margin;
  constexpr int least = Limits<T>::min_exponent + 3 * Limits<T>::digits;  // no rest of a sum is subnormal there
  for (int i = 0; i < exponents; ++i)
    expect_scaled_bits<T>(kernel, inputs, results, most - (most - least) * i / std::max(exponents - 1, 1));
}

/// What a test puts into a pencil: random numbers; one number, at a place of its own; one number everywhere.
enum class Data { random, single, constant };
constexpr Data all_data[] = {Data::random, Data::single, Data::constant};

template <class T>
Pencil pencil_of(Data data, std::mt19937_64& random, Index length, bool real) {
  Pencil pencil = random_pencil<T>(random, length, real);
  const auto one = pencil.front();
  if (data != Data::random) std::fill(pencil.begin(), pencil.end(), data == Data::single ? 0 : one);
  if (data == Data::single) pencil[random() % pencil.size()] = one;
  return pencil;
}

/// Inputs that are subnormal, or nearly, against the same as normal numbers. In each of n numbers that are added a part
/// of the smallest subnormal is lost: in no order, or the same in all.
template <class T>
void expect_the_lower_range(const Kernel& kernel, const std::vector<Pencil>& inputs, Index n) {
  constexpr int up = -Limits<T>::min_exponent / 2, lowest = Limits<T>::min_exponent - Limits<T>::digits;
  const auto least = static_cast<Wide>(Limits<T>::denorm_min()), length = static_cast<Wide>(n);
  for (const int bits : {1, Limits<T>::digits / 2, Limits<T>::digits + 4}) {
    const auto small = scaled<T>(inputs, lowest + bits);
    const auto got = transformed<T>(kernel, small), exact = transformed<T>(kernel, scaled<T>(small, up));
    for (std::size_t v = 0; v < got.size(); ++v) {
      const Wide lost = (4 + (small[v].front() == small[v].back() ? length : 6 * std::sqrt(length))) * least;
      const Wide rounding = 4 * std::log2(length + 1) * roundoff<T> * std::ldexp(largest<T>({exact[v]}), -up);
      Wide worst = 0;
      for (std::size_t u = 0; u < got[v].size(); ++u) {
        const std::complex<Wide> want{std::ldexp(exact[v][u].real(), -up), std::ldexp(exact[v][u].imag(), -up)};
        worst = std::max(worst, std::abs(got[v][u] - want));
      }
      EXPECT_LE(worst, lost + rounding) << kernel.describe() << ", pencil " << v << " of " << bits << " bits";
    }
  }
}

/// Tiles have something of everything, where there are as many pencils; else there are three tiles.
template <class T>
void expect_the_whole_range(const KernelRequest& request, std::mt19937_64& random) {
  const auto kernel = native_engine().make(request);
  const Transform1d t = request.transform;
  SCOPED_TRACE(std::string(name(t)) + " of " + std::to_string(request.n));
  const int pencils = kernel->in().pencils;
  for (int first = 0; first < 3; first += pencils) {
    std::vector<Pencil> inputs;
    for (int v = first; v < first + pencils; ++v)
      inputs.push_back(pencil_of<T>(all_data[v % 3], random, input_length(t, request.n), is_real_in(t)));
    expect_the_upper_range<T>(*kernel, inputs);
    expect_the_lower_range<T>(*kernel, inputs, request.n);
  }
}

template <class T>
class Range : public ::testing::Test {
 protected:
  const std::uint64_t seed = chosen_seed(35);
  std::mt19937_64 random{seed};

  void expect_all_kinds(Index n) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Transform1d t : all_transforms)
      expect_the_whole_range<T>({.n = n, .transform = t, .scalar = scalar_of<T>}, random);
  }
};
TYPED_TEST_SUITE(Range, FloatAndDouble);

TYPED_TEST(Range, OfShortPencilsIsThatOfTheirResultsOnEveryInstructionSet) {
  for (Index n = 1; n <= 64; n += sanitized ? 7 : 1) on_every_target([&] { this->expect_all_kinds(n); });
}

/// Primes by definition, by Rader's algorithm and by Bluestein's, multiples of them, and passes of all radices.
TYPED_TEST(Range, OfLongerPencilsIsThatOfTheirResults) {
  Sample sample;
  for (const Index n :
       {97, 101, 120, 127, 128, 144, 202, 221, 243, 256, 347, 394, 480, 512, 694, 720, 1000, 1009, 1024})
    if (sample.takes()) this->expect_all_kinds(n);
}

/// Hints of the request may choose other passes.
TYPED_TEST(Range, OfFewPencilsAndOfThoseAcrossPlanesIsThatOfTheirResults) {
  using T = TypeParam;
  for (const Index n : {256, 320, 512, 1024, 4096})
    for (const bool few_pencils : {false, true})
      expect_the_whole_range<T>({.n = n, .scalar = scalar_of<T>, .few_pencils = few_pencils, .strided = !few_pencils},
                                this->random);
}

TYPED_TEST(Range, OfPencilsInHalvesIsThatOfTheirResults) {
  Sample sample;
  for (const Index n : {4096, 4099, 6561, 8198, 10007})
    if (sample.takes()) this->expect_all_kinds(n);
}

/// ((7 k mod 11 - 5) + i (5 k mod 13 - 6)) scale
Pencil small_integers(Index n, double scale) {
  Pencil pencil;
  for (Index k = 0; k < n; ++k)
    pencil.emplace_back(scale * static_cast<double>(k * 7 % 11 - 5), scale * static_cast<double>(k * 5 % 13 - 6));
  return pencil;
}

TYPED_TEST(Range, HoldsLargeIntegersWhoseTransformsAreInIt) {
  using T = TypeParam;
  const auto scale = static_cast<double>(static_cast<T>(sizeof(T) == 4 ? 1e29 : 1e291));
  for (const Index n : {24, 32, 40, 48, 60, 97, 101, 512, 1009, 1024, 4096}) {
    const auto kernel = native_engine().make({.n = n, .scalar = scalar_of<T>});
    const Pencil pencil = small_integers(n, scale);
    const std::vector<Pencil> inputs(static_cast<std::size_t>(kernel->in().pencils), scaled<T>({pencil}, 0).front());
    const Pencil out = transformed<T>(*kernel, inputs).front();
    const Definition reference(n);
    for (Index u = 0; u < n; u += 1 + n / 64)
      EXPECT_LE(std::abs(out[static_cast<std::size_t>(u)] - reference.output(inputs.front(), u, -1)),
                32 * roundoff<T> * std::sqrt(static_cast<Wide>(n)) * 8 * scale)
          << kernel->describe() << ", result " << u;
    if (n == 24) {
      EXPECT_NEAR(static_cast<double>(out[2].real() / scale), -6.0980762, 1e-5);
      EXPECT_NEAR(static_cast<double>(out[2].imag() / scale), -27.6865335, 1e-4);
    }
  }
}

}  // namespace
}  // namespace shardfft::testing
