// Each function once as it is meant and once as it is not: problems, options and plans.
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

TEST(Calls, shardfft_options_create) {
  Options options;
  expect_good(shardfft_options_create(&options));
  expect_null_handle(shardfft_options_create(nullptr));
}

TEST(Calls, shardfft_options_set) {
  Options options;
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "tolerance", "1e-6"));
  expect_good(shardfft_options_set(options, "input", "slabs:0"));
  expect_refused(shardfft_options_set(options, "tolerence", "1e-6"), SHARDFFT_INVALID_ARGUMENT,
                 "did you mean 'tolerance'?");
  expect_refused(shardfft_options_set(options, "inputs", "slabs:0"), SHARDFFT_INVALID_ARGUMENT, "input, output");
  expect_refused(shardfft_options_set(options, "threads", "many"), SHARDFFT_INVALID_ARGUMENT,
                 "threads must be a whole number; got 'many'");
  expect_null_handle(shardfft_options_set(options, "threads", nullptr));
  expect_null_handle(shardfft_options_set(options, nullptr, "2"));
  expect_null_handle(shardfft_options_set(nullptr, "threads", "2"));
}

TEST(Calls, shardfft_options_input) {
  Options options;
  Spec spec;
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_spec_words("pencils:1", 3, &spec));
  expect_good(shardfft_options_set(options, "input", "no layout"));
  expect_good(shardfft_options_input(options, spec));  // the last one counts
  Comm comm;
  Problem problem;
  Plan plan;
  expect_good(shardfft_comm_dry_run(6, 0, 6, &comm));
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_plan_create(comm, problem, options, &plan));
  Text text;
  expect_good(shardfft_layout_describe(shardfft_plan_input(plan), &text));
  EXPECT_NE(std::string(text).find("whole along axis 1"), std::string::npos) << text;
  expect_null_handle(shardfft_options_input(options, nullptr));
  expect_null_handle(shardfft_options_input(nullptr, spec));
}

TEST(Calls, shardfft_options_output) {
  Options options;
  Spec spec;
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_spec_words("any", 3, &spec));
  expect_good(shardfft_options_output(options, spec));
  expect_null_handle(shardfft_options_output(options, nullptr));
  expect_null_handle(shardfft_options_output(nullptr, spec));
}

TEST(Calls, shardfft_options_input_memory) {
  SmallPlan small;
  const int64_t offset = 2, strides[] = {64, 10, 1}, backwards[] = {64, 10, -1};
  Plan plan, none;
  expect_good(shardfft_options_input_memory(small.options, 3, 1, &offset, strides));
  expect_good(shardfft_plan_create(small.comm, small.problem, small.options, &plan));
  EXPECT_EQ(shardfft_plan_input_bytes(plan), (2 + 2 * 64 + 4 * 10 + 6 + 1) * sizeof(Complex));
  expect_good(shardfft_options_input_memory(small.options, 3, 1, &offset, backwards));  // read with the plan
  expect_refused(shardfft_plan_create(small.comm, small.problem, small.options, &none), SHARDFFT_INVALID_LAYOUT,
                 "options.input_memory[0].strides");
  expect_refused(shardfft_options_input_memory(small.options, 3, -1, &offset, strides), SHARDFFT_INVALID_ARGUMENT,
                 "got -1");
  expect_null_handle(shardfft_options_input_memory(small.options, 3, 1, nullptr, strides));
  expect_null_handle(shardfft_options_input_memory(small.options, 3, 1, &offset, nullptr));
  expect_null_handle(shardfft_options_input_memory(nullptr, 3, 1, &offset, strides));
}

TEST(Calls, shardfft_options_output_memory) {
  SmallPlan small;
  const int64_t offset = 0, strides[] = {1, 3, 15};
  Plan plan;
  std::vector<Complex> turned(105), back(105);
  expect_good(shardfft_options_output_memory(small.options, 3, 1, &offset, strides));
  expect_good(shardfft_plan_create(small.comm, small.problem, small.options, &plan));
  expect_good(small.forward());
  expect_good(shardfft_forward(plan, small.in.data(), 105 * sizeof(Complex), turned.data(), 105 * sizeof(Complex)));
  for (std::size_t i = 0; i < 105; ++i) back[i] = turned[i / 35 + i / 7 % 5 * 3 + i % 7 * 15];
  EXPECT_EQ(distance(back, small.out), 0);
  expect_null_handle(shardfft_options_output_memory(small.options, 3, 1, &offset, nullptr));
  expect_null_handle(shardfft_options_output_memory(nullptr, 3, 1, &offset, strides));
}

TEST(Calls, shardfft_options_workspace) {
  SmallPlan small;
  Plan plan, none;
  std::vector<char> memory(shardfft_plan_workspace_bytes(small.plan) + 64);
  char* aligned = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  expect_good(shardfft_options_workspace(small.options, aligned, shardfft_plan_workspace_bytes(small.plan)));
  expect_good(shardfft_plan_create(small.comm, small.problem, small.options, &plan));
  expect_good(shardfft_options_workspace(small.options, aligned, 1));  // looked at with the plan
  expect_refused(shardfft_plan_create(small.comm, small.problem, small.options, &none), SHARDFFT_INVALID_ARGUMENT,
                 "options.workspace holds at least");
  expect_null_handle(shardfft_options_workspace(small.options, nullptr, 64));
  expect_good(shardfft_options_workspace(small.options, nullptr, 0));
  expect_null_handle(shardfft_options_workspace(nullptr, aligned, 64));
}

TEST(Calls, shardfft_options_queue) {
  Options options;
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_queue(options, nullptr));
  expect_null_handle(shardfft_options_queue(nullptr, nullptr));
}

TEST(Calls, shardfft_options_destroy) { shardfft_options_destroy(nullptr); }

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
