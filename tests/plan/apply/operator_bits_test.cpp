// Operators give the same bits on any number of ranks: on random shapes, kinds and layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "support/chosen.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/layouts.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using Lengths = std::vector<double>;
using Hashes = std::map<std::string, std::uint64_t>;

/// Numbers of all axes, of which a cut-off of 2 pi times 3, 5, ... is met by some.
double cutoff_of(const Shape& shape) { return 2 * std::numbers::pi * (shape.dims() > 1 ? 5 : 1); }

/// Numbers that depend on the position alone.
template <class T>
Array beside(const Plan& plan) {
  Array factors = plan.make_middle();
  const bool complex = plan.middle_is_complex();
  const auto x = factors.as<T>();
  for_each_element(plan.middle(), plan.comm().rank(), [&](const Coord& at, std::size_t i) {
    double sum = 0.1;
    for (int a = 0; a < at.dims(); ++a) sum = sum / 3 + 0.37 * plan.wave(a)[static_cast<std::size_t>(at[a])];
    x[complex ? 2 * i : i] = static_cast<T>(1 / (1 + sum * sum));
    if (complex) x[2 * i + 1] = plan.problem().kind == c2c ? static_cast<T>(sum) : T(0);
  });
  return factors;
}

/// Every operator that this plan can have, by name.
template <class T>
std::vector<std::pair<std::string, Operator>> operators_of(const Plan& plan, const Lengths& lengths,
                                                           const Array& factors) {
  using namespace spectral;
  std::vector<std::pair<std::string, Operator>> all;
  const auto add = [&](const std::string& name, const auto& make) {
    try {
      all.emplace_back(name, make());
    } catch (const Error&) {  // of other kinds of axes
    }
  };
  const Lengths by(lengths.size(), 0.23);
  constexpr std::array stencils{Stencil::spectral, Stencil::second_order, Stencil::fourth_order, Stencil::sixth_order};
  for (const Stencil stencil : stencils)
    for (const double more : {0.0, 0.7})
      add(fmt::format("inverse_laplace {} {}", static_cast<int>(stencil), more),
          [&] { return inverse_laplace(plan, lengths, stencil, more); });
  add("nothing", [&] { return Operator([](const Modes&) {}); });
  add("gaussian", [&] { return gaussian(plan, lengths, 0.1); });
  add("lowpass", [&] { return lowpass(plan, lengths, cutoff_of(plan.middle().global())); });
  add("shift", [&] { return spectral::shift(plan, lengths, by); });
  for (const int order : {1, 2}) add("derivative", [&] { return derivative(plan, -1, order, 1.3); });
  add("multiply", [&] { return multiply(plan, factors); });
  add("convolve", [&] { return convolve(plan, factors); });
  add("correlate", [&] { return correlate(plan, factors); });
  return all;
}

/// Those that change or mix components, of a plan that gets all of them together.
std::vector<std::pair<std::string, Operator>> vectors_of(const Plan& plan, const Lengths& lengths, int in, int out) {
  std::vector<std::pair<std::string, Operator>> all;
  if (in == 1) all.emplace_back("gradient", spectral::gradient(plan, lengths));
  if (in > 1 && out == 1) all.emplace_back("divergence", spectral::divergence(plan, lengths));
  if (in > 1 && in == out) all.emplace_back("project", spectral::project(plan, lengths));
  if (in == 3 && out == 3) all.emplace_back("curl", spectral::curl(plan, lengths));
  return all;
}

/// Hashes all ranks' elements with their positions.
template <class T>
std::int64_t hash_of(const Comm& comm, const Layout& layout, LocalData<T>& data) {
  Whole all{.shape = layout.global()};
  all.values.resize(static_cast<std::size_t>(product(all.shape)));
  data.read(all);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < all.values.size(); ++i)
    for (const auto part : {all.values[i].real(), all.values[i].imag()})
      sum += static_cast<std::int64_t>(
          (std::bit_cast<std::uint64_t>(static_cast<double>(part)) * (2 * i + 1) * 0x9e3779b97f4a7c15) >> 24);
  return all_sum(comm, sum);
}

template <class T>
Hashes hashes_of(const Comm& comm, const Problem& problem, const Options& options, const Lengths& lengths) {
  Plan plan(comm, problem, options);
  const bool complex = complex_in(problem);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex),
      out(packed_memory(plan.applied(), comm.rank()), complex);
  in.fill(random_array(plan.input().global(), complex, 5));
  Hashes hashes;
  if (options.components_in > 0) {
    for (const auto& [name, f] : vectors_of(plan, lengths, options.components_in, options.components_out)) {
      plan.apply(in.view(), out.view(), f);
      hashes[name] = static_cast<std::uint64_t>(hash_of(comm, plan.applied(), out));
    }
    return hashes;
  }
  const Array factors = beside<T>(plan);
  for (const auto& [name, f] : operators_of<T>(plan, lengths, factors)) {
    plan.apply(in.view(), out.view(), f);
    hashes[name] = plan.hash_input(out.view());
  }
  Plan once(comm, problem, {.input = options.input, .threads = options.threads});
  Array spectrum = once.make_output();
  once.forward(in.view(), spectrum);
  std::uint64_t shells = 0;
  for (const double sum : spectral::power_spectrum(once, spectrum, lengths))
    shells = 31 * shells + std::bit_cast<std::uint64_t>(sum);
  hashes["power_spectrum"] = shells;
  return hashes;
}

Hashes hashes(int ranks, const Problem& problem, const Options& options, const Lengths& lengths) {
  Hashes all;
  on_ranks(ranks, [&](Comm comm) {
    const Hashes mine = problem.precision == f32 ? hashes_of<float>(comm, problem, options, lengths)
                                                 : hashes_of<double>(comm, problem, options, lengths);
    if (comm.rank() == 0) all = mine;
  });
  return all;
}

/// 1 to 4 axes, seldom 6, of few elements.
Problem random_problem(std::mt19937_64& random) {
  constexpr int most[] = {40, 14, 9, 6, 4, 3};
  const int dims = static_cast<int>(pick(random, 0, 9) == 0 ? pick(random, 5, 6) : pick(random, 1, 4));
  Problem problem{.shape = Coord::filled(dims, 1)};
  for (int a = 0; a < dims; ++a) problem.shape[a] = pick(random, 2, most[dims - 1]);
  problem.kind = std::array{c2c, r2c, r2r}[static_cast<std::size_t>(pick(random, 0, 2))];
  problem.precision = pick(random, 0, 1) == 0 ? f32 : f64;
  const bool kinds = problem.kind == r2r || pick(random, 0, 3) == 0;
  for (int a = 0; kinds && a < dims; ++a)
    problem.kinds.push_back(problem.kind == r2r ? static_cast<AxisKind>(pick(random, 1, 9))
                            : a == dims - 1     ? AxisKind::fourier
                                                : static_cast<AxisKind>(pick(random, 0, 9)));
  return problem;
}

/// The words of a layout, which mean something on any number of ranks.
LayoutSpec words(std::mt19937_64& random, int dims) {
  const int axis = static_cast<int>(pick(random, 0, dims - 1));
  switch (pick(random, 0, 4)) {
    case 0:
      return any;
    case 1:
      return slabs(axis);
    case 2:
      return pencils(axis);
    case 3:
      return bricks();
    default:
      return cyclic(axis);
  }
}

TEST(OperatorBits, AreTheSameOnAnyNumberOfRanksWhicheverAxisRowsLieAlong) {
  const int problems = chosen_problems(60);
  int tried = 0;
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261129) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const Problem problem = random_problem(random);
    const int dims = problem.shape.dims();
    Options options{.input = words(random, dims), .threads = 1, .apply = Apply::to_outputs};
    Lengths lengths;
    const bool cube = pick(random, 0, 1) == 0;
    for (int a = 0; a < dims; ++a) lengths.push_back(cube ? 1 : 0.7 + 0.13 * static_cast<double>(pick(random, 0, 9)));
    const std::string what = fmt::format("seed {}: {}, input {}", seed, to_string(problem), to_string(options.input));
    Hashes alone;
    try {
      alone = hashes(1, problem, options, lengths);
    } catch (const Error&) { continue; }  // plans that cannot apply
    ++tried;
    for (const int ranks : {2, 3, 5, 7}) {
      options.threads = ranks == 3 ? 2 : 1;
      for (const auto& [name, hash] : hashes(ranks, problem, options, lengths))
        EXPECT_EQ(hash, alone[name]) << name << " on " << ranks << " ranks, " << what;
    }
  }
  EXPECT_GE(3 * tried, 2 * problems) << "too many problems cannot be applied to";
}

TEST(OperatorBits, OfVectorsAreTheSameOnAnyNumberOfRanks) {
  const int problems = chosen_problems(30);
  for (int i = 0; i < problems; ++i) {
    const std::uint64_t seed = chosen_seed(20261201) + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    const int d = static_cast<int>(pick(random, 2, 4));
    const auto [in, out] =
        std::array{std::pair{1, d}, std::pair{d, 1}, std::pair{d, d}}[static_cast<std::size_t>(i % 3)];
    Problem problem{.shape = Coord::filled(d + 1, in),
                    .kind = pick(random, 0, 1) == 0 ? c2c : r2c,
                    .precision = pick(random, 0, 1) == 0 ? f32 : f64};
    Lengths lengths{1};
    for (int a = 1; a <= d; ++a) {
      problem.axes.push_back(a);
      problem.shape[a] = pick(random, 2, d == 4 ? 5 : 9);
      lengths.push_back(0.7 + 0.13 * static_cast<double>(pick(random, 0, 9)));
    }
    const int axis = static_cast<int>(pick(random, 1, d));
    Options options{.input = pick(random, 0, 1) == 0 ? slabs(axis) : cyclic(axis),
                    .threads = 1,
                    .apply = Apply::to_outputs,
                    .components_in = in,
                    .components_out = out};
    const Hashes alone = hashes(1, problem, options, lengths);
    EXPECT_FALSE(alone.empty());
    for (const int ranks : {2, 3, 5, 7})
      EXPECT_EQ(hashes(ranks, problem, options, lengths), alone)
          << ranks << " ranks, seed " << seed << ": " << to_string(problem) << ", input " << to_string(options.input);
  }
}

}  // namespace
}  // namespace shardfft::testing
