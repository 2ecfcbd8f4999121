// Threads as ranks: results that do not depend on their number, errors that all of them get, texts of their own.
#include <mutex>
#include <set>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

// Equal data on any number of ranks: each element is a function of its place.
double value_at(int64_t i, int64_t j, int64_t k) {
  return static_cast<double>((7 * i + 3 * j + k) % 11) - 0.125 * static_cast<double>(i * j % 5);
}

struct Hashes {
  std::mutex lock;
  std::set<uint64_t> output{};
};

/// r2c of 6 x 5 x 8 from pencils, split-phase, there and back again.
int hash_of_result(shardfft_comm comm, void* user) {
  const int64_t shape[] = {6, 5, 8};
  const int rank = shardfft_comm_rank(comm);
  Problem problem;
  Options options;
  Plan plan;
  Array in, out;
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_R2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "input", "pencils:2"));
  if (const int status = shardfft_plan_create(comm, problem, options, &plan)) return status;
  expect_good(shardfft_plan_make_input(plan, &in));
  expect_good(shardfft_plan_make_output(plan, &out));
  int boxes = 0;
  expect_good(shardfft_layout_boxes(shardfft_plan_input(plan), rank, &boxes));
  auto* next = static_cast<double*>(shardfft_array_data(in));
  for (int b = 0; b < boxes; ++b) {
    int64_t lo[3], hi[3];
    expect_good(shardfft_layout_box(shardfft_plan_input(plan), rank, b, lo, hi));
    for (int64_t i = lo[0]; i < hi[0]; ++i)
      for (int64_t j = lo[1]; j < hi[1]; ++j)
        for (int64_t k = lo[2]; k < hi[2]; ++k) *next++ = value_at(i, j, k);
  }
  expect_good(shardfft_start(plan, SHARDFFT_FORWARD, shardfft_array_data(in), shardfft_array_bytes(in),
                             shardfft_array_data(out), shardfft_array_bytes(out)));
  expect_good(shardfft_wait(plan));
  uint64_t hash = 0;
  expect_good(shardfft_hash_output(plan, shardfft_array_data(out), shardfft_array_bytes(out), &hash));
  auto* all = static_cast<Hashes*>(user);
  const std::lock_guard guard(all->lock);
  all->output.insert(hash);
  return 0;
}

}  // namespace

TEST(Ranks, GetEqualResultsOnAnyNumber) {
  Hashes all;
  for (const int ranks : {1, 2, 3, 4, 6}) expect_good(shardfft_on_ranks(ranks, hash_of_result, &all));
  EXPECT_EQ(all.output.size(), 1u);
}

TEST(Ranks, AllGetTheErrorOfATensorOfOne) {
  struct Tensor {  // as dlpack.h has it
    void* data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  };
  const auto body = [](shardfft_comm comm, void*) {
    const int64_t shape[] = {4, 6};
    Problem problem;
    Plan plan;
    Array in, out;
    expect_good(shardfft_problem_create(2, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
    expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
    expect_good(shardfft_plan_make_input(plan, &in));
    expect_good(shardfft_plan_make_output(plan, &out));
    int64_t count = static_cast<int64_t>(shardfft_array_bytes(in)) / 16;
    Tensor from{shardfft_array_data(in), 1, 0, 1, 5, 128, 1, &count, nullptr, 0}, to = from;
    to.data = shardfft_array_data(out);
    if (shardfft_comm_rank(comm) == 1) from.bits = 16;
    expect_refused(shardfft_forward_dlpack(plan, &from, &to), SHARDFFT_INVALID_ARGUMENT, "rank 1: a tensor holds");
    return 0;
  };
  expect_good(shardfft_on_ranks(3, body, nullptr));
}

TEST(Ranks, AllGetTheErrorOfOne) {
  const auto body = [](shardfft_comm comm, void*) {
    const int64_t shape[] = {4, 6};
    const bool wrong = shardfft_comm_rank(comm) == 2;
    Problem problem;
    Plan plan;
    expect_good(shardfft_problem_create(2, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
    expect_refused(shardfft_plan_create(comm, wrong ? nullptr : +problem, nullptr, &plan), SHARDFFT_INVALID_ARGUMENT,
                   "rank 2: a shardfft_problem");
    expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
    std::vector<Complex> in(24), out(24);
    expect_refused(shardfft_forward(plan, in.data(), wrong ? 8 : 384, out.data(), 384), SHARDFFT_INVALID_ARGUMENT,
                   "rank 2: `in` holds at least");
    const std::string fault = "`in` is no array of mine";
    expect_refused(shardfft_forward(plan, wrong ? static_cast<const void*>(fault.c_str()) : in.data(),
                                    wrong ? SHARDFFT_REFUSED : 384, out.data(), 384),
                   SHARDFFT_INVALID_ARGUMENT, "rank 2: `in` is no array of mine");
    shardfft_verdict verdict = {wrong ? 0 : sizeof verdict, 0, 0, 0};
    expect_refused(shardfft_verify(plan, in.data(), 384, out.data(), 384, SHARDFFT_FORWARD, &verdict),
                   SHARDFFT_INVALID_ARGUMENT, "rank 2: `v`->bytes");
    expect_refused(shardfft_start(plan, wrong ? 7 : SHARDFFT_FORWARD, in.data(), 384, out.data(), 384),
                   SHARDFFT_INVALID_ARGUMENT, "direction");
    uint64_t hash = 0;
    expect_refused(shardfft_hash_input(plan, in.data(), 384, wrong ? nullptr : &hash), SHARDFFT_INVALID_ARGUMENT,
                   "rank 2: `hash`");
    expect_good(shardfft_forward(plan, in.data(), 384, out.data(), 384));
    return 0;
  };
  expect_good(shardfft_on_ranks(4, body, nullptr));
}

TEST(Ranks, HaveTextsOfTheirOwn) {
  const auto body = [](shardfft_comm comm, void*) {
    const int wrong = 100 + shardfft_comm_rank(comm);
    Spec spec;
    EXPECT_EQ(shardfft_spec_words(("slabs:" + std::to_string(wrong)).c_str(), 3, &spec), SHARDFFT_INVALID_LAYOUT);
    expect_good(shardfft_comm_barrier(comm));
    EXPECT_NE(std::string(shardfft_error()).find("got " + std::to_string(wrong)), std::string::npos)
        << shardfft_error();
    return 0;
  };
  expect_good(shardfft_on_ranks(5, body, nullptr));
}

TEST(Ranks, DestroyPlansInAnyOrder) {
  const auto body = [](shardfft_comm comm, void*) {
    const int64_t shape[] = {4, 6};
    shardfft_plan plans[3] = {};
    Problem problem;
    std::vector<Complex> in(24, 1), out(24);
    expect_good(shardfft_problem_create(2, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
    for (shardfft_plan& plan : plans) {
      expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
      expect_good(shardfft_forward(plan, in.data(), 384, out.data(), 384));
    }
    for (int i = 0; i < 3; ++i) expect_good(shardfft_plan_destroy(plans[(i + shardfft_comm_rank(comm)) % 3]));
    Plan next;
    expect_good(shardfft_plan_create(comm, problem, nullptr, &next));
    return shardfft_forward(next, in.data(), 384, out.data(), 384);
  };
  expect_good(shardfft_on_ranks(3, body, nullptr));
}

TEST(Ranks, StopWithTheStatusOfTheOneThatFailed) {
  const auto body = [](shardfft_comm comm, void* says) {
    if (shardfft_comm_rank(comm) == 1) return says ? shardfft_comm_barrier(nullptr) : 1234;
    const int status = shardfft_comm_barrier(comm);
    EXPECT_EQ(status, SHARDFFT_TRANSPORT_FAILED) << "released";
    return status;
  };
  int says = 1;
  expect_refused(shardfft_on_ranks(3, body, nullptr), 1234, "the function of rank 1 returned 1234");
  expect_refused(shardfft_on_ranks(3, body, &says), SHARDFFT_INVALID_ARGUMENT, "rank 1 returned 3: a shardfft_comm");
}

}  // namespace shardfft_c_tests
