// Approximate mode: the promise is kept on any input, and the bound that is told lies between the error and the promise.
//
// SHARDFFT_TEST_PROBLEMS says how many random problems there are (docs/approximate.md: 10,000), and has the test tell how near error and bound came to what they must not exceed.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/agree.hpp"
#include "support/approximation.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

// How often a ratio lay in which range.
class Histogram {
 public:
  void add(double ratio) {
    std::size_t i = 0;
    while (i + 1 < counts_.size() && ratio >= upper[i]) ++i;
    ++counts_[i];
    largest_ = std::max(largest_, ratio);
  }
  [[nodiscard]] std::string text(const char* name) const {
    std::string line = fmt::format("{:<16} largest {:.6f};", name, largest_);
    double lower = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      line += fmt::format("  {:g}-{:g}: {}", lower, upper[i], counts_[i]);
      lower = upper[i];
    }
    return line;
  }

 private:
  static constexpr std::array upper{1e-6, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0};
  std::array<long, upper.size()> counts_{};
  double largest_ = 0;
};

struct Tally {
  Histogram error_by_bound, bound_by_tolerance;
  long transforms = 0, encoded = 0;
  void tell(int problems) const {
    if (!std::getenv("SHARDFFT_TEST_PROBLEMS")) return;
    fmt::print("{} problems from seed {}, {} transforms, {} of them lost something\n{}\n{}\n", problems, first_seed(), transforms, encoded, error_by_bound.text("error/bound"),
               bound_by_tolerance.text("bound/tolerance"));
  }
};

struct Sides {
  bool complex_in, complex_out, single;
  explicit Sides(const Problem& p) : complex_in(p.kind != r2c), complex_out(p.kind != c2r), single(p.precision == f32) {}
};

double relative(const Comm& comm, std::pair<double, double> mine) {
  const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

void judge(const Plan& plan, const Approximation& a, Tally& tally, const char* direction, double error, double slack) {
  const Loss loss = plan.loss();
  EXPECT_LE(error, loss.bound * (1 + 1e-6) + slack) << direction;
  EXPECT_LE(loss.bound, a.c.options.tolerance) << direction;
  if (plan.comm().rank() != 0) return;
  ++tally.transforms;
  if (loss.encoded == 0) return;
  ++tally.encoded;
  tally.error_by_bound.add(error / (loss.bound + slack));
  tally.bound_by_tolerance.add(loss.bound / a.c.options.tolerance);
}

// Against the definition, in long double.
template <class T>
void compare_with_the_definition(const Approximation& a, const Comm& comm, Tally& tally) {
  const Problem& p = a.c.problem;
  const Sides s(p);
  Plan plan(comm, p, a.c.options);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), s.complex_in), out(packed_memory(plan.output(), comm.rank()), s.complex_out);
  const Whole x = data_of(a.data, a.c.in, s.complex_in, a.c.seed, s.single), y = data_of(a.data, a.c.out, s.complex_out, a.c.seed + 7, s.single);
  in.fill(x);
  run(plan, Direction::forward, a.c.options.in_place, in, out);
  const Whole exact = transformed(p, x, Direction::forward);
  if (is_usual(exact, s.single)) judge(plan, a, tally, "forward", relative(comm, out.compare(exact, 1)), 0);

  out.fill(y);
  run(plan, Direction::backward, a.c.options.in_place, out, in);
  const Whole exact_back = transformed(p, y, Direction::backward);
  long double n = 1;
  for (const int axis : p.axes) n *= static_cast<long double>(p.shape[axis]);
  if (is_usual(exact_back, s.single)) judge(plan, a, tally, "backward", relative(comm, in.compare(exact_back, 1 / n)), 0);
}

// Of two arrays that lie alike.
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
  const Sides s(p);
  Plan plan(comm, p, a.c.options);
  Options exactly = a.c.options;
  exactly.tolerance = 0;
  exactly.codec.clear();
  exactly.input = plan.input().spec();
  exactly.output = plan.output().spec();
  Plan exact(comm, p, exactly);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), s.complex_in), out(packed_memory(plan.output(), comm.rank()), s.complex_out), in2 = in, out2 = out;
  in.fill(data_of(a.data, a.c.in, s.complex_in, a.c.seed, s.single));
  run(plan, Direction::forward, a.c.options.in_place, in, out);
  run(exact, Direction::forward, a.c.options.in_place, in, out2);
  judge(plan, a, tally, "forward", difference(comm, out, out2), exact.error_bound());

  out.fill(data_of(a.data, a.c.out, s.complex_out, a.c.seed + 7, s.single));
  run(plan, Direction::backward, a.c.options.in_place, out, in);
  run(exact, Direction::backward, a.c.options.in_place, out, in2);
  judge(plan, a, tally, "backward", difference(comm, in, in2), exact.error_bound());
}

template <class Compare>
void try_one(const Approximation& a, Compare compare) {
  if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", to_string(a));
  try {
    on_ranks(a.c.ranks, compare);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << to_string(a);
}

TEST(Approximate, TheErrorNeverExceedsTheBoundNorTheBoundTheTolerance) {
  const int count = chosen_problems(300);
  Tally tally;
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const Approximation a = random_approximation(first_seed() + static_cast<std::uint64_t>(i), 1, 3000, 12);
    try_one(a, [&](const Comm& comm) {
      a.c.problem.precision == f32 ? compare_with_the_definition<float>(a, comm, tally) : compare_with_the_definition<double>(a, comm, tally);
    });
  }
  tally.tell(count);
}

// So large that exchanges are dithered where that was asked for. Huge and subnormal data are left to the test above, where exact mode's own error can be told.
TEST(Approximate, NorOnArraysWhoseExchangesAreDithered) {
  const int count = chosen_problems(200) / 10;
  Tally tally;
  std::vector<std::uint64_t> seeds{301000012, 401000024, 501000000};  // their blocks are mostly filled up with zeros, which dither makes lose something, too
  for (int i = 0; i < count; ++i) seeds.push_back(first_seed() + 1000000 + static_cast<std::uint64_t>(i));
  for (std::size_t i = 0; i < seeds.size() && !HasFailure(); ++i) {
    Approximation a = random_approximation(seeds[i], 100000, 300000, 8);
    if (a.data == 7 || a.data == 8) a.data = 0;
    if (i < 3 || i % 2 == 0) a.c.options.guarantee = "statistical", a.c.options.codec = i % 4 == 2 && i > 2 ? "block_float" : "";
    try_one(a, [&](const Comm& comm) {
      a.c.problem.precision == f32 ? compare_with_exact_mode<float>(a, comm, tally) : compare_with_exact_mode<double>(a, comm, tally);
    });
  }
  tally.tell(count);
}

}  // namespace
}  // namespace shardfft::testing
