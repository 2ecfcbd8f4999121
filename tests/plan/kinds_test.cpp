// Cosine, sine and Hartley axes beside what random_plans_test.cpp shows of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "plan/device/device_plan_case.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using enum AxisKind;

/// Forward and backward of reals, in the same memory or not; the hash of the modes.
template <class T>
std::uint64_t there_and_back(const Comm& comm, const Problem& problem, const Options& options) {
  Plan plan(comm, problem, options);
  LocalData<T> in(packed_memory(plan.input(), comm.rank()), false),
      out(packed_memory(plan.output(), comm.rank()), false);
  const Whole x = random_array(problem.shape, false, 3);
  LocalData<T>& to = options.in_place ? in : out;
  in.fill(x);
  plan.forward(in.view(), to.view());
  const auto expect = [&](LocalData<T>& got, const Whole& want, long double scale) {
    const auto [difference, norm] = got.compare(want, scale);
    EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), sizeof(T) == 4 ? 1e-6 : 2e-15)
        << to_string(problem);
  };
  expect(to, transformed(problem, x, Direction::forward), factor(problem, problem.forward));
  const std::uint64_t hash = plan.hash_output(to.view());
  plan.backward(to.view(), in.view());
  expect(in, x, 1);
  return hash;
}

TEST(Kinds, HaveOneHashForAnyRanksThreadsLayoutsAndInPlace) {
  const Problem problem{.shape = {24, 18, 20}, .kind = r2r, .axes = {0, 1, 2}, .kinds = {cosine2, sine1, hartley}};
  std::uint64_t expected = 0;
  on_ranks(1, [&](const Comm& comm) { expected = there_and_back<double>(comm, problem, {}); });
  for (const int ranks : {1, 2, 3, 5, 8})
    for (const bool in_place : {false, true})
      for (const int threads : {1, 2})
        for (const char* decomposition : {"", "slab", "pencil"})
          on_ranks(ranks, [&](const Comm& comm) {
            const Options options{.input = slabs(0),
                                  .output = slabs(0),
                                  .threads = threads,
                                  .in_place = in_place,
                                  .expert = {.decomposition = decomposition}};
            EXPECT_EQ(there_and_back<double>(comm, problem, options), expected) << ranks << " ranks";
          });
}

TEST(Kinds, OfOrthonormalPlansKeepTheNorm) {
  for (const AxisKind kind : {fourier, cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley}) {
    const Problem problem{.shape = {9, 14},
                          .axes = {0, 1},
                          .forward = Scaling::orthonormal,
                          .backward = Scaling::orthonormal,
                          .kinds = {kind, kind}};
    on_ranks(2, [&](const Comm& comm) {
      Plan plan(comm, problem);
      LocalData<double> in(packed_memory(plan.input(), comm.rank()), true),
          out(packed_memory(plan.output(), comm.rank()), true);
      const Whole x = random_array(problem.shape, true, 4), zero{x.shape, std::vector<Reference>(x.values.size())};
      in.fill(x);
      const double before = all_sum(comm, in.compare(zero, 1).first);
      plan.forward(in.view(), out.view());
      EXPECT_NEAR(all_sum(comm, out.compare(zero, 1).first) / before, 1, 1e-14) << to_string(kind);
      plan.backward(out.view(), in.view());
      EXPECT_LT(all_sum(comm, in.compare(x, 1).first) / before, 1e-29) << to_string(kind);
    });
  }
}

TEST(Kinds, OfLongAxesAreWholePencils) {
  for (const Index n : {Index{4099}, Index{8192}, Index{70001}, Index{1} << 17}) {
    if (sanitized && n > 8192) continue;
    const Problem problem{.shape = {n}, .kind = r2r, .axes = {0}, .kinds = {cosine2}};
    on_ranks(3, [&](const Comm& comm) {
      Plan plan(comm, problem);
      LocalData<double> in(packed_memory(plan.input(), comm.rank()), false),
          out(packed_memory(plan.output(), comm.rank()), false);
      const Whole x = random_array(problem.shape, false, 5);
      in.fill(x);
      plan.forward(in.view(), out.view());
      const Verdict verdict = plan.verify(in.view(), out.view(), Direction::forward);
      EXPECT_TRUE(verdict.ok()) << n << ": " << verdict.error_rel_l2 << " > " << verdict.bound;
      plan.backward(out.view(), in.view());
      const auto [difference, norm] = in.compare(x, 1);
      EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), 2e-15) << n;
    });
  }
}

/// Through a device what two sweeps hand on is narrow, elsewhere what ranks send is encoded.
void expect_kept(AxisKind kind, double tolerance, bool constant, const Where& where) {
  const Problem problem{.shape = {16, 12, 20}, .kind = r2r, .axes = {0, 1, 2}, .kinds = {kind, kind, kind}};
  SCOPED_TRACE(fmt::format("{}, {}, {}, constant {}", to_string(kind), tolerance, where.name, constant));
  const bool through = where.arrays && std::string_view(where.arrays) == "host";
  on_ranks(through ? 2 : 4, [&](const Comm& comm) {
    Options options{.input = slabs(0), .output = slabs(0), .tolerance = tolerance, .expert = {.encode_near = !through}};
    if (where.arrays) options.device = space(), options.arrays = where.arrays;
    Plan plan(comm, problem, options);
    LocalData<double> in(packed_memory(plan.input(), comm.rank()), false),
        out(packed_memory(plan.output(), comm.rank()), false);
    Whole x = random_array(problem.shape, false, 6);
    if (constant)
      for (Reference& value : x.values) value = 1;
    in.fill(x);
    const auto device = where.arrays && !through ? device_of(comm.rank()) : nullptr;
    Mirror<double> from(in, device), to(out, device);
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      direction == Direction::forward ? plan.forward(from.view(), to.view()) : plan.backward(from.view(), to.view());
      to.pull(plan);
      const long double by = factor(problem, direction == Direction::forward ? problem.forward : problem.backward);
      const auto [difference, norm] = out.compare(transformed(problem, x, direction), by);
      const double error = std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), bound = plan.error_bound();
      EXPECT_LE(error, bound);
      EXPECT_LE(bound, tolerance);
      if (!constant) { EXPECT_GT(plan.loss().encoded, 0); }
    }
  });
}

// Constants and noise: what weights make of norms, whatever the data.
TEST(Kinds, KeepTheirToleranceForAnyInput) {
  Sample sample;
  int number = 0;
  for (const AxisKind kind : {cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley})
    for (const bool constant : {false, true})
      for (const Where& where : places())
        if (sample.takes()) expect_kept(kind, ++number % 2 == 0 ? 1e-2 : 1e-5, constant, where);
}

TEST(Kinds, ThatMakeNoSenseAreRefusedWithTheRemedy) {
  const auto refusal = [](const Problem& problem) { return thrown([&] { Plan(local(), problem); }); };
  EXPECT_NE(refusal({.shape = {1, 4}, .kind = r2r, .kinds = {cosine1, sine1}}).find("use cosine2"), std::string::npos);
  EXPECT_NE(refusal({.shape = {4}, .kind = r2c, .kinds = {cosine2}}).find("use r2r"), std::string::npos);
  EXPECT_NE(refusal({.shape = {4}, .kind = r2r}).find("name kinds"), std::string::npos);
  EXPECT_NE(refusal({.shape = {4, 4}, .kinds = {cosine2}}).find("got 1 for 2 axes"), std::string::npos);
}

TEST(Kinds, FollowFromBoundaries) {
  const Boundary even = Boundary::even, odd = Boundary::odd;
  EXPECT_EQ(kind_of(even, even, Points::cells), cosine2);
  EXPECT_EQ(kind_of(odd, odd, Points::cells), sine2);
  EXPECT_EQ(kind_of(odd, even, Points::cells), sine4);
  EXPECT_EQ(kind_of(even, odd, Points::cells), cosine4);
  EXPECT_EQ(kind_of(even, even, Points::nodes), cosine1);
  EXPECT_EQ(kind_of(odd, odd, Points::nodes), sine1);
  EXPECT_EQ(kind_of(odd, even, Points::nodes), sine3);
  EXPECT_EQ(kind_of(even, odd, Points::nodes), cosine3);
  EXPECT_EQ(kind_of(Boundary::periodic, Boundary::periodic, Points::nodes), fourier);
}

TEST(Kinds, FrequenciesAreSignedAlongFourierAxesAndPositiveAlongTheHalvedOne) {
  using Frequencies = std::array<double, max_dims>;
  const Problem half{.shape = {6, 8, 5}, .kind = r2c, .kinds = {fourier, fourier, cosine2}};
  EXPECT_EQ(frequency(half, {4, 4, 4}), (Frequencies{-2, 4, 4}));
  const Problem complex{.shape = {6, 8, 5}, .axes = {2, 0}, .kinds = {sine1, fourier}};
  EXPECT_EQ(frequency(complex, {4, 4, 4}), (Frequencies{-2, 0, 5}));
  const Problem reals{.shape = {6, 8}, .kind = r2r, .kinds = {hartley, cosine4}};
  EXPECT_EQ(frequency(reals, {5, 7}), (Frequencies{-1, 7.5}));
}

// The function of one mode at the points, from its frequency: their places in the period, or between the ends, are
// (i + first) / length.
double function_of(AxisKind kind, double frequency, Index i, Index n) {
  const double first = kind == cosine2 || kind == cosine4 || kind == sine2 || kind == sine4 ? 0.5
                       : kind == sine1 || kind == sine3                                     ? 1
                                                                                            : 0;
  const double length = static_cast<double>(kind == cosine1 ? n - 1 : kind == sine1 ? n + 1 : n);
  const double halves = 2 * std::numbers::pi * frequency * (static_cast<double>(i) + first) / length;
  return kind == fourier   ? std::cos(halves)
         : kind == hartley ? std::cos(halves) + std::sin(halves)
         : kind >= sine1   ? std::sin(halves / 2)
                           : std::cos(halves / 2);
}

TEST(Kinds, FrequenciesAreThoseOfTheFunctionsThatModesStandFor) {
  for (const AxisKind kind : {fourier, cosine1, cosine2, cosine3, cosine4, sine1, sine2, sine3, sine4, hartley})
    for (const Index n : {2, 7, 8}) {
      const Problem problem{.shape = {n}, .kind = kind == fourier ? c2c : r2r, .kinds = {kind}};
      Plan plan(local(), problem);
      Array in = plan.make_input(), out = plan.make_output();
      const std::size_t step = kind == fourier ? 2 : 1;  // real parts
      for (Index k = 0; k < n; ++k) {
        std::ranges::fill(out.as<double>(), 0.0);
        out.as<double>()[step * static_cast<std::size_t>(k)] = 1;
        plan.backward(out, in);
        double dot = 0, mine = 0, wanted = 0;
        for (Index i = 0; i < n; ++i) {
          const double got = in.as<double>()[step * static_cast<std::size_t>(i)],
                       f = function_of(kind, frequency(problem, {k})[0], i, n);
          dot += got * f, mine += got * got, wanted += f * f;
        }
        EXPECT_NEAR(dot, std::sqrt(mine * wanted), 1e-14) << to_string(kind) << ", mode " << k << " of " << n;
      }
    }
}

}  // namespace
}  // namespace shardfft::testing
