// Each function once as it is meant and once as it is not: problems.
#include "calls.hpp"

namespace shardfft_c_tests {
TEST(Calls, shardfft_problem_create) {
  Problem problem, none;
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_C2R, SHARDFFT_F32, &problem));
  expect_refused(shardfft_problem_create(3, shape, 17, SHARDFFT_F64, &none), SHARDFFT_INVALID_PROBLEM,
                 "the kind is a number from 0 to");
  expect_refused(shardfft_problem_create(3, shape, SHARDFFT_C2C, -1, &none), SHARDFFT_INVALID_PROBLEM,
                 "the precision is a number from 0 to 1; got -1");
  expect_refused(shardfft_problem_create(-3, shape, SHARDFFT_C2C, SHARDFFT_F64, &none), SHARDFFT_INVALID_ARGUMENT,
                 "got -3");
  expect_null_handle(shardfft_problem_create(3, nullptr, SHARDFFT_C2C, SHARDFFT_F64, &none));
  expect_null_handle(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, nullptr));
  EXPECT_EQ(none, nullptr);
}

TEST(Calls, shardfft_problem_axes) {
  Problem problem;
  Comm comm;
  Plan plan, none;
  const int axes[] = {0, -1}, wrong[] = {3};
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_R2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_problem_axes(problem, 2, axes));
  expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
  EXPECT_EQ(shardfft_plan_output_bytes(plan), 3 * 5 * 4 * sizeof(Complex));
  expect_good(shardfft_problem_axes(problem, 1, wrong));  // read with the plan
  expect_refused(shardfft_plan_create(comm, problem, nullptr, &none), SHARDFFT_INVALID_PROBLEM, "3");
  expect_good(shardfft_problem_axes(problem, 0, nullptr));
  expect_null_handle(shardfft_problem_axes(problem, 2, nullptr));
  expect_null_handle(shardfft_problem_axes(nullptr, 2, axes));
}

TEST(Calls, shardfft_problem_kinds) {  // of a constant: 2 n at the mean of cosines, and the plan takes it back
  Problem problem;
  Comm comm;
  Plan plan, none;
  const int kinds[] = {SHARDFFT_COSINE2, SHARDFFT_COSINE2, SHARDFFT_HARTLEY}, wrong[] = {10};
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_R2R, SHARDFFT_F64, &problem));
  expect_refused(shardfft_plan_create(comm, problem, nullptr, &none), SHARDFFT_INVALID_PROBLEM, "name kinds");
  expect_good(shardfft_problem_kinds(problem, 3, kinds));
  expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
  constexpr std::size_t bytes = 105 * sizeof(double);
  ASSERT_EQ(shardfft_plan_output_bytes(plan), bytes);
  std::vector<double> ones(105, 1.0), modes(105), back(105);
  expect_good(shardfft_forward(plan, ones.data(), bytes, modes.data(), bytes));
  EXPECT_DOUBLE_EQ(modes[0], 4 * 105);
  for (std::size_t i = 1; i < modes.size(); ++i) EXPECT_NEAR(modes[i], 0, 1e-12);
  expect_good(shardfft_backward(plan, modes.data(), bytes, back.data(), bytes));
  for (const double x : back) EXPECT_NEAR(x, 1, 1e-14);
  expect_refused(shardfft_problem_kinds(problem, 1, wrong), SHARDFFT_INVALID_PROBLEM, "kind of an axis");
  expect_good(shardfft_problem_kinds(problem, 0, nullptr));
  expect_null_handle(shardfft_problem_kinds(problem, 2, nullptr));
  expect_null_handle(shardfft_problem_kinds(nullptr, 3, kinds));
}

TEST(Calls, shardfft_problem_scaling) {
  SmallPlan unscaled;
  Plan plan;
  std::vector<Complex> scaled(105);
  expect_good(shardfft_problem_scaling(unscaled.problem, SHARDFFT_BY_N, SHARDFFT_UNSCALED));
  expect_good(shardfft_plan_create(unscaled.comm, unscaled.problem, nullptr, &plan));
  expect_good(unscaled.forward());
  expect_good(shardfft_forward(plan, unscaled.in.data(), 105 * sizeof(Complex), scaled.data(), 105 * sizeof(Complex)));
  for (Complex& c : scaled) c *= 105.0;
  EXPECT_LT(distance(scaled, unscaled.out), 1e-12);
  expect_refused(shardfft_problem_scaling(unscaled.problem, 4, 0), SHARDFFT_INVALID_PROBLEM, "forward scaling");
  expect_refused(shardfft_problem_scaling(unscaled.problem, 0, -1), SHARDFFT_INVALID_PROBLEM, "backward scaling");
  expect_null_handle(shardfft_problem_scaling(nullptr, 0, 0));
}

TEST(Calls, shardfft_problem_element) {  // bytes of 3 x 5 x 7 change places from slabs to pencils
  const auto move = [](shardfft_comm comm, void*) {
    const int rank = shardfft_comm_rank(comm);
    Problem problem;
    Options options;
    Plan plan;
    expect_good(shardfft_problem_create(3, shape, SHARDFFT_MOVE, SHARDFFT_F64, &problem));
    expect_good(shardfft_problem_element(problem, 1));
    expect_good(shardfft_options_create(&options));
    expect_good(shardfft_options_set(options, "input", "slabs:0/2"));  // 2, 1 and no planes
    expect_good(shardfft_options_set(options, "output", "slabs:2"));
    expect_good(shardfft_plan_create(comm, problem, options, &plan));
    const std::size_t in_bytes = shardfft_plan_input_bytes(plan), out_bytes = shardfft_plan_output_bytes(plan);
    EXPECT_EQ(in_bytes, std::vector<std::size_t>({70, 35, 0})[static_cast<std::size_t>(rank)]);
    std::vector<char> in(in_bytes + 1), out(out_bytes + 1);
    for (std::size_t i = 0; i < in_bytes; ++i) in[i] = static_cast<char>(70 * rank + static_cast<int>(i));
    expect_good(shardfft_forward(plan, in.data(), in_bytes, out.data(), out_bytes));
    int64_t lo[3] = {}, hi[3] = {};
    expect_good(shardfft_layout_box(shardfft_plan_output(plan), rank, 0, lo, hi));
    const char* next = out.data();
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 5; ++j)
        for (int64_t k = lo[2]; k < hi[2]; ++k) EXPECT_EQ(*next++, static_cast<char>((i * 5 + j) * 7 + k));
    expect_refused(shardfft_forward_scaled(plan, in.data(), in_bytes, out.data(), out_bytes, 2),
                   SHARDFFT_INVALID_ARGUMENT, "no factor but 1");
    return 0;
  };
  expect_good(shardfft_on_ranks(3, move, nullptr));
  Problem problem;
  Comm comm;
  Plan none;
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_MOVE, SHARDFFT_F64, &problem));
  expect_good(shardfft_problem_element(problem, 3));  // looked at with the plan
  expect_refused(shardfft_plan_create(comm, problem, nullptr, &none), SHARDFFT_INVALID_PROBLEM, "got 3");
  expect_refused(shardfft_problem_element(problem, SIZE_MAX), SHARDFFT_INVALID_PROBLEM, "1, 2, 4, 8 or 16 bytes");
  expect_null_handle(shardfft_problem_element(nullptr, 8));
}

TEST(Calls, shardfft_problem_modes) {  // those of the whole transform, cut
  SmallPlan whole;
  Plan fewer, none;
  const int64_t modes[] = {3, 3, 0}, many[] = {3, 6, 7};
  std::vector<Complex> kept(3 * 3 * 7);
  expect_good(shardfft_problem_modes(whole.problem, modes));
  expect_good(shardfft_plan_create(whole.comm, whole.problem, nullptr, &fewer));
  EXPECT_EQ(shardfft_plan_output_bytes(fewer), kept.size() * sizeof(Complex));
  expect_good(whole.forward());
  expect_good(
      shardfft_forward(fewer, whole.in.data(), 105 * sizeof(Complex), kept.data(), kept.size() * sizeof(Complex)));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 7; ++k)
        EXPECT_EQ(kept[(i * 3 + j) * 7 + k], whole.out[(i * 5 + (j < 2 ? j : 4)) * 7 + k]);
  expect_good(shardfft_problem_modes(whole.problem, many));  // looked at with the plan
  expect_refused(shardfft_plan_create(whole.comm, whole.problem, nullptr, &none), SHARDFFT_INVALID_PROBLEM, "got 6");
  expect_null_handle(shardfft_problem_modes(nullptr, modes));
  expect_null_handle(shardfft_problem_modes(whole.problem, nullptr));
}

TEST(Calls, shardfft_problem_support) {
  SmallPlan whole;
  Plan fewer;
  const int64_t support[] = {3, 2, 7};
  std::vector<Complex> first(3 * 2 * 7, Complex(1)), out(105);
  expect_good(shardfft_problem_support(whole.problem, support));
  expect_good(shardfft_plan_create(whole.comm, whole.problem, nullptr, &fewer));
  EXPECT_EQ(shardfft_plan_input_bytes(fewer), first.size() * sizeof(Complex));
  expect_good(shardfft_forward(fewer, first.data(), first.size() * sizeof(Complex), out.data(), 105 * sizeof(Complex)));
  EXPECT_NEAR(std::abs(out[0] - Complex(3 * 2 * 7)), 0, 1e-13);
  expect_null_handle(shardfft_problem_support(nullptr, support));
}

TEST(Calls, shardfft_problem_destroy) { shardfft_problem_destroy(nullptr); }

}  // namespace shardfft_c_tests
