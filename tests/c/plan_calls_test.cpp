// Each function once as it is meant and once as it is not: plans and their arrays.
#include "calls.hpp"

namespace shardfft_c_tests {
TEST(Calls, shardfft_plan_create) {
  SmallPlan small;
  Plan plan, none;
  expect_good(shardfft_plan_create(small.comm, small.problem, nullptr, &plan));
  expect_good(shardfft_options_set(small.options, "input", "slabs:9"));
  expect_refused(shardfft_plan_create(small.comm, small.problem, small.options, &none), SHARDFFT_INVALID_LAYOUT,
                 "names an axis from -3 to 2; got 9");
  expect_null_handle(shardfft_plan_create(nullptr, small.problem, nullptr, &none));
  expect_null_handle(shardfft_plan_create(small.comm, nullptr, nullptr, &none));
  expect_null_handle(shardfft_plan_create(small.comm, small.problem, nullptr, nullptr));
  EXPECT_EQ(none, nullptr);
}

TEST(Calls, shardfft_plan_destroy) { expect_good(shardfft_plan_destroy(nullptr)); }

TEST(Calls, shardfft_plan_input) {
  const SmallPlan small(SHARDFFT_R2C);
  int64_t extents[3] = {};
  shardfft_layout_shape(shardfft_plan_input(small.plan), extents);
  EXPECT_EQ(extents[2], 7);
  EXPECT_EQ(shardfft_plan_input(nullptr), nullptr);
}

TEST(Calls, shardfft_plan_output) {
  const SmallPlan small(SHARDFFT_R2C);
  int64_t extents[3] = {};
  shardfft_layout_shape(shardfft_plan_output(small.plan), extents);
  EXPECT_EQ(extents[2], 4);
  EXPECT_EQ(shardfft_plan_output(nullptr), nullptr);
}

TEST(Calls, shardfft_plan_input_bytes) {
  EXPECT_EQ(shardfft_plan_input_bytes(SmallPlan(SHARDFFT_R2C).plan), 105 * sizeof(double));
  EXPECT_EQ(shardfft_plan_input_bytes(nullptr), 0u);
}

TEST(Calls, shardfft_plan_output_bytes) {
  EXPECT_EQ(shardfft_plan_output_bytes(SmallPlan(SHARDFFT_R2C).plan), 3 * 5 * 4 * sizeof(Complex));
  EXPECT_EQ(shardfft_plan_output_bytes(nullptr), 0u);
}

TEST(Calls, shardfft_plan_workspace_bytes) {
  EXPECT_GT(shardfft_plan_workspace_bytes(SmallPlan().plan), 0u);
  EXPECT_EQ(shardfft_plan_workspace_bytes(nullptr), 0u);
}

TEST(Calls, shardfft_plan_make_input) {
  Array array;
  {
    const SmallPlan small;
    expect_good(shardfft_plan_make_input(small.plan, &array));
    expect_null_handle(shardfft_plan_make_input(small.plan, nullptr));
    expect_null_handle(shardfft_plan_make_input(nullptr, &array));
  }
  const auto* numbers = static_cast<const Complex*>(shardfft_array_data(array));  // it outlives the plan
  EXPECT_EQ(std::vector(numbers, numbers + 105), std::vector<Complex>(105));
}

TEST(Calls, shardfft_plan_make_output) {
  const SmallPlan small(SHARDFFT_R2C);
  Array array;
  expect_good(shardfft_plan_make_output(small.plan, &array));
  EXPECT_GE(shardfft_array_bytes(array), shardfft_plan_output_bytes(small.plan));
  expect_null_handle(shardfft_plan_make_output(small.plan, nullptr));
  expect_null_handle(shardfft_plan_make_output(nullptr, &array));
}

TEST(Calls, shardfft_array_data) {
  const SmallPlan small;
  Array array;
  expect_good(shardfft_plan_make_input(small.plan, &array));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(shardfft_array_data(array)) % 4096, 0u);
  EXPECT_EQ(shardfft_array_data(nullptr), nullptr);
}

TEST(Calls, shardfft_array_bytes) {
  const SmallPlan small;
  Array array;
  expect_good(shardfft_plan_make_input(small.plan, &array));
  EXPECT_GE(shardfft_array_bytes(array), 105 * sizeof(Complex));
  EXPECT_EQ(shardfft_array_bytes(nullptr), 0u);
}

TEST(Calls, shardfft_array_space) {
  const SmallPlan small;
  Array array;
  int device = 7;
  expect_good(shardfft_plan_make_input(small.plan, &array));
  EXPECT_STREQ(shardfft_array_space(array, &device), "host");
  EXPECT_EQ(device, -1);
  EXPECT_STREQ(shardfft_array_space(array, nullptr), "host");
  EXPECT_EQ(shardfft_array_space(nullptr, &device), nullptr);
}

TEST(Calls, shardfft_array_destroy) { shardfft_array_destroy(nullptr); }

}  // namespace shardfft_c_tests
