// Each function once as it is meant and once as it is not: is it right, what did it cost, what is fastest.
#include <cstring>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

constexpr std::size_t bytes = 105 * sizeof(Complex);

/// Half of a struct, as a program with an older header has it: the rest is not the library's.
template <class Result>
Result half_a_result() {
  Result result;
  std::memset(&result, 0x5a, sizeof result);
  result.bytes = sizeof result / 2;
  return result;
}
template <class Result>
void expect_half_written(const Result& result) {
  const auto* all = reinterpret_cast<const unsigned char*>(&result);
  EXPECT_EQ(result.bytes, sizeof result / 2);
  for (std::size_t i = sizeof result / 2; i < sizeof result; ++i) EXPECT_EQ(all[i], 0x5a) << "byte " << i;
}

}  // namespace

TEST(Calls, shardfft_verify) {
  SmallPlan small;
  shardfft_verdict verdict = {sizeof verdict, -1, -1, -1};
  const auto verify = [&](int direction, shardfft_verdict* v) {
    return shardfft_verify(small.plan, small.in.data(), bytes, small.out.data(), bytes, direction, v);
  };
  expect_good(small.forward());
  expect_good(verify(SHARDFFT_FORWARD, &verdict));
  EXPECT_EQ(verdict.ok, 1);
  EXPECT_EQ(verdict.bytes, sizeof verdict);
  EXPECT_LE(verdict.error_rel_l2, verdict.bound);
  small.out[50] *= 1 + 1e-6;
  expect_good(verify(SHARDFFT_FORWARD, &verdict));
  EXPECT_EQ(verdict.ok, 0);
  auto half = half_a_result<shardfft_verdict>();
  expect_good(verify(SHARDFFT_FORWARD, &half));
  expect_half_written(half);
  expect_refused(verify(9, &verdict), SHARDFFT_INVALID_ARGUMENT, "direction");
  verdict.bytes = 0;
  expect_refused(verify(SHARDFFT_FORWARD, &verdict), SHARDFFT_INVALID_ARGUMENT, "`v`->bytes is the size");
  expect_null_handle(verify(SHARDFFT_FORWARD, nullptr));
  expect_null_handle(shardfft_verify(nullptr, small.in.data(), bytes, small.out.data(), bytes, 0, &verdict));
}

TEST(Calls, shardfft_verify_scaled) {
  SmallPlan small;
  shardfft_verdict verdict = {sizeof verdict, -1, -1, -1};
  const auto verify = [&](double factor, shardfft_verdict* v) {
    return shardfft_verify_scaled(small.plan, small.in.data(), bytes, small.out.data(), bytes, SHARDFFT_FORWARD, factor,
                                  v);
  };
  expect_good(shardfft_forward_scaled(small.plan, small.in.data(), bytes, small.out.data(), bytes, 3));
  expect_good(verify(3, &verdict));
  EXPECT_EQ(verdict.ok, 1);
  expect_good(verify(2, &verdict));
  EXPECT_EQ(verdict.ok, 0);
  expect_refused(verify(0, &verdict), SHARDFFT_INVALID_ARGUMENT, "a factor is finite and not 0");
  expect_null_handle(verify(3, nullptr));
  expect_null_handle(shardfft_verify_scaled(nullptr, small.in.data(), bytes, small.out.data(), bytes, 0, 3, &verdict));
}

TEST(Calls, shardfft_error_bound) {
  SmallPlan small;
  double bound = -1;
  expect_good(small.forward());
  expect_good(shardfft_error_bound(small.plan, &bound));
  EXPECT_GT(bound, 0);
  EXPECT_LT(bound, 1e-13);
  expect_null_handle(shardfft_error_bound(small.plan, nullptr));
  expect_null_handle(shardfft_error_bound(nullptr, &bound));
}

TEST(Calls, shardfft_last_loss) {
  SmallPlan small;
  shardfft_loss loss = {};
  loss.bytes = sizeof loss;
  expect_good(small.forward());
  expect_good(shardfft_last_loss(small.plan, &loss));
  EXPECT_GT(loss.bound, 0);
  EXPECT_EQ(loss.encoded, 0);
  auto half = half_a_result<shardfft_loss>();
  expect_good(shardfft_last_loss(small.plan, &half));
  expect_half_written(half);
  loss.bytes = 3;
  expect_refused(shardfft_last_loss(small.plan, &loss), SHARDFFT_INVALID_ARGUMENT, "got 3");
  expect_null_handle(shardfft_last_loss(small.plan, nullptr));
  expect_null_handle(shardfft_last_loss(nullptr, &loss));
}

TEST(Calls, shardfft_exact_samples) {
  SmallPlan small;
  const int64_t positions[] = {0, 0, 0, 1, 2, 3}, outside[] = {0, 0, 7};
  double re_im[4] = {};
  const auto sample = [&](int direction, int count, const int64_t* at, double* out) {
    return shardfft_exact_samples(small.plan, small.in.data(), bytes, direction, count, at, out);
  };
  expect_good(small.forward());
  expect_good(sample(SHARDFFT_FORWARD, 2, positions, re_im));
  EXPECT_LT(std::abs(Complex(re_im[2], re_im[3]) - small.out[(1 * 5 + 2) * 7 + 3]), 1e-13);
  expect_refused(sample(SHARDFFT_FORWARD, 1, outside, re_im), SHARDFFT_INVALID_ARGUMENT, "inside the result");
  expect_refused(sample(SHARDFFT_FORWARD, -1, positions, re_im), SHARDFFT_INVALID_ARGUMENT, "got -1");
  expect_refused(sample(5, 1, positions, re_im), SHARDFFT_INVALID_ARGUMENT, "direction");
  expect_null_handle(sample(SHARDFFT_FORWARD, 1, nullptr, re_im));
  expect_null_handle(sample(SHARDFFT_FORWARD, 1, positions, nullptr));
  expect_null_handle(shardfft_exact_samples(nullptr, small.in.data(), bytes, 0, 1, positions, re_im));
}

TEST(Calls, shardfft_hash_input) {
  SmallPlan small;
  uint64_t before = 0, after = 0;
  expect_good(shardfft_hash_input(small.plan, small.in.data(), bytes, &before));
  small.in[3] += 1;
  expect_good(shardfft_hash_input(small.plan, small.in.data(), bytes, &after));
  EXPECT_NE(before, after);
  expect_refused(shardfft_hash_input(small.plan, small.in.data(), 8, &after), SHARDFFT_INVALID_ARGUMENT, "got 8");
  expect_null_handle(shardfft_hash_input(small.plan, small.in.data(), bytes, nullptr));
  expect_null_handle(shardfft_hash_input(nullptr, small.in.data(), bytes, &after));
}

TEST(Calls, shardfft_hash_output) {
  SmallPlan small;
  uint64_t as_input = 0, as_output = 1;
  expect_good(shardfft_hash_input(small.plan, small.in.data(), bytes, &as_input));
  expect_good(shardfft_hash_output(small.plan, small.in.data(), bytes, &as_output));
  EXPECT_EQ(as_input, as_output) << "equal data, equal hash";
  expect_null_handle(shardfft_hash_output(small.plan, small.in.data(), bytes, nullptr));
  expect_null_handle(shardfft_hash_output(nullptr, small.in.data(), bytes, &as_output));
}

TEST(Calls, shardfft_describe) {
  const SmallPlan small;
  Text text;
  expect_good(shardfft_describe(small.plan, &text));
  EXPECT_NE(std::string(text).find("3 x 5 x 7 c2c f64"), std::string::npos) << text;
  expect_null_handle(shardfft_describe(small.plan, nullptr));
  expect_null_handle(shardfft_describe(nullptr, &text));
}

TEST(Calls, shardfft_describe_json) {
  const SmallPlan small;
  Text text;
  expect_good(shardfft_describe_json(small.plan, &text));
  EXPECT_EQ(text[0], '{');
  expect_null_handle(shardfft_describe_json(small.plan, nullptr));
  expect_null_handle(shardfft_describe_json(nullptr, &text));
}

TEST(Calls, shardfft_steps) {
  SmallPlan small;
  int count = 0;
  expect_good(small.forward());
  expect_good(shardfft_steps(small.plan, &count));
  EXPECT_GE(count, 1);
  expect_null_handle(shardfft_steps(small.plan, nullptr));
  expect_null_handle(shardfft_steps(nullptr, &count));
}

TEST(Calls, shardfft_step_at) {
  SmallPlan small;
  shardfft_step step = {};
  step.bytes = sizeof step;
  expect_good(small.forward());
  expect_good(shardfft_step_at(small.plan, 0, &step));
  EXPECT_EQ(std::string(step.label).substr(0, 5), "sweep");
  EXPECT_GT(step.seconds, 0);
  EXPECT_GE(step.bytes_memory, int64_t{2 * bytes});
  auto half = half_a_result<shardfft_step>();
  expect_good(shardfft_step_at(small.plan, 0, &half));
  expect_half_written(half);
  expect_refused(shardfft_step_at(small.plan, 99, &step), SHARDFFT_INVALID_ARGUMENT, "got step 99");
  expect_refused(shardfft_step_at(small.plan, -1, &step), SHARDFFT_INVALID_ARGUMENT, "got step -1");
  step.bytes = 0;
  expect_refused(shardfft_step_at(small.plan, 0, &step), SHARDFFT_INVALID_ARGUMENT, "`s`->bytes");
  expect_null_handle(shardfft_step_at(small.plan, 0, nullptr));
  expect_null_handle(shardfft_step_at(nullptr, 0, &step));
}

TEST(Steps, TellWhatTheDeviceAndTheLinkTook) {
  int devices = 0;
  expect_good(shardfft_device_count("emulated", &devices));
  if (devices == 0) GTEST_SKIP() << "there is no emulated device";
  SmallPlan small;
  Options options;
  Plan plan;
  shardfft_step step = {};
  step.bytes = sizeof step;
  expect_good(small.forward());
  expect_good(shardfft_step_at(small.plan, 0, &step));
  EXPECT_EQ(step.seconds_to_device + step.seconds_kernels + step.seconds_from_device + step.seconds_staging, 0);
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "device", "emulated"));
  expect_good(shardfft_options_set(options, "arrays", "host"));
  expect_good(shardfft_plan_create(small.comm, small.problem, options, &plan));
  expect_good(shardfft_forward(plan, small.in.data(), bytes, small.out.data(), bytes));
  expect_good(shardfft_step_at(plan, 0, &step));
  for (const double seconds :
       {step.seconds_to_device, step.seconds_kernels, step.seconds_from_device, step.seconds_staging})
    EXPECT_GT(seconds, 0);
}

TEST(Calls, shardfft_record) {
  const SmallPlan small;
  expect_good(shardfft_record(small.plan, 2));
  expect_refused(shardfft_record(small.plan, SIZE_MAX / 2), SHARDFFT_OUT_OF_MEMORY, "");
  expect_null_handle(shardfft_record(nullptr, 2));
}

TEST(Calls, shardfft_recorded_json) {
  SmallPlan small;
  Text none, one;
  expect_good(shardfft_recorded_json(small.plan, &none));
  EXPECT_STREQ(none, "[]");
  expect_good(shardfft_record(small.plan, 1));
  expect_good(small.forward());
  expect_good(shardfft_recorded_json(small.plan, &one));
  EXPECT_NE(std::string(one).find(R"("what":"run","label":"forward","run":0)"), std::string::npos) << one;
  expect_null_handle(shardfft_recorded_json(small.plan, nullptr));
  expect_null_handle(shardfft_recorded_json(nullptr, &one));
}

TEST(Calls, shardfft_tune) {
  const int64_t shape = 4;
  Comm comm;
  Problem problem;
  Options options;
  Text report;
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_problem_create(1, &shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_options_create(&options));
  for (const auto& [name, value] : {std::pair("tune_seconds", "0.1"), {"engine", "native"}, {"threads", "1"}})
    expect_good(shardfft_options_set(options, name, value));
  expect_good(shardfft_tune(comm, problem, options, &report));
  EXPECT_NE(std::string(report).find("\"rows\""), std::string::npos) << report;
  expect_good(shardfft_options_set(options, "output", "boxes"));
  expect_refused(shardfft_tune(comm, problem, options, nullptr), SHARDFFT_INVALID_LAYOUT, "boxes");
  expect_null_handle(shardfft_tune(comm, nullptr, nullptr, nullptr));
  expect_null_handle(shardfft_tune(nullptr, problem, nullptr, nullptr));
}

}  // namespace shardfft_c_tests
