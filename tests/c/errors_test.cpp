// Twenty mistakes that programs make: each gets a status and a text with the rule, what it got and the remedy.
#include <climits>
#include <functional>
#include <memory>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

int make(const std::vector<int64_t>& shape, int kind = SHARDFFT_C2C, const char* option = "", const char* value = "",
         int ranks = 6) {
  Comm comm;
  Problem problem;
  Options options;
  Plan plan;
  expect_good(shardfft_comm_dry_run(ranks, 0, 1, &comm));
  if (const int status =
          shardfft_problem_create(static_cast<int>(shape.size()), shape.data(), kind, SHARDFFT_F64, &problem))
    return status;
  expect_good(shardfft_options_create(&options));
  if (*option)
    if (const int status = shardfft_options_set(options, option, value)) return status;
  return shardfft_plan_create(comm, problem, options, &plan);
}

int run(int (*call)(SmallPlan& small)) {
  SmallPlan small;
  return call(small);
}

struct Mistake {
  const char* name;
  std::function<int()> make;
  int status;
  std::vector<const char*> parts;
};

const Mistake mistakes[] = {
    {"no axes", [] { return make({}); }, SHARDFFT_INVALID_PROBLEM, {"got"}},
    {"an empty axis", [] { return make({4, 0, 4}); }, SHARDFFT_INVALID_PROBLEM, {"got", "0"}},
    {"nine axes", [] { return make({1, 1, 1, 1, 1, 1, 1, 1, 2}); }, SHARDFFT_INVALID_PROBLEM, {"8", "9"}},
    {"more than 2^63 elements", [] { return make({INT64_MAX, 4}); }, SHARDFFT_INVALID_PROBLEM, {"2^63"}},
    {"a kind that there is not", [] { return make({4}, 42); }, SHARDFFT_INVALID_PROBLEM, {"got 42", "shardfft.h"}},
    {"an unknown option",
     [] { return make({4}, SHARDFFT_C2C, "chunk", "2"); },
     SHARDFFT_INVALID_ARGUMENT,
     {"got 'chunk'", "did you mean 'chunks'?"}},
    {"an option out of range",
     [] { return make({4}, SHARDFFT_C2C, "chunks", "65"); },
     SHARDFFT_INVALID_ARGUMENT,
     {"chunks must be from 0 to 64", "got 65", "leave it alone for the default"}},
    {"a truth that is none",
     [] { return make({4}, SHARDFFT_C2C, "in_place", "maybe"); },
     SHARDFFT_INVALID_ARGUMENT,
     {"in_place must be true or false", "got 'maybe'"}},
    {"an engine that there is not",
     [] { return make({4}, SHARDFFT_C2C, "engine", "abacus"); },
     SHARDFFT_UNSUPPORTED,
     {"engine is one of those compiled in", "got 'abacus'", "name one of these"}},
    {"a negative tolerance",
     [] { return make({4}, SHARDFFT_C2C, "tolerance", "-1e-3"); },
     SHARDFFT_INVALID_ARGUMENT,
     {"tolerance must be", "got -0.001"}},
    {"a layout that there is not",
     [] { return make({4, 4}, SHARDFFT_C2C, "input", "pencil:0"); },
     SHARDFFT_INVALID_LAYOUT,
     {"got 'pencil:0'", "did you mean 'pencils:0'?"}},
    {"more processes than ranks",
     [] { return make({4, 4}, SHARDFFT_C2C, "output", "grid:4x4"); },
     SHARDFFT_INVALID_LAYOUT,
     {"6"}},
    {"a device that there is not",
     [] { return make({4, 4}, SHARDFFT_C2C, "device", "abacus"); },
     SHARDFFT_UNSUPPORTED,
     {"device is one of those compiled in", "got 'abacus'", "leave it empty"}},
    {"a run of a plan to look at",
     [] {
       Comm comm;
       Problem problem;
       Plan plan;
       const int64_t shape = 4;
       std::vector<Complex> in(4), out(4);
       expect_good(shardfft_comm_dry_run(2, 0, 1, &comm));
       expect_good(shardfft_problem_create(1, &shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
       expect_good(shardfft_plan_create(comm, problem, nullptr, &plan));
       return shardfft_forward(plan, in.data(), 64, out.data(), 64);
     },
     SHARDFFT_INVALID_ARGUMENT,
     {"looked at and never run", "on ranks that exist"}},
    {"no memory",
     [] { return run([](SmallPlan& s) { return shardfft_forward(s.plan, nullptr, 0, nullptr, 0); }); },
     SHARDFFT_INVALID_ARGUMENT,
     {"`in` points to", "got a null pointer"}},
    {"memory that is too short",
     [] { return run([](SmallPlan& s) { return shardfft_forward(s.plan, s.in.data(), 1680, s.out.data(), 840); }); },
     SHARDFFT_INVALID_ARGUMENT,
     {"`out` holds at least 1680 bytes", "got 840"}},
    {"memory that is not aligned",
     [] {
       return run([](SmallPlan& s) {
         return shardfft_forward(s.plan, s.in.data(), 1680, reinterpret_cast<char*>(s.out.data()) + 4, 1680);
       });
     },
     SHARDFFT_INVALID_ARGUMENT,
     {"`out` is aligned to its scalars of 8 bytes", "got the address"}},
    {"overlapping memory",
     [] { return run([](SmallPlan& s) { return shardfft_forward(s.plan, s.in.data(), 1680, s.in.data(), 1680); }); },
     SHARDFFT_INVALID_ARGUMENT,
     {"overlap", "in_place"}},
    {"wait without start",
     [] { return run([](SmallPlan& s) { return shardfft_wait(s.plan); }); },
     SHARDFFT_INVALID_ARGUMENT,
     {"call out of order", "call start() first"}},
    {"a transport that cannot",
     [] { return make({4, 4}, SHARDFFT_C2C, "transport", "threads"); },
     SHARDFFT_UNSUPPORTED,
     {"transport threads cannot serve these ranks", "name another"}},
};
static_assert(std::size(mistakes) >= 20);

}  // namespace

TEST(Errors, SayTheRuleWhatTheyGotAndTheRemedy) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    const int status = mistake.make();
    for (const char* part : mistake.parts) expect_refused(status, mistake.status, part);
    EXPECT_STRNE(shardfft_status_name(status), nullptr);
  }
}

TEST(Errors, RepeatNoEndlessArguments) {
  const std::string endless(1 << 20, 'x');
  EXPECT_EQ(make({4}, SHARDFFT_C2C, "engine", endless.c_str()), SHARDFFT_UNSUPPORTED);
  EXPECT_LT(std::string(shardfft_error()).size(), 2000u);
}

TEST(Errors, OfABufferThatIsRefusedWithoutATextFailTheCall) {
  SmallPlan small;
  shardfft_verdict verdict = {sizeof verdict, 0, 0, 0};
  uint64_t hash = 0;
  for (const char* text : {"", static_cast<const char*>(nullptr)}) {
    const int all[] = {
        shardfft_forward(small.plan, text, SHARDFFT_REFUSED, small.out.data(), 1680),
        shardfft_backward(small.plan, small.out.data(), 1680, const_cast<char*>(text), SHARDFFT_REFUSED),
        shardfft_start(small.plan, SHARDFFT_FORWARD, text, SHARDFFT_REFUSED, small.out.data(), 1680),
        shardfft_adjoint(small.plan, SHARDFFT_FORWARD, text, SHARDFFT_REFUSED, small.out.data(), 1680, 1),
        shardfft_verify(small.plan, text, SHARDFFT_REFUSED, small.out.data(), 1680, SHARDFFT_FORWARD, &verdict),
        shardfft_hash_input(small.plan, text, SHARDFFT_REFUSED, &hash),
        shardfft_hash_output(small.plan, text, SHARDFFT_REFUSED, &hash),
    };
    for (const int status : all) expect_refused(status, SHARDFFT_INVALID_ARGUMENT, "got no text; pass one");
  }
}

// Each list has one entry, at the end of readable memory as far as this test can tell: sanitizers see a longer look.
TEST(Errors, NameACountBeforeItsListIsRead) {
  const std::unique_ptr<int[]> one(new int[1]{0});
  const std::unique_ptr<int64_t[]> extent(new int64_t[1]{4});
  Comm comm;
  Problem problem;
  Options options;
  Spec spec, other;
  Layout layout;
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_problem_create(1, extent.get(), SHARDFFT_C2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_spec_words("slabs:0", 1, &spec));
  for (const int count : {-1, 9, INT_MAX, INT_MIN}) {
    const std::string got = "got " + std::to_string(count);
    expect_refused(shardfft_problem_axes(problem, count, one.get()), SHARDFFT_INVALID_PROBLEM, got.c_str());
    expect_refused(shardfft_problem_kinds(problem, count, one.get()), SHARDFFT_INVALID_PROBLEM, got.c_str());
    expect_refused(shardfft_spec_order(spec, count, one.get()), SHARDFFT_INVALID_PROBLEM, got.c_str());
    expect_refused(shardfft_spec_boxes(count, 1, one.get(), extent.get(), extent.get(), &other),
                   SHARDFFT_INVALID_PROBLEM, got.c_str());
    expect_refused(shardfft_options_input_memory(options, count, 1, extent.get(), extent.get()),
                   SHARDFFT_INVALID_PROBLEM, got.c_str());
  }
  for (const int ranks : {-1, 0, 1 << 25, INT_MAX}) {
    const std::string got = std::to_string(ranks);
    expect_refused(shardfft_layout_create(spec, 1, extent.get(), ranks, &layout), SHARDFFT_INVALID_ARGUMENT,
                   got.c_str());
    Comm group;
    expect_refused(shardfft_comm_dry_run(ranks, 0, 1, &group), SHARDFFT_INVALID_ARGUMENT, got.c_str());
    expect_refused(shardfft_on_ranks(
                       ranks, [](shardfft_comm, void*) { return 0; }, nullptr),
                   SHARDFFT_INVALID_ARGUMENT, got.c_str());
  }
  int number = 0;
  expect_refused(shardfft_comm_allgather(comm, &number, SIZE_MAX, &number), SHARDFFT_INVALID_ARGUMENT, "at most");
}

// 2^31 elements of 16 bytes on 3 ranks: no count is an int.
TEST(Sizes, CountInSixtyFourBits) {
  Comm comm;
  Problem problem;
  Options options;
  Plan plan;
  const int64_t shape[] = {2048, 1024, 1024};
  expect_good(shardfft_comm_dry_run(3, 2, 1, &comm));
  expect_good(shardfft_problem_create(3, shape, SHARDFFT_C2C, SHARDFFT_F64, &problem));
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "input", "grid:1x1x1"));
  expect_good(shardfft_options_set(options, "output", "slabs:0"));
  expect_good(shardfft_plan_create(comm, problem, options, &plan));
  int64_t first = 0, last = 0, lo[3] = {}, hi[3] = {};
  expect_good(shardfft_layout_count(shardfft_plan_input(plan), 0, &first));
  expect_good(shardfft_layout_count(shardfft_plan_output(plan), 2, &last));
  EXPECT_EQ(first, int64_t{1} << 31);
  EXPECT_EQ(last, int64_t{682} << 20);
  EXPECT_EQ(shardfft_plan_output_bytes(plan), std::size_t{682} << 24);
  expect_good(shardfft_layout_box(shardfft_plan_output(plan), 2, 0, lo, hi));
  EXPECT_EQ(lo[0], 1366);
  EXPECT_EQ(hi[0], 2048);
}

}  // namespace shardfft_c_tests
