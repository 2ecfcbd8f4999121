// Formulas on the processor and on a device, against the same arithmetic in C++.
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "plan/device/device_plan_case.hpp"
#include "shardfft/operators/formula.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

Plan plan_on(const std::string& device) {
  return Plan(local(), {.shape = {4, 4, 4}}, {.device = device.empty() ? "" : device + ":0"});
}
std::vector<std::string> places() { return {"", space()}; }

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> all(count);
  for (T& x : all) x = static_cast<T>(std::uniform_real_distribution<>(-2, 2)(random));
  return all;
}
template <class T>
Array there(const Plan& plan, const std::vector<T>& numbers) {
  Array array = plan.make_array(numbers.size() * sizeof(T));
  plan.copy(numbers, array);
  return array;
}
template <class T>
std::vector<T> back(const Plan& plan, const Array& array) {
  std::vector<T> numbers(array.bytes() / sizeof(T));
  plan.copy(array, numbers);
  return numbers;
}

/// Random arithmetic, of terms or of numbers; one seed gives both.
template <class N, class T>
N random_value(std::mt19937_64& random, int depth, const std::vector<N>& given) {
  const auto leaf = random() % given.size();
  const auto what = depth == 0 ? 9 : random() % 9;
  if (what == 9) return given[leaf];
  const N a = random_value<N, T>(random, depth - 1, given);
  if (what == 6) return sqrt(a * a);
  if (what == 7) return a * static_cast<T>(0.75) - static_cast<T>(2);
  if (what == 8) return static_cast<T>(1) / (a * a + static_cast<T>(0.5));
  const N b = random_value<N, T>(random, depth - 1, given);
  return what < 2 ? a + b : what < 4 ? a - b : what < 5 ? a * b : a / b;
}

template <class T>
void check_random(const Plan& plan, std::uint64_t seed) {
  constexpr std::size_t inputs = 4;
  const auto count = static_cast<std::size_t>(1 + seed * 389 % 3000);
  Formula f(sizeof(T) == 4 ? f32 : f64);
  std::vector<Term> terms;
  std::vector<std::vector<T>> given;
  std::vector<Array> arrays;
  std::vector<FormulaArray> all;
  for (std::size_t i = 0; i < inputs; ++i) {
    terms.push_back(f.read(static_cast<int>(i)));
    given.push_back(numbers<T>(count, seed * 10 + i));
    arrays.push_back(there(plan, given.back()));
  }
  terms.push_back(f.parameter(0));
  std::mt19937_64 random(seed);
  const Term result = random_value<Term, T>(random, 5, terms);
  f.write(inputs, result);
  f.find_largest(result);
  arrays.push_back(plan.make_array(count * sizeof(T)));
  for (const Array& array : arrays) all.push_back({.data = array.data()});
  const double most = plan.evaluate(f, {static_cast<Index>(count)}, all, std::vector<double>{0.3});
  const std::vector<T> found = back<T>(plan, arrays.back());
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < count; ++e) {
    std::vector<T> values;
    for (const auto& g : given) values.push_back(g[e]);
    values.push_back(static_cast<T>(0.3));
    random.seed(seed);
    const T expected = random_value<T, T>(random, 5, values);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(found[e])) << e;
      largest = std::numeric_limits<double>::quiet_NaN();
    } else {
      ASSERT_EQ(found[e], expected) << "element " << e << ", seed " << seed;
      if (static_cast<double>(expected) > largest) largest = static_cast<double>(expected);
    }
  }
  EXPECT_TRUE(most == largest || (std::isnan(most) && std::isnan(largest))) << most << " " << largest;
}

TEST(Formulas, HaveTheBitsOfTheirArithmeticWhereverArraysAre) {
  for (const std::string& place : places()) {
    const Plan plan = plan_on(place);
    for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
      SCOPED_TRACE(place + " " + std::to_string(seed));
      seed % 2 ? check_random<float>(plan, seed) : check_random<double>(plan, seed);
    }
  }
}

// A complex array times i k along each axis.
TEST(Formulas, KnowWhereAnElementIsAlongEachAxis) {
  const Shape n{5, 3, 7};
  for (const std::string& place : places())
    for (int axis = 0; axis < 3; ++axis) {
      const Plan plan = plan_on(place);
      const auto u = numbers<double>(2 * 5 * 3 * 7, 1), k = numbers<double>(static_cast<std::size_t>(n[axis]), 2);
      const Array array = there(plan, u), wave = there(plan, k);
      Formula f;
      const Term re = f.read(0), im = f.read(1), along = f.read(2);
      f.write(0, -along * im);
      f.write(1, along * re);
      const auto* first = reinterpret_cast<const double*>(array.data());
      plan.evaluate(f, n, std::vector<FormulaArray>{{first, 2}, {first + 1, 2}, {wave.data(), 1, axis}});
      const auto found = back<double>(plan, array);
      for_each(whole(n), [&](const Coord& at) {
        const auto e = static_cast<std::size_t>(2 * ((at[0] * n[1] + at[1]) * n[2] + at[2]));
        const double factor = k[static_cast<std::size_t>(at[axis])];
        ASSERT_EQ(found[e], -factor * u[e + 1]) << to_string(at);
        ASSERT_EQ(found[e + 1], factor * u[e]);
      });
    }
}

TEST(Formulas, ReadWhatTheyWroteBeforeAndReplaceZeros) {
  for (const std::string& place : places()) {
    const Plan plan = plan_on(place);
    const Array x = there(plan, std::vector<double>{0, 2, -3});
    Formula f;
    const Term before = f.read(0);
    f.write(0, before + 1);
    f.write(0, f.read(0) * replace_zero(before, 10));
    plan.evaluate(f, {3}, std::vector<FormulaArray>{{x.data()}});
    EXPECT_EQ(back<double>(plan, x), (std::vector<double>{10, 6, 6})) << place;
    Formula largest;
    largest.find_largest(1.0 / largest.read(0));
    EXPECT_EQ(plan.evaluate(largest, {3}, std::vector<FormulaArray>{{x.data()}}), 1.0 / 6);
    EXPECT_EQ(plan.evaluate(largest, {0}, std::vector<FormulaArray>{{x.data()}}),
              -std::numeric_limits<double>::infinity());
  }
}

TEST(Formulas, SayWhatIsWrong) {
  const Plan plan = plan_on(space());
  const auto refused = [&](const Formula& f, const Shape& extents, const std::vector<FormulaArray>& arrays) {
    return thrown([&] { plan.evaluate(f, extents, arrays); });
  };
  const Array x = plan.make_array(64);
  Formula f, other;
  f.write(0, f.read(1) + 1);
  EXPECT_NE(thrown([&] { f.write(0, other.read(0)); }).find("another formula"), std::string::npos);
  EXPECT_NE(refused(f, {3}, {{x.data()}}).find("it names number 1, got 1 of them"), std::string::npos);
  EXPECT_NE(refused(f, {3}, {{x.data()}, {nullptr}}).find("memory of numbers of 8 bytes"), std::string::npos);
  EXPECT_NE(refused(f, {3}, {{x.data()}, {x.data(), 1, 1}}).find("got axis 1"), std::string::npos);
  EXPECT_NE(refused(f, {Index{1} << 31}, {{x.data()}, {x.data()}}).find("1 to 8 axes"), std::string::npos);
  std::vector<double> here(8);
  EXPECT_NE(refused(f, {3}, {{x.data()}, {here.data()}}).find("got memory of the host"), std::string::npos);
  Formula wide;
  std::vector<Term> terms;
  for (int i = 0; i < 40; ++i) terms.push_back(wide.read(0));
  for (const Term& term : terms) wide.write(0, term);
  EXPECT_NE(refused(wide, {3}, {{x.data()}}).find("at most 24 numbers that are still needed"), std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
