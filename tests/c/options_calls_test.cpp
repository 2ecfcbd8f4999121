// Each function once as it is meant and once as it is not: options.
#include "calls.hpp"

namespace shardfft_c_tests {
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

}  // namespace shardfft_c_tests
