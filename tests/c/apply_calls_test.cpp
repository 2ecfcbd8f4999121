// Each function once as it is meant and once as it is not: an operator between two transforms.
#include <atomic>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

struct Seen {
  std::atomic<int64_t> count{0};
  shardfft_modes last{};
};

// The derivative along axis 2, of a box of length 1.
void derive(const shardfft_modes* m, void* user) {
  auto* seen = static_cast<Seen*>(user);
  auto* values = static_cast<Complex*>(m->data);
  for (int64_t i = 0; i < m->count; ++i)
    values[i] *= Complex(0, 2 * std::acos(-1.0) * m->wave[2][m->first[2] + (m->axis == 2 ? i : 0)]);
  seen->count += m->count;
  seen->last = *m;
}

void triple(const shardfft_modes* m, void*) {
  auto* values = static_cast<Complex*>(m->data);
  for (int64_t i = 0; i < m->count; ++i) values[i] *= 3;
}

std::vector<Complex> wave(double phase, double factor) {
  std::vector<Complex> all(105);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = factor * std::cos(2 * std::acos(-1.0) * static_cast<double>(2 * (i % 7)) / 7 + phase);
  return all;
}

}  // namespace

TEST(Calls, shardfft_apply) {
  SmallPlan small(SHARDFFT_C2C, "apply", "to_outputs");
  small.in = wave(0, 1);
  const std::size_t bytes = SmallPlan::bytes(small.in);
  Seen seen;
  expect_good(shardfft_apply(small.plan, small.in.data(), bytes, small.out.data(), bytes, derive, &seen));
  EXPECT_LT(distance(small.out, wave(std::acos(0.0), 4 * std::acos(-1.0))), 1e-12);
  EXPECT_EQ(seen.count, 105);
  EXPECT_EQ(seen.last.bytes, sizeof(shardfft_modes));
  EXPECT_EQ(seen.last.axes, 3);
  EXPECT_EQ(seen.last.precision, SHARDFFT_F64);
  EXPECT_EQ(seen.last.complex_elements, 1);
  expect_refused(shardfft_apply(small.plan, small.in.data(), bytes, small.out.data(), bytes, nullptr, nullptr),
                 SHARDFFT_INVALID_ARGUMENT, "an operator has a function");
  expect_null_handle(shardfft_apply(nullptr, small.in.data(), bytes, small.out.data(), bytes, derive, &seen));
}

TEST(Calls, shardfft_apply_physical) {
  SmallPlan small(SHARDFFT_C2C, "apply", "to_inputs");
  const std::size_t bytes = SmallPlan::bytes(small.in);
  expect_good(shardfft_apply_physical(small.plan, small.in.data(), bytes, small.out.data(), bytes, triple, nullptr));
  for (Complex& value : small.in) value *= 3;
  EXPECT_LT(distance(small.out, small.in), 1e-12);
  SmallPlan plain;
  expect_refused(shardfft_apply_physical(plain.plan, small.in.data(), bytes, small.out.data(), bytes, triple, nullptr),
                 SHARDFFT_INVALID_ARGUMENT, "options.apply");
}

TEST(Calls, shardfft_plan_middle) {
  SmallPlan small(SHARDFFT_R2C, "apply", "to_outputs"), plain;
  int64_t extents[3] = {};
  shardfft_layout_shape(shardfft_plan_middle(small.plan), extents);
  EXPECT_EQ(extents[2], 4);
  EXPECT_EQ(shardfft_plan_middle(plain.plan), nullptr);
  EXPECT_NE(std::string(shardfft_error()).find("options.apply"), std::string::npos);
}

TEST(Calls, shardfft_plan_make_middle) {
  SmallPlan small(SHARDFFT_R2C, "apply", "to_outputs"), plain;
  Array array;
  expect_good(shardfft_plan_make_middle(small.plan, &array));
  EXPECT_EQ(shardfft_array_bytes(array), 3 * 5 * 4 * sizeof(Complex));
  expect_refused(shardfft_plan_make_middle(plain.plan, &array), SHARDFFT_INVALID_ARGUMENT, "options.apply");
}

TEST(Calls, shardfft_plan_applied_bytes) {
  SmallPlan small(SHARDFFT_R2C, "apply", "to_outputs"), plain;
  EXPECT_EQ(shardfft_plan_applied_bytes(small.plan), 105 * sizeof(double));
  EXPECT_EQ(shardfft_plan_applied_bytes(plain.plan), 0U);
}

TEST(Calls, shardfft_plan_make_applied) {
  SmallPlan small(SHARDFFT_R2C, "apply", "to_outputs");
  Array array;
  expect_good(shardfft_plan_make_applied(small.plan, &array));
  EXPECT_EQ(shardfft_array_bytes(array), 105 * sizeof(double));
  expect_null_handle(shardfft_plan_make_applied(nullptr, &array));
}

}  // namespace shardfft_c_tests
