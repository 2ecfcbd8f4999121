// What apply() loses with a tolerance, beside the exact one of the host: relative to the largest factor and the norm of
// the input.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "plan/apply/mixing.hpp"
#include "shardfft/operators/formula.hpp"
#include "support/comm/agree.hpp"

namespace shardfft::testing {

constexpr double largest = 3;

inline double factor_at(double squares, bool of_waves) {
  return of_waves ? largest * (1 - squares) / (1 + squares) : largest / (1 + 100 * squares);
}

// Factors of modulus 3 at most, in places only; conjugates at k and -k. A device runs them as a formula.
template <class T>
Operator factors(const Plan& plan, bool of_waves) {
  if (plan.space() == Space::host)
    return {[of_waves](const Modes& m) {
      for (Index i = 0; i < m.count; ++i) {
        double squares = 0;
        for (int a = 0; a < m.first.dims(); ++a) squares += (a + 1) * std::pow(m.frequency(a, i), 2);
        const auto factor = static_cast<T>(factor_at(squares, of_waves));
        const auto at = static_cast<std::size_t>(i);
        for (int c = 0; c < m.components_in; ++c)
          if (m.complex)
            m.values<T>(c)[at] *= factor;
          else
            m.reals<T>(c)[at] *= factor;
      }
    }};
  const int parts = plan.middle_is_complex() ? 2 : 1;
  Formula f;
  Term squares = f.number(0);
  for (int a = 0; a < plan.middle().global().dims(); ++a) {
    const Term x = f.read(parts + a);
    squares += (a + 1.0) * x * x;
  }
  const Term factor = of_waves ? largest * (1.0 - squares) / (1.0 + squares) : largest / (1.0 + 100.0 * squares);
  for (int part = 0; part < parts; ++part) f.write(part, factor * f.read(part));
  return plan.make_operator(f);
}

/// By `plan`, wherever its arrays are.
template <class T>
void apply_to(Plan& plan, const LocalData<T>& in, LocalData<T>& out, const Operator& f, Apply apply) {
  Array from = plan.make_array(in.view().bytes), to = plan.make_applied();
  plan.copy(in.view(), from);
  apply == Apply::to_outputs ? plan.apply(from, to, f) : plan.apply_physical(from, to, f);
  plan.copy(to, out.view());
}

// Sum on this rank; elements of half spectra that stand for two count twice.
template <class T>
double squares(const Plan& plan, LocalData<T>& data, const Layout& layout, bool complex, LocalData<T>* other) {
  const Problem& p = plan.problem();
  const int real = real_axis(p);
  const bool half = real >= 0 && layout.global() == extents(p, true) && complex;
  const Index modes =
      extents({.shape = p.shape, .kind = c2c, .axes = p.axes, .modes = p.modes}, true)[std::max(real, 0)];
  Whole mine{.shape = layout.global()}, theirs = mine;
  mine.values.resize(static_cast<std::size_t>(product(mine.shape)));
  theirs.values.resize(mine.values.size());
  data.read(mine);
  if (other) other->read(theirs);
  double sum = 0;
  for (const Box& box : layout.boxes(plan.comm().rank()))
    if (!box.empty())
      for_each(box, [&](const Coord& at) {
        const bool twice = half && at[real] > 0 && 2 * at[real] != modes;
        sum += (twice ? 2 : 1) * static_cast<double>(std::norm(mine.at(at) - theirs.at(at)));
      });
  return sum;
}

struct Counts {
  int lossy = 0;
  double closest = 0;
};

template <class T>
void check(const Comm& comm, const Problem& problem, Options options, double tolerance, Counts& counts) {
  const bool to_outputs = options.apply == Apply::to_outputs;
  const bool complex = to_outputs ? complex_in(problem) : complex_out(problem);
  (to_outputs ? options.input : options.output) = slabs(0);
  Options nothing_lost = options;
  nothing_lost.expert = {};
  nothing_lost.device = nothing_lost.guarantee = "";
  Plan exact(comm, problem, nothing_lost);
  options.tolerance = tolerance;
  options.expert.encode_near = true;
  Plan plan(comm, problem, options);
  const Layout& own = to_outputs ? plan.input() : plan.output();
  const LocalMemory memory = packed_memory(own, comm.rank()),
                    exact_memory = packed_memory(to_outputs ? exact.input() : exact.output(), comm.rank());
  const Whole x = random_array(own.global(), complex, 11);
  for (const bool of_waves : {false, true}) {
    LocalData<T> in(memory, complex), out(memory, complex), exact_in(exact_memory, complex),
        exact_out(exact_memory, complex);
    in.fill(x), exact_in.fill(x);
    apply_to(plan, in, out, factors<T>(plan, of_waves), options.apply);
    const double bound = plan.error_bound();
    const Loss loss = plan.loss();
    apply_to(exact, exact_in, exact_out, factors<T>(exact, of_waves), options.apply);
    ASSERT_TRUE((to_outputs ? exact.input() : exact.output()).same_owners(own));
    const double error = std::sqrt(all_sum(comm, squares<T>(plan, out, own, complex, &exact_out))),
                 norm = std::sqrt(all_sum(comm, squares<T>(plan, in, own, complex, nullptr)));
    EXPECT_LE(error, bound * largest * norm);
    EXPECT_LE(bound, tolerance * (1 + 1e-9));
    if (comm.rank() != 0 || loss.bytes_before == 0) continue;
    counts.lossy += error > 1e-4 * tolerance * largest * norm;
    counts.closest = std::max(counts.closest, error / (tolerance * largest * norm));
  }
}

/// Problem number `i`: codec, guarantee and tolerance take turns.
inline void check_in_turn(int i, Case c, Options options, std::span<const char* const> codecs, Counts& counts) {
  const bool fourier = c.problem.kinds.empty(), single = c.problem.precision == f32;
  c.problem.forward = fourier ? Scaling::none : Scaling::orthonormal;
  c.problem.backward = fourier ? Scaling::by_n : Scaling::orthonormal;
  c.ranks = std::max(c.ranks, 2);
  options.threads = 1;
  options.apply = i % 2 == 0 ? Apply::to_outputs : Apply::to_inputs;
  options.expert.codec = codecs[static_cast<std::size_t>(i) % codecs.size()];
  if (options.expert.codec == "f32" && single) options.expert.codec = "f16";
  if (!single && i % 5 == 0) options.guarantee = "worst";
  if (i % 5 == 1) options.guarantee = "statistical";
  const double tolerance = std::pow(10, -(single ? 2 + i % 3 : 2 + i % 9));
  SCOPED_TRACE(fmt::format("{} on {} ranks, codec {}, engine '{}', transport '{}', tolerance {}, seed {}",
                           to_string(c.problem), c.ranks, options.expert.codec, options.expert.engine,
                           options.expert.transport, tolerance, c.seed));
  on_ranks(c.ranks, [&](Comm comm) {
    single ? check<float>(comm, c.problem, options, tolerance, counts)
           : check<double>(comm, c.problem, options, tolerance, counts);
  });
}

}  // namespace shardfft::testing
