// A plan on a device of SYCL, by the C interface: its arrays are there, and their place has a name.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

TEST(Sycl, TransformsASpikeToAWaveInMemoryOfTheDevice) {
  int count = 0;
  expect_good(shardfft_device_count("sycl", &count));
  if (count == 0) GTEST_SKIP() << "no device of SYCL is here";
  SmallPlan small(SHARDFFT_C2C, "device", "sycl");
  Array in, out;
  expect_good(shardfft_plan_make_input(small.plan, &in));
  expect_good(shardfft_plan_make_output(small.plan, &out));
  int number = -1;
  EXPECT_STREQ(shardfft_array_space(in, &number), "sycl");
  EXPECT_EQ(number, 0);
  const auto bytes = SmallPlan::bytes(small.in);
  std::fill(small.in.begin(), small.in.end(), Complex());
  small.in[1] = 1;  // at (0, 0, 1)
  void *x = shardfft_array_data(in), *y = shardfft_array_data(out);
  expect_good(shardfft_copy(small.plan, small.in.data(), bytes, x, bytes));
  expect_good(shardfft_forward(small.plan, x, bytes, y, bytes));
  expect_good(shardfft_copy(small.plan, y, bytes, small.out.data(), bytes));
  for (std::size_t i = 0; i < small.out.size(); ++i) {
    const double turns = static_cast<double>(i % 7) / 7;
    EXPECT_LT(std::abs(small.out[i] - std::polar(1.0, -2 * std::numbers::pi * turns)), 1e-14) << i;
  }
}

}  // namespace
}  // namespace shardfft_c_tests
