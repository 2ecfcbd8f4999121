// The promise of approximate mode, on plans of random problems: the error never exceeds the bound, nor the bound the tolerance. The definition of the transform is the measure.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "plan/beside_exact.hpp"
#include "support/chosen.hpp"
#include "support/comm_threads.hpp"

namespace shardfft::testing {

/// L2 norm over all ranks of a difference, by that of what it is to be compared with, from the squares of both on this rank.
inline double relative(const Comm& comm, std::pair<double, double> mine) {
  const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

struct Tally {
  int transforms = 0, lossy = 0;
  double nearest = 0;  ///< largest bound by tolerance
};

inline void judge(const Plan& plan, double tolerance, double error, const char* direction, Tally& tally) {
  const Loss loss = plan.loss();
  EXPECT_LE(error, loss.bound * (1 + 1e-6)) << direction;
  EXPECT_LE(loss.bound, tolerance) << direction;
  if (plan.comm().rank() != 0) return;
  ++tally.transforms;
  tally.lossy += loss.encoded > 0;
  tally.nearest = std::max(tally.nearest, loss.bound / tolerance);
}

/// Collective. `transform`(plan, direction, in place, from, to) runs the plan.
template <class T, class Transform>
void compare_with_the_definition(const Approximation& a, const Comm& comm, Tally& tally, const Transform& transform) {
  const Problem& p = a.c.problem;
  const bool complex_in = p.kind != r2c, complex_out = p.kind != c2r, single = p.precision == f32;
  Plan plan(comm, p, a.c.options);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in), out(packed_memory(plan.output(), comm.rank()), complex_out);
  const Whole x = data_of(a.data, a.c.in, complex_in, a.c.seed, single), y = data_of(a.data, a.c.out, complex_out, a.c.seed + 7, single);
  for (int again = 0; again < 2; ++again) {  // the second time rounds and events have a past
    in.fill(x);
    transform(plan, Direction::forward, a.c.options.in_place, in, out);
    const Whole exact = transformed(p, x, Direction::forward);
    if (is_usual(exact, single)) judge(plan, a.c.options.tolerance, relative(comm, out.compare(exact, 1)), "forward", tally);

    out.fill(y);
    transform(plan, Direction::backward, a.c.options.in_place, out, in);
    const Whole exact_back = transformed(p, y, Direction::backward);
    long double n = 1;
    for (const int axis : p.axes) n *= static_cast<long double>(p.shape[axis]);
    if (is_usual(exact_back, single)) judge(plan, a.c.options.tolerance, relative(comm, in.compare(exact_back, 1 / n)), "backward", tally);
  }
}

/// 150 problems, or as many as were chosen: made(seed) is one, text_of(it) says what it is.
template <class Make, class Text, class Transform>
void keep_the_promise(const Make& made, const Text& text_of, const Transform& transform) {
  Tally tally;
  const int count = chosen_problems(150);
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const Approximation a = made(first_seed() + static_cast<std::uint64_t>(i));
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", text_of(a));
    try {
      on_ranks(a.c.ranks, [&](const Comm& comm) {
        a.c.problem.precision == f32 ? compare_with_the_definition<float>(a, comm, tally, transform) : compare_with_the_definition<double>(a, comm, tally, transform);
      });
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "with " << text_of(a);
  }
  if (std::getenv("SHARDFFT_TEST_PROBLEMS")) fmt::print("{} transforms, {} of them lost something, bound/tolerance at most {:.3f}\n", tally.transforms, tally.lossy, tally.nearest);
  if (count < 30) return;  // chosen by hand
  EXPECT_GT(tally.lossy, tally.transforms / 5) << "next to nothing was lost: this test tests nothing";
}

}  // namespace shardfft::testing
