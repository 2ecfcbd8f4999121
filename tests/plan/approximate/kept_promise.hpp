// The promise of approximate mode, on plans of random problems: the error never exceeds the bound, nor the bound the
// tolerance. The definition of the transform is the measure.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "plan/approximate/beside_exact.hpp"
#include "shardfft/verify.hpp"
#include "support/chosen.hpp"
#include "support/comm/comm_threads.hpp"

namespace shardfft::testing {

/// L2 norm over all ranks of a difference, by that of what it is to be compared with, from the squares of both on this
/// rank.
inline double relative(const Comm& comm, std::pair<double, double> mine) {
  const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

/// How often a ratio lay in which range.
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

/// Counts of rank 0.
struct Tally {
  Histogram error_by_bound{}, bound_by_tolerance{};
  long transforms = 0, lossy = 0;
  void tell(int problems) const {
    if (!std::getenv("SHARDFFT_TEST_PROBLEMS")) return;
    fmt::print("{} problems from seed {}, {} transforms, {} of them lost something\n{}\n{}\n", problems, first_seed(),
               transforms, lossy, error_by_bound.text("error/bound"), bound_by_tolerance.text("bound/tolerance"));
  }
};

/// `slack`: of what the result was compared with.
inline void judge(const Plan& plan, double tolerance, double error, double slack, const char* direction, Tally& tally) {
  const Loss loss = plan.loss();
  EXPECT_LE(error, loss.bound * (1 + 1e-6) + slack) << direction;
  EXPECT_LE(loss.bound, tolerance) << direction;
  if (plan.comm().rank() != 0) return;
  ++tally.transforms;
  if (loss.encoded == 0) return;
  ++tally.lossy;
  tally.error_by_bound.add(error / (loss.bound + slack));
  tally.bound_by_tolerance.add(loss.bound / tolerance);
}

/// With fewer modes and points arithmetic errs relative to all that is computed, of which the result is a part: what
/// that adds to the bound, relative to the result.
inline double slack_of(const Problem& p, const Whole& x, const Whole& exact) {
  if (p.modes.dims() == 0 && p.support.dims() == 0) return 0;
  long double norm_in = 0, norm_out = 0, gain = 1;
  for (const Reference& v : x.values) norm_in += 2 * std::norm(v);  // of half spectra, too
  for (const Reference& v : exact.values) norm_out += std::norm(v);
  for (const int axis : p.axes) gain *= 2 * static_cast<long double>(p.shape[axis]);  // sums of two frequencies
  return exact_bound({.shape = p.shape, .axes = p.axes}, p.precision) *
         static_cast<double>(std::sqrt(gain * norm_in / std::max(norm_out, 1e-4000L)));
}

/// Whether enough is left for a promise relative to it: else errors are all that there is.
inline bool is_kept(const Problem& p, const Whole& x, const Whole& exact) { return slack_of(p, x, exact) < 1e-3; }

/// Collective. `transform`(plan, direction, in place, from, to, factor) runs the plan.
template <class T, class Transform>
void compare_with_the_definition(const Approximation& a, const Comm& comm, Tally& tally, const Transform& transform) {
  const Problem& p = a.c.problem;
  const bool complex_in = p.kind != r2c, complex_out = p.kind != c2r, single = p.precision == f32;
  Plan plan(comm, p, a.c.options);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in),
      out(packed_memory(plan.output(), comm.rank()), complex_out);
  const Whole x = data_of(a.data, a.c.in, complex_in, a.c.seed, single),
              y = data_of(a.data, a.c.out, complex_out, a.c.seed + 7, single);
  for (int again = 0; again < 2; ++again) {  // the second time rounds and events have a past
    in.fill(x);
    transform(plan, Direction::forward, a.c.options.in_place, in, out, a.factor);
    const Whole exact = transformed(p, x, Direction::forward);
    if (is_usual(exact, single) && is_kept(p, x, exact))
      judge(plan, a.c.options.tolerance, relative(comm, out.compare(exact, a.factor)), slack_of(p, x, exact), "forward",
            tally);

    out.fill(y);
    transform(plan, Direction::backward, a.c.options.in_place, out, in, a.factor);
    const Whole exact_back = transformed(p, y, Direction::backward);
    long double n = 1;
    for (const int axis : p.axes) n *= static_cast<long double>(p.shape[axis]);
    if (is_usual(exact_back, single) && is_kept(p, y, exact_back))
      judge(plan, a.c.options.tolerance, relative(comm, in.compare(exact_back, a.factor / n)),
            slack_of(p, y, exact_back), "backward", tally);
  }
}

/// try_one(problem, compare): compare(comm) on each of its ranks; says which problem it was where something is wrong.
template <class Text, class Compare>
void try_one(const Approximation& a, const Text& text_of, const Compare& compare) {
  if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", text_of(a));
  try {
    on_ranks(a.c.ranks, compare);
  } catch (const std::exception& e) { ADD_FAILURE() << e.what(); }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << text_of(a);
}

/// So many problems, or as many as were chosen: made(seed) is one, text_of(it) says what it is.
template <class Make, class Text, class Transform>
void keep_the_promise(int usually, const Make& made, const Text& text_of, const Transform& transform) {
  Tally tally;
  const int count = chosen_problems(usually);
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const Approximation a = made(first_seed() + static_cast<std::uint64_t>(i));
    try_one(a, text_of, [&](const Comm& comm) {
      a.c.problem.precision == f32 ? compare_with_the_definition<float>(a, comm, tally, transform)
                                   : compare_with_the_definition<double>(a, comm, tally, transform);
    });
  }
  tally.tell(count);
  if (count < 30) return;  // chosen by hand
  EXPECT_GT(tally.lossy, tally.transforms / 5) << "next to nothing was lost: this test tests nothing";
}

}  // namespace shardfft::testing
