// Approximate mode beside what approximate_places_test.cpp shows of it: large arrays, and the same bits again.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "plan/approximate/kept_promise.hpp"

namespace shardfft::testing {
namespace {

// Difference of two arrays that lie alike.
template <class T>
double difference(const Comm& comm, const LocalData<T>& got, const LocalData<T>& exact) {
  const std::size_t n = exact.view().bytes / sizeof(T);
  double difference2 = 0, norm2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = exact.raw()[i], off = got.raw()[i] - wanted;
    difference2 += off * off;
    norm2 += wanted * wanted;
  }
  return relative(comm, {difference2, norm2});
}

// Arrays too large for the definition: against exact mode, which has its own tests.
template <class T>
void compare_with_exact_mode(const Approximation& a, const Comm& comm, Tally& tally) {
  const Problem& p = a.c.problem;
  const bool complex_in = p.kind != r2c, complex_out = p.kind != c2r, single = p.precision == f32;
  Plan plan(comm, p, a.c.options);
  Options exactly = a.c.options;
  exactly.tolerance = 0;
  exactly.expert.codec.clear();
  exactly.input = plan.input().spec();
  exactly.output = plan.output().spec();
  Plan exact(comm, p, exactly);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in),
      out(packed_memory(plan.output(), comm.rank()), complex_out), in2 = in, out2 = out;
  in.fill(data_of(a.data, a.c.in, complex_in, a.c.seed, single));
  run(plan, Direction::forward, a.c.options.in_place, in, out);
  run(exact, Direction::forward, a.c.options.in_place, in, out2);
  judge(plan, a.c.options.tolerance, difference(comm, out, out2), exact.error_bound(), "forward", tally);

  out.fill(data_of(a.data, a.c.out, complex_out, a.c.seed + 7, single));
  run(plan, Direction::backward, a.c.options.in_place, out, in);
  run(exact, Direction::backward, a.c.options.in_place, out, in2);
  judge(plan, a.c.options.tolerance, difference(comm, in, in2), exact.error_bound(), "backward", tally);
}

// So large that exchanges are dithered where that was asked for. Huge and subnormal data are left to
// RandomApproximations, where exact mode's own error can be told.
TEST(Approximate, KeepsItsPromiseOnArraysWhoseExchangesAreDithered) {
  const int count = chosen_problems(200) / 10;
  Tally tally;
  std::vector<std::uint64_t> seeds{
      301000012, 401000024,
      501000000};  // their blocks are mostly filled up with zeros, which dither makes lose something, too
  for (int i = 0; i < count; ++i) seeds.push_back(first_seed() + 1000000 + static_cast<std::uint64_t>(i));
  for (std::size_t i = 0; i < seeds.size() && !HasFailure(); ++i) {
    Approximation a = random_approximation(seeds[i], 100000, 300000, 8);
    if (a.data == 7 || a.data == 8) a.data = 0;
    if (i < 3 || i % 2 == 0)
      a.c.options.guarantee = "statistical", a.c.options.expert.codec = i % 4 == 2 && i > 2 ? "block_float" : "";
    try_one(
        a, [](const Approximation& one) { return to_string(one); },
        [&](const Comm& comm) {
          a.c.problem.precision == f32 ? compare_with_exact_mode<float>(a, comm, tally)
                                       : compare_with_exact_mode<double>(a, comm, tally);
        });
  }
  tally.tell(count);
}

// Steps of exchanges follow from the norm of everything, which threads add up as they come.
TEST(Approximate, TheSameDataGiveTheSameBitsAgainWhicheverThreadIsFaster) {
  for (const char* guarantee : {"certified", "worst"}) {
    on_ranks(2, [&](Comm comm) {
      Plan plan(comm, {.shape = {96, 64, 80}},
                {.input = slabs(0),
                 .output = slabs(0),
                 .tolerance = 5e-8,
                 .guarantee = guarantee,
                 .threads = 3,
                 .wisdom = false,
                 .expert = {.codec = "block_float", .encode_near = true}});
      Array in = plan.make_input(), out = plan.make_output();
      std::mt19937_64 random(17 + static_cast<std::uint64_t>(comm.rank()));
      std::uniform_real_distribution<double> spread(-1, 1);
      for (double& x : in.as<double>()) x = spread(random);
      plan.forward(in, out);
      const std::uint64_t first = plan.hash_output(out);
      for (int i = 0; i < (sanitized ? 6 : 30); ++i) {
        plan.forward(in, out);
        ASSERT_EQ(plan.hash_output(out), first) << guarantee << ", run " << i;
      }
    });
  }
}

}  // namespace
}  // namespace shardfft::testing
