// What users have at hand is taken as it is: vectors, arrays and spans of numbers as buffers and as shapes; anything
// else does not compile.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

using Number = std::complex<double>;

template <class T>
constexpr bool is_buffer = std::is_convertible_v<T, View>;
template <class T>
constexpr bool is_shape = std::is_convertible_v<T, Shape>;

static_assert(is_buffer<std::vector<Number>&> && is_buffer<const std::vector<float>&> &&
              is_buffer<std::array<double, 4>&>);
static_assert(is_buffer<double (&)[4]> && is_buffer<std::span<const std::complex<float>>> &&
              is_buffer<std::span<Number, 4>> && is_buffer<Array&>);
static_assert(!is_buffer<std::vector<int>&> && !is_buffer<std::vector<long double>&> &&
              !is_buffer<std::vector<std::complex<int>>&>);
static_assert(!is_buffer<std::vector<Number>>, "a temporary is gone before the run is");
static_assert(!is_buffer<double*> && !is_buffer<std::vector<std::vector<double>>&> && !is_buffer<std::vector<bool>&> &&
              !is_buffer<std::string&>);

static_assert(is_shape<std::vector<int>> && is_shape<const std::vector<std::size_t>&> &&
              is_shape<std::array<long, 3>> && is_shape<int (&)[2]>);
static_assert(is_shape<std::span<const Index>> && is_shape<std::span<unsigned short>>);
static_assert(!is_shape<std::string> && !is_shape<std::vector<double>> && !is_shape<std::vector<bool>> &&
              !is_shape<const char*> && !is_shape<int>);

TEST(View, KnowsWhatAContainerHolds) {
  std::vector<std::complex<float>> numbers(3);
  const View view = numbers;
  EXPECT_EQ(view.data, numbers.data());
  EXPECT_EQ(view.bytes, 24u);
  EXPECT_EQ(view.scalar, 4u);
  EXPECT_TRUE(view.complex);
  const std::array<double, 5> reals{};
  EXPECT_EQ(View(reals).bytes, 40u);
  EXPECT_EQ(View(reals).scalar, 8u);
  EXPECT_FALSE(View(reals).complex);
}

// forward and back again through these buffers: the ones come back, and their sum is in the middle.
template <class Reals, class Modes>
void expect_round_trip(Plan& plan, Reals& x, Modes& y, const char* what) {
  plan.forward(x, y);
  const auto* sum = static_cast<const Number*>(View(y).data);
  EXPECT_NEAR(sum->real(), 4 * 6, 1e-12) << what;
  plan.backward(y, x);
  EXPECT_NEAR(*static_cast<const double*>(View(x).data), 1, 1e-12) << what;
}

TEST(Plan, TakesVectorsArraysSpansAndItsOwnArraysInAnyMixture) {
  Plan plan(local(), {.shape = {4, 6}, .kind = r2c});
  std::vector<double> vector(24, 1.0);
  std::array<double, 24> array{};
  array.fill(1);
  double plain[24];
  std::fill(std::begin(plain), std::end(plain), 1.0);
  Array own = plan.make_input();
  std::ranges::fill(own.as<double>(), 1.0);
  std::vector<Number> modes(16);
  std::array<Number, 16> few{};
  Array spectrum = plan.make_output();
  std::span<Number> part(modes);
  expect_round_trip(plan, vector, modes, "vector, vector");
  expect_round_trip(plan, array, few, "array, array");
  expect_round_trip(plan, plain, part, "C array, span");
  expect_round_trip(plan, own, modes, "Array, vector");
  expect_round_trip(plan, vector, spectrum, "vector, Array");
  EXPECT_TRUE(plan.verify(vector, modes).ok());
  EXPECT_EQ(plan.hash_output(modes), plan.hash_output(spectrum));
}

TEST(Plan, SaysWhatItWantedWhereAContainerHoldsOtherNumbers) {
  Plan plan(local(), {.shape = {4, 6}, .kind = r2c});
  std::vector<float> floats(48);  // as many bytes as are wanted
  std::vector<Number> modes(16), few(15);
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& e) { return std::string(e.what()); }
    return std::string("no error");
  };
  EXPECT_NE(message([&] { plan.forward(floats, modes); }).find("real f64"), std::string::npos);
  std::vector<double> reals(24);
  EXPECT_NE(message([&] { plan.forward(reals, few); }).find("256 bytes"), std::string::npos);
}

TEST(Shape, ComesFromAnyContiguousRangeOfWholeNumbers) {
  const Shape expected{4, 6, 3};
  const std::vector<int> ints{4, 6, 3};
  const std::array<std::size_t, 3> sizes{4, 6, 3};
  const unsigned char bytes[] = {4, 6, 3};
  EXPECT_EQ(Problem{.shape = ints}.shape, expected);
  EXPECT_EQ(Problem{.shape = sizes}.shape, expected);
  EXPECT_EQ(Problem{.shape = bytes}.shape, expected);
  EXPECT_EQ(Problem{.shape = std::span(ints).first(2)}.shape, (Shape{4, 6}));
  EXPECT_EQ(Problem{.shape = std::vector<Index>{}}.shape.dims(), 0);
}

TEST(Shape, RefusesRangesThatAreTooLongOrHoldNumbersBeyond64Bits) {
  const std::vector<int> nine(9, 2);
  EXPECT_THROW((void)Shape(nine), Error);
  const std::vector<std::uint64_t> huge{4, std::numeric_limits<std::uint64_t>::max()};
  try {
    (void)Shape(huge);
    FAIL() << "2^64 - 1 is no extent";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::invalid_problem);
    EXPECT_NE(std::string(e.what()).find("18446744073709551615"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace shardfft::testing
