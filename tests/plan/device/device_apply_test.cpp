// Operators on devices: ready ones and formulas, against the same ones by the host's functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "plan/device/device_plan_case.hpp"
#include "shardfft/operators/formula.hpp"
#include "shardfft/operators/spectral.hpp"
#include "support/comm/agree.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

/// On the plan of the host and on that of the device; arrays beside elements are kept in `kept`.
struct Made {
  std::string name{};
  std::function<Operator(const Plan&, std::vector<Array>& kept)> make{};
};

template <class T>
std::vector<T> coordinates(const Plan& plan, const Coord& at) {
  std::vector<T> all;
  for (int a = 0; a < at.dims(); ++a) all.push_back(static_cast<T>(plan.wave(a)[static_cast<std::size_t>(at[a])]));
  return all;
}

/// The factor of an element at coordinates x: even in them, and odd if reals allow an odd function.
template <class N>
N even(const std::vector<N>& x) {
  N sum = x.front() * x.front();
  for (std::size_t a = 1; a < x.size(); ++a) sum = sum + x[a] * x[a];
  return 1.0 / (sum + 1.0);
}
template <class N>
N odd(const std::vector<N>& x) {
  N sum = x.front() * 0.01;
  for (std::size_t a = 1; a < x.size(); ++a) sum = sum + x[a] * (0.01 * static_cast<double>(a + 1));
  return sum;
}

template <class T>
Array beside(const Plan& plan) {
  const bool complex = plan.middle_is_complex(), turns = complex && plan.problem().kind == c2c;
  LocalData<T> factors(packed_memory(plan.middle(), plan.comm().rank()), complex);
  Whole all{.shape = plan.middle().global()};
  all.values.resize(static_cast<std::size_t>(product(all.shape)));
  for_each(whole(all.shape), [&](const Coord& at) {
    const auto x = coordinates<double>(plan, at);
    all.at(at) = {even(x), turns ? odd(x) : 0};
  });
  factors.fill(all);
  Array array = plan.make_middle();
  plan.copy(factors.view(), array);
  return array;
}

/// Every component mixed with the first one; beside elements and along axis 0 there are arrays.
template <class T>
Operator formula(const Plan& plan, std::vector<Array>& kept, Precision precision, int in, int out) {
  const int parts = plan.middle_is_complex() ? 2 : 1, dims = plan.middle().global().dims();
  const int first = std::max({1, in, out}) * parts, others = first + dims;
  const bool turns = parts == 2 && plan.problem().kind == c2c;
  Formula f(precision);
  std::vector<Term> x;
  for (int a = 0; a < dims; ++a) x.push_back(f.read(first + a));
  const Term by = even(x), turn = odd(x), more = f.read(others), table = f.read(others + 1);
  std::vector<Term> values;
  for (int i = 0; i < std::max(1, in) * parts; ++i) values.push_back(f.read(i));
  for (int c = 0; c < std::max(1, out); ++c) {
    const auto at = static_cast<std::size_t>(c < in ? c * parts : 0);
    const Term re = values[at] + f.parameter(0) * values[0];
    if (parts == 1) {
      f.write(c, re * by * table + more * re);
      continue;
    }
    const Term im = values[at + 1] + f.parameter(0) * values[1];
    const Term factor = by * table + more;
    f.write(2 * c, turns ? re * factor - turn * im : re * factor);
    f.write(2 * c + 1, turns ? im * factor + turn * re : im * factor);
  }
  kept.push_back(beside<T>(plan));
  std::vector<double> along(static_cast<std::size_t>(plan.middle().global()[0]));
  for (std::size_t i = 0; i < along.size(); ++i) {
    const double k = plan.wave(0)[i];
    along[i] = 1 + 0.1 * k * k;
  }
  const std::vector<float> narrow(along.begin(), along.end());
  const void* numbers = precision == f32 ? static_cast<const void*>(narrow.data()) : along.data();
  const std::vector<FormulaArray> arrays{{kept.back().data(), parts}, {numbers, 1, 0}};
  return plan.make_operator(f, arrays, std::vector<double>{0.3});
}

template <class T>
std::vector<Made> operators_of(const Plan& plan, const Options& o) {
  using namespace spectral;
  const int dims = plan.middle().global().dims(), in = o.components_in,
            out = o.components_out > 0 ? o.components_out : in;
  const std::vector<int> axes = [&] {
    std::vector<int> all = plan.problem().axes;
    for (int a = 0; all.empty() && a < dims; ++a) all.push_back(a);
    for (int& a : all) a = a < 0 ? a + dims : a;
    return all;
  }();
  std::vector<double> box;
  for (int a = 0; a < dims; ++a) box.push_back(1 + 0.31 * a);
  std::vector<Made> all;
  for (const Precision precision : {f64, f32})
    if (sizeof(T) == 4 || precision == f64)
      all.push_back({"formula", [=](const Plan& p, auto& kept) { return formula<T>(p, kept, precision, in, out); }});
  const auto add = [&](const char* name, auto make) {
    all.push_back({name, [=](const Plan& p, auto&) { return make(p); }});
  };
  const auto add_beside = [&](const char* name, auto make) {
    all.push_back({name, [=](const Plan& p, auto& kept) {
                     kept.push_back(beside<T>(p));
                     return make(p, kept.back());
                   }});
  };
  if (in == out) add_beside("multiply", [](const Plan& p, const Array& by) { return multiply(p, by); });
  if (!plan.middle_is_spectrum()) return all;
  if (in == out) {
    add_beside("convolve", [](const Plan& p, const Array& by) { return convolve(p, by); });
    add_beside("correlate", [](const Plan& p, const Array& by) { return correlate(p, by); });
    for (const Stencil s : {Stencil::spectral, Stencil::second_order, Stencil::fourth_order, Stencil::sixth_order})
      add("inverse_laplace", [=](const Plan& p) { return inverse_laplace(p, box, s, s == Stencil::spectral ? 0 : 2); });
    for (int order = 1; order <= 4; ++order)
      add("derivative", [=](const Plan& p) { return derivative(p, axes.back(), order, box.back()); });
    add("gaussian", [=](const Plan& p) { return gaussian(p, box, 0.03); });
    add("lowpass", [=](const Plan& p) { return lowpass(p, box, 15); });
    for (const Edge edge : {Edge::hard, Edge::cosine, Edge::gaussian, Edge::butterworth})
      add("filter", [=](const Plan& p) {
        return filter(p, box, {.low_pass = 40, .high_pass = 9, .edge = edge, .order = 3, .laplacian = true});
      });
    const std::vector<double> by(static_cast<std::size_t>(dims), 0.23);
    add("filter", [=](const Plan& p) {
      return filter(p, box, {.low_pass = 15, .sigma = by, .derivatives = {{axes.back(), 1}}, .shift = by});
    });
    add("shift", [=](const Plan& p) { return spectral::shift(p, box, by); });
  }
  const int d = static_cast<int>(axes.size());
  if (in == 1 && out == d) add("gradient", [=](const Plan& p) { return gradient(p, box); });
  if (in == d && out == 1) add("divergence", [=](const Plan& p) { return divergence(p, box); });
  if (in == d && out == d) add("project", [=](const Plan& p) { return project(p, box); });
  if (in == 3 && out == 3 && d == 3) add("curl", [=](const Plan& p) { return curl(p, box); });
  return all;
}

/// Results of one plan on this rank, of numbers that depend on the seed.
template <class T>
std::vector<T> applied(Plan& plan, const Options& o, const Operator& f, std::uint64_t seed) {
  const bool there = o.apply == Apply::to_outputs;
  const std::size_t bytes = there ? plan.input_bytes() : plan.output_bytes();
  std::mt19937_64 random(seed);
  std::vector<T> x(bytes / sizeof(T)), y(plan.applied_bytes() / sizeof(T));
  for (T& v : x) v = static_cast<T>(std::uniform_real_distribution<>(-1, 1)(random));
  Array in = plan.make_array(std::max(bytes, plan.applied_bytes())), other = plan.make_applied();
  Array& out = o.in_place ? in : other;
  plan.copy(x, in);
  there ? plan.apply(in, out, f) : plan.apply_physical(in, out, f);
  plan.copy(out, y);
  return y;
}

template <class T>
void compare(const Comm& comm, const Case& c) {
  Plan there(comm, c.problem, c.options);
  Options o = c.options;
  o.device = o.arrays = "";
  o.expert = {};
  (o.apply == Apply::to_outputs ? o.input : o.output) =
      (o.apply == Apply::to_outputs ? there.input() : there.output()).spec();
  Plan here(comm, c.problem, o);
  std::vector<Array> kept;
  for (const Made& made : operators_of<T>(there, o)) {
    const auto seed = c.seed * 100 + static_cast<std::uint64_t>(comm.rank());
    const auto refused_by = [&](const Plan& plan) { return thrown([&] { (void)made.make(plan, kept); }); };
    if (const std::string refused = refused_by(here); !refused.empty()) {
      EXPECT_EQ(refused_by(there), refused) << made.name << " of " << to_string(c);
      continue;
    }
    const auto expected = applied<T>(here, o, made.make(here, kept), seed);
    const auto found = applied<T>(there, c.options, made.make(there, kept), seed);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      difference += std::pow(static_cast<double>(expected[i]) - static_cast<double>(found[i]), 2);
      norm += std::pow(static_cast<double>(expected[i]), 2);
    }
    difference = std::sqrt(all_sum(comm, difference)), norm = std::sqrt(all_sum(comm, norm));
    const double cancels = sizeof(T) == 4 ? 1e-5 : 1e-14;  // to zero here, and to roundings there
    EXPECT_LE(difference, (sizeof(T) == 4 ? 1e-4 : 2e-13) * norm + cancels)
        << made.name << " of " << to_string(c) << "\n"
        << there.describe();
  }
}

Case case_of(int ranks, std::uint64_t seed, const Problem& problem, const Options& options) {
  Case c;
  c.ranks = ranks, c.seed = seed, c.problem = problem, c.options = options;
  return c;
}

void check(const Case& c) {
  on_ranks(c.ranks,
           [&](const Comm& comm) { c.problem.precision == f32 ? compare<float>(comm, c) : compare<double>(comm, c); });
}

class DeviceApply : public ::testing::TestWithParam<int> {};

TEST_P(DeviceApply, OfEveryOperatorEqualsThatOfTheHost) {
  const int per_group = chosen_problems(6);
  for (int i = 0; i < per_group && !HasFailure(); ++i) {
    const std::uint64_t seed = chosen_seed(20261128) + static_cast<std::uint64_t>(GetParam() * per_group + i);
    std::mt19937_64 random(seed);
    Case c = on_device(i % 6 == 3   ? random_case_of_long_rows(seed, 300, 8000, 8)
                       : i % 2 == 0 ? random_case(seed, 1500, 8)
                                    : random_case_of_kinds(seed, 1500, 8),
                       random, "device");
    if (i % 3 == 1) take_fewer(c, random);
    c.options.apply = i % 4 == 2 ? Apply::to_inputs : Apply::to_outputs;
    c.options.expert.split = SplitAxis::automatic;
    c.options.padded_reals = false;
    const std::string text =
        fmt::format("{}, engine '{}', transport '{}', tile {}, fuse {}", to_string(c), c.options.expert.engine,
                    c.options.expert.transport, c.options.expert.tile, c.options.expert.fuse);
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", text);
    try {
      check(c);
      if (HasFailure()) ADD_FAILURE() << "with " << text;
    } catch (const std::exception& e) { ADD_FAILURE() << text << "\n" << e.what(); }
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, DeviceApply, ::testing::Range(0, 8));

// Each kind and layout meets each number of ranks, in place and not, once: with another pair of components.
TEST(DeviceOperators, SeeAllComponentsAndMayChangeTheirNumber) {
  constexpr std::pair<int, int> components[] = {{3, 3}, {1, 3}, {3, 1}, {6, 3}};
  const LayoutSpec layouts[] = {any, slabs(1), pencils(3)};
  std::uint64_t seed = 1;
  Sample sample;
  for (int pair = 0; pair < 4; ++pair)
    for (int kind = 0; kind < 2; ++kind)
      for (int layout = 0; layout < 3; ++layout) {
        if (!sample.takes()) continue;
        const auto [in, out] = components[pair];
        const int ranks = (pair + kind + layout) % 2 == 0 ? 1 : 3;
        ++seed;
        Case c = case_of(ranks, seed,
                         {.shape = {in, 9, 10, 12},
                          .kind = kind == 0 ? c2c : r2c,
                          .precision = ranks == 3 ? f32 : f64,
                          .axes = {1, 2, 3}},
                         {.input = layouts[layout],
                          .in_place = (pair / 2 + layout) % 2 == 0,
                          .apply = Apply::to_outputs,
                          .components_in = in,
                          .components_out = out,
                          .device = space(),
                          .expert = {.tile = seed % 4 == 0 ? 7 : 0, .fuse = static_cast<int>(seed / 2 % 3) + 1}});
        if (seed % 5 == 0) c.problem.modes = {0, 7, 5, 11};
        check(c);
      }
}

TEST(DeviceOperators, OnPointsAreProductsWithoutAliasing) {
  for (const Kind kind : {c2c, r2c})
    for (const int ranks : {1, 2, 5})
      check(case_of(ranks, 7, {.shape = {6, 12, 9, 16}, .kind = kind, .axes = {1, 2, 3}, .modes = {0, 7, 5, 11}},
                    {.apply = Apply::to_inputs, .components_in = 6, .components_out = 3, .device = space()}));
}

TEST(DeviceOperators, WorkOnCyclicArraysWhoseTablesAreOrderedByOwner) {
  for (const int axis : {0, 1, 2})
    for (const int ranks : {2, 3})
      check(
          case_of(ranks, 3, {.shape = {8, 9, 10}},
                  {.input = cyclic(axis), .output = cyclic(2 - axis), .apply = Apply::to_outputs, .device = space()}));
  check(case_of(3, 4, {.shape = {8, 9, 10}, .axes = {2}},
                {.input = cyclic(0), .apply = Apply::to_outputs, .device = space()}));
}

TEST(DeviceOperators, OfFormulasAreOnTheHostTheFunctionsTheySay) {
  for (const Kind kind : {c2c, r2c}) {
    const Options o{.input = slabs(1), .apply = Apply::to_outputs};
    Plan plan(local(), {.shape = {6, 7, 8}, .kind = kind}, o);
    Formula f;
    const Term x = f.read(2), y = f.read(3), z = f.read(4), by = sqrt(x * x + y * y + z * z) / f.parameter(0);
    f.write(0, is_at_most(x * x, z * z) * by * f.read(0));
    f.write(1, is_at_most(x * x, z * z) * by * f.read(1));
    const Operator same([](const Modes& m) {
      for (Index i = 0; i < m.count; ++i) {
        const double a = m.frequency(0, i), b = m.frequency(1, i), c = m.frequency(2, i);
        const double factor = (a * a <= c * c ? 1 : 0) * (std::sqrt(a * a + b * b + c * c) / 3);
        m.values<double>()[static_cast<std::size_t>(i)] *= factor;
      }
    });
    EXPECT_EQ(applied<double>(plan, o, plan.make_operator(f, {}, std::vector<double>{3}), 1),
              applied<double>(plan, o, same, 1));
  }
}

TEST(DeviceOperators, GiveTheBitsOfTheFormulaOnTheHost) {
  for (const Precision precision : {f64, f32}) {
    // One transform of length 1 each way: only the operator computes.
    const Problem problem{.shape = {7, 1, 5}, .precision = precision, .axes = {1}};
    Options o{.apply = Apply::to_outputs};
    Plan here(local(), problem, o);
    o.device = space();
    Plan there(local(), problem, o);
    std::vector<Array> kept;
    if (precision == f64)
      EXPECT_EQ(applied<double>(here, o, formula<double>(here, kept, f64, 0, 0), 3),
                applied<double>(there, o, formula<double>(there, kept, f64, 0, 0), 3));
    else
      EXPECT_EQ(applied<float>(here, o, formula<float>(here, kept, f32, 0, 0), 3),
                applied<float>(there, o, formula<float>(there, kept, f32, 0, 0), 3));
  }
}

TEST(DeviceOperators, TakeHalfTheExchangesOfForwardAndBackward) {
  on_ranks(2, [](const Comm& comm) {
    Plan plan(comm, {.shape = {16, 12, 10}},
              {.input = slabs(0), .output = slabs(0), .apply = Apply::to_outputs, .device = space()});
    Array in = plan.make_input(), out = plan.make_input(), modes = plan.make_output();
    const auto exchanges = [&] {
      const auto steps = plan.last_run();
      return std::count_if(steps.begin(), steps.end(), [](const auto& s) { return s.label.starts_with("exchange"); });
    };
    const std::vector<double> box{1, 1, 1};
    plan.apply(in, out, spectral::lowpass(plan, box, 20));
    const auto together = exchanges();
    plan.forward(in, modes);
    const auto there = exchanges();
    plan.backward(modes, out);
    EXPECT_EQ(2 * together, there + exchanges());
    EXPECT_EQ(together, 2);
  });
}

TEST(DeviceOperators, AreLetGoOnlyWhenTheDeviceIsDoneWithThem) {
  Plan plan(local(), {.shape = {16, 16, 16}}, {.apply = Apply::to_outputs, .device = space()});
  Array in = plan.make_input(), out = plan.make_input();
  const std::vector<double> box{1, 1, 1};
  for (int i = 1; i < 20; ++i) plan.apply(in, out, spectral::lowpass(plan, box, 3.0 * i));
  plan.synchronize();
}

TEST(DeviceOperators, OfTheHostAreRefusedOnEveryRank) {
  on_ranks(2, [](const Comm& comm) {
    Options o{.apply = Apply::to_outputs, .device = space()};
    const Problem problem{.shape = {8, 8, 8}};
    Plan there(comm, problem, o);
    o.device = "";
    Plan here(comm, problem, o);
    Array in = there.make_input(), out = there.make_input();
    const std::vector<double> box{1, 1, 1};
    const auto refused = [&](const Operator& f) { return thrown([&] { there.apply(in, out, f); }); };
    EXPECT_NE(refused([](const Modes&) {}).find("got a function of the host for device"), std::string::npos);
    EXPECT_NE(refused(spectral::lowpass(here, box, 3)).find("write it as a Formula"), std::string::npos);
    const Formula nothing;
    EXPECT_NE(refused(here.make_operator(nothing)).find("made for the plan that runs it"), std::string::npos);
    const std::vector<std::complex<double>> factors(there.middle_bytes() / 16);
    const auto made = [&](auto make) { return thrown([&] { (void)make(); }); };
    EXPECT_NE(made([&] { return spectral::multiply(there, factors); }).find("got memory of the host"),
              std::string::npos);
    Formula largest, narrow(f32), other;
    largest.find_largest(largest.read(0));
    other.write(0, other.read(9));
    const auto not_made = [&](const Formula& f) { return thrown([&] { (void)there.make_operator(f); }); };
    EXPECT_NE(not_made(largest).find("gives nothing but elements"), std::string::npos);
    EXPECT_NE(not_made(narrow).find("a formula in f32 is of plans in f32"), std::string::npos);
    EXPECT_NE(not_made(other).find("it names number 9, got 5 of them"), std::string::npos);
    there.apply(in, out, spectral::lowpass(there, box, 3));
    there.synchronize();
  });
  EXPECT_NE(thrown([] {
              Plan(local(), {.shape = {8, 8}}, {.apply = Apply::to_outputs, .device = space(), .arrays = "host"});
            }).find("apply takes arrays that are where its sweeps are"),
            std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
