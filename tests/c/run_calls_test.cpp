// Each function once as it is meant and once as it is not: runs of plans.
#include <cmath>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

/// The sum that defines one element of the result.
Complex coefficient(const std::vector<Complex>& in, int a, int b, int c) {
  Complex sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 7; ++k)
        sum += in[static_cast<std::size_t>((i * 5 + j) * 7 + k)] *
               std::polar(1.0, -2 * std::acos(-1.0) * (a * i / 3.0 + b * j / 5.0 + c * k / 7.0));
  return sum;
}

/// These structs repeat dlpack.h.
struct Tensor {
  void* data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
Tensor tensor(std::vector<Complex>& list, int64_t* extents) {
  return {list.data(), /*cpu*/ 1, 0, 3, /*complex*/ 5, 128, 1, extents, nullptr, 0};
}

}  // namespace

TEST(Calls, shardfft_forward) {
  SmallPlan small;
  expect_good(small.forward());
  EXPECT_LT(std::abs(small.out[(1 * 5 + 2) * 7 + 3] - coefficient(small.in, 1, 2, 3)), 1e-12);
  const std::size_t bytes = 105 * sizeof(Complex);
  expect_refused(shardfft_forward(small.plan, small.in.data(), bytes - 1, small.out.data(), bytes),
                 SHARDFFT_INVALID_ARGUMENT, "`in` holds at least 1680 bytes on this rank; got 1679");
  expect_refused(shardfft_forward(small.plan, small.in.data(), bytes, nullptr, bytes), SHARDFFT_INVALID_ARGUMENT,
                 "got a null pointer");
  expect_null_handle(shardfft_forward(nullptr, small.in.data(), bytes, small.out.data(), bytes));
}

TEST(Calls, shardfft_backward) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> back(105);
  expect_good(small.forward());
  expect_good(shardfft_backward(small.plan, small.out.data(), bytes, back.data(), bytes));
  EXPECT_LT(distance(back, small.in), 1e-13);
  expect_refused(shardfft_backward(small.plan, small.out.data(), bytes, small.out.data(), bytes),
                 SHARDFFT_INVALID_ARGUMENT, "overlap");
  expect_null_handle(shardfft_backward(nullptr, small.out.data(), bytes, back.data(), bytes));
}

TEST(Calls, shardfft_forward_scaled) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> scaled(105);
  expect_good(small.forward());
  expect_good(shardfft_forward_scaled(small.plan, small.in.data(), bytes, scaled.data(), bytes, -0.5));
  for (Complex& c : scaled) c *= -2.0;
  EXPECT_LT(distance(scaled, small.out), 1e-12);
  for (const double factor : {0.0, HUGE_VAL, std::nan("")})
    expect_refused(shardfft_forward_scaled(small.plan, small.in.data(), bytes, scaled.data(), bytes, factor),
                   SHARDFFT_INVALID_ARGUMENT, "a factor is finite and not 0");
  expect_null_handle(shardfft_forward_scaled(nullptr, small.in.data(), bytes, scaled.data(), bytes, 2));
}

TEST(Calls, shardfft_backward_scaled) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> back(105);
  expect_good(small.forward());
  expect_good(shardfft_backward_scaled(small.plan, small.out.data(), bytes, back.data(), bytes, 4));
  for (Complex& c : back) c /= 4.0;
  EXPECT_LT(distance(back, small.in), 1e-13);
  expect_null_handle(shardfft_backward_scaled(nullptr, small.out.data(), bytes, back.data(), bytes, 4));
}

TEST(Calls, shardfft_adjoint) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> back(105);
  expect_good(small.forward());
  expect_good(shardfft_adjoint(small.plan, SHARDFFT_FORWARD, small.out.data(), bytes, back.data(), bytes, 2));
  for (Complex& c : back) c /= 2 * 105.0;  // of the unscaled forward: backward without its factor 1/N
  EXPECT_LT(distance(back, small.in), 1e-12);
  expect_refused(shardfft_adjoint(small.plan, 2, small.out.data(), bytes, back.data(), bytes, 1),
                 SHARDFFT_INVALID_ARGUMENT, "direction");
  expect_refused(shardfft_adjoint(small.plan, SHARDFFT_BACKWARD, small.out.data(), bytes, back.data(), bytes, 0),
                 SHARDFFT_INVALID_ARGUMENT, "a factor is finite and not 0");
  expect_null_handle(shardfft_adjoint(nullptr, SHARDFFT_FORWARD, small.out.data(), bytes, back.data(), bytes, 1));
}

TEST(Calls, shardfft_start) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> split(105);
  expect_good(small.forward());
  expect_good(shardfft_start(small.plan, SHARDFFT_FORWARD, small.in.data(), bytes, split.data(), bytes));
  expect_refused(small.forward(), SHARDFFT_INVALID_ARGUMENT, "call out of order");
  expect_good(shardfft_wait(small.plan));
  EXPECT_EQ(distance(split, small.out), 0);
  expect_refused(shardfft_start(small.plan, 2, small.in.data(), bytes, split.data(), bytes), SHARDFFT_INVALID_ARGUMENT,
                 "direction");
  expect_null_handle(shardfft_start(nullptr, SHARDFFT_FORWARD, small.in.data(), bytes, split.data(), bytes));
}

TEST(Calls, shardfft_start_scaled) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  std::vector<Complex> split(105);
  expect_good(small.forward());
  expect_good(shardfft_start_scaled(small.plan, SHARDFFT_FORWARD, small.in.data(), bytes, split.data(), bytes, 2));
  expect_good(shardfft_wait(small.plan));
  for (std::size_t i = 0; i < split.size(); ++i) EXPECT_EQ(split[i], 2.0 * small.out[i]);
  expect_refused(shardfft_start_scaled(small.plan, SHARDFFT_FORWARD, small.in.data(), bytes, split.data(), bytes, 0),
                 SHARDFFT_INVALID_ARGUMENT, "a factor is finite and not 0");
  expect_null_handle(shardfft_start_scaled(nullptr, SHARDFFT_FORWARD, small.in.data(), bytes, split.data(), bytes, 1));
}

TEST(Calls, shardfft_test) {
  SmallPlan small;
  const std::size_t bytes = 105 * sizeof(Complex);
  int done = 0;
  expect_refused(shardfft_test(small.plan, &done), SHARDFFT_INVALID_ARGUMENT, "call start() first");
  expect_good(shardfft_start(small.plan, SHARDFFT_BACKWARD, small.in.data(), bytes, small.out.data(), bytes));
  while (!done) expect_good(shardfft_test(small.plan, &done));
  expect_null_handle(shardfft_test(small.plan, nullptr));
  expect_good(shardfft_wait(small.plan));
  expect_null_handle(shardfft_test(nullptr, &done));
}

TEST(Calls, shardfft_wait) {
  const SmallPlan small;
  expect_refused(shardfft_wait(small.plan), SHARDFFT_INVALID_ARGUMENT, "call start() first");
  expect_null_handle(shardfft_wait(nullptr));
}

TEST(Calls, shardfft_synchronize) {
  expect_good(shardfft_synchronize(SmallPlan().plan));
  expect_null_handle(shardfft_synchronize(nullptr));
}

TEST(Calls, shardfft_copy) {
  const SmallPlan small;
  double from[] = {1, 2, 3}, to[] = {0, 0, 9};
  expect_good(shardfft_copy(small.plan, from, sizeof from, to, 2 * sizeof(double)));
  EXPECT_EQ(to[1] + to[2], 11);
  expect_refused(shardfft_copy(small.plan, from, sizeof from, nullptr, sizeof to), SHARDFFT_INVALID_ARGUMENT, "copy()");
  expect_null_handle(shardfft_copy(nullptr, from, sizeof from, to, sizeof to));
}

TEST(Calls, shardfft_forward_dlpack) {
  SmallPlan small;
  int64_t extents[] = {3, 5, 7};
  std::vector<Complex> result(105);
  Tensor in = tensor(small.in, extents), out = tensor(result, extents);
  expect_good(small.forward());
  expect_good(shardfft_forward_dlpack(small.plan, &in, &out));
  EXPECT_EQ(distance(result, small.out), 0);
  in.bits = 64;  // complex64: half as long as the plan's
  expect_refused(shardfft_forward_dlpack(small.plan, &in, &out), SHARDFFT_INVALID_ARGUMENT, "got complex f32");
  in.bits = 16;
  expect_refused(shardfft_forward_dlpack(small.plan, &in, &out), SHARDFFT_INVALID_ARGUMENT, "convert it first");
  expect_null_handle(shardfft_forward_dlpack(small.plan, nullptr, &out));
  expect_null_handle(shardfft_forward_dlpack(nullptr, &in, &out));
}

TEST(Calls, shardfft_backward_dlpack) {
  SmallPlan small;
  int64_t extents[] = {3, 5, 7};
  std::vector<Complex> back(105);
  expect_good(small.forward());
  Tensor in = tensor(small.out, extents), out = tensor(back, extents);
  expect_good(shardfft_backward_dlpack(small.plan, &in, &out));
  EXPECT_LT(distance(back, small.in), 1e-13);
  int64_t gaps[] = {70, 7, 1};
  in.strides = gaps;
  expect_refused(shardfft_backward_dlpack(small.plan, &in, &out), SHARDFFT_INVALID_ARGUMENT, "got stride 70");
  in.strides = nullptr;
  expect_null_handle(shardfft_backward_dlpack(small.plan, &in, nullptr));
}

}  // namespace shardfft_c_tests
