// Plans at every magnitude of their data, from subnormal numbers to the top of the range. Transforms are linear: data
// 2^e times as large have results 2^e times as large, to the last bit where nothing is subnormal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "plan/checked_plan.hpp"
#include "shardfft/verify.hpp"
#include "support/chosen.hpp"

namespace shardfft::testing {
namespace {

template <class T>
std::vector<T> numbers_of(const LocalData<T>& data) {
  return {data.raw().begin(), data.raw().begin() + static_cast<std::ptrdiff_t>(data.view().bytes / sizeof(T))};
}

/// Problems whose plain sums are as large as they can be: the numbers are near 1.
Whole ones_and_noise(const Shape& shape, bool complex, std::uint64_t seed) {
  Whole x = random_array(shape, complex, seed);
  for (Reference& z : x.values) z = Reference(1 + z.real() / 8, complex ? 1 + z.imag() / 8 : 0);
  return x;
}

struct Magnitudes {
  Problem problem{};
  Options options{};
  std::uint64_t seed = 0;
};

std::string to_string(const Magnitudes& m) {
  return fmt::format("seed {}: {} axes, input {}, output {}, tolerance {}", m.seed, to_string(m.problem),
                     to_string(m.options.input), to_string(m.options.output), m.options.tolerance);
}

Magnitudes random_magnitudes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](auto list) { return *(list.begin() + static_cast<std::ptrdiff_t>(random() % list.size())); };
  Magnitudes m{.seed = seed};
  m.problem.shape = one_of(std::vector<Shape>{
      {24}, {97}, {64}, {720}, {1024}, {16, 16, 16}, {12, 10, 14}, {40, 33}, {7, 8, 5, 6}, {3, 128}});
  m.problem.kind = one_of(std::vector{c2c, r2c, c2r});
  m.problem.precision = one_of(std::vector{f32, f64});
  m.problem.forward = one_of(std::vector{Scaling::none, Scaling::by_sqrt_n, Scaling::by_n});
  m.problem.backward = one_of(std::vector{Scaling::none, Scaling::by_sqrt_n, Scaling::by_n});
  const int last = m.problem.shape.dims() - 1;
  if (last > 0 && random() % 3 == 0) m.problem.axes = {last - 1, last};
  m.options.threads = 1;
  if (last > 1) m.options.input = one_of(std::vector<LayoutSpec>{slabs(0), pencils(2), bricks()});
  if (last > 1) m.options.output = one_of(std::vector<LayoutSpec>{slabs(1), pencils(0), bricks()});
  return m;
}

/// One rank of a plan whose data are multiplied by powers of two.
template <class T>
class Run {
 public:
  Run(const Comm& comm, const Magnitudes& m, Direction direction)
      : comm_(comm),
        plan_(comm, m.problem, m.options),
        direction_(direction),
        forward_(direction == Direction::forward),
        complex_in_(m.problem.kind == c2c || (m.problem.kind == r2c) != forward_),
        complex_out_(m.problem.kind == c2c || (m.problem.kind == r2c) == forward_),
        x_(ones_and_noise(from().global(), complex_in_, m.seed)) {
    const int longest_axis = [&] {
      int a = 0;
      for (int b = 0; b < m.problem.shape.dims(); ++b) a = m.problem.shape[b] > m.problem.shape[a] ? b : a;
      return a;
    }();
    const bool scaled = (forward_ ? m.problem.forward : m.problem.backward) != Scaling::none;
    usual_ = at(0);
    double largest = 4;
    for (const T value : usual_) largest = std::max(largest, std::abs(static_cast<double>(value)));
    // Inside an axis sums are as long as it is, and kernels may be a few times as large.
    const double inside = 8 * (scaled ? static_cast<double>(m.problem.shape[longest_axis]) : 1);
    top_ = std::numeric_limits<T>::max_exponent - 2 - std::ilogb(all_max(comm, largest) * inside);
  }

  [[nodiscard]] int top() const { return top_; }
  [[nodiscard]] const std::vector<T>& usual() const { return usual_; }
  [[nodiscard]] Verdict verdict() const { return verdict_; }

  std::vector<T> at(int exponent) {
    Whole larger = x_;
    for (Reference& z : larger.values)
      z = Reference(std::ldexp(static_cast<T>(z.real()), exponent), std::ldexp(static_cast<T>(z.imag()), exponent));
    LocalData<T> in(packed_memory(from(), comm_.rank()), complex_in_),
        out(packed_memory(to(), comm_.rank()), complex_out_);
    in.fill(larger);
    forward_ ? plan_.forward(in.view(), out.view()) : plan_.backward(in.view(), out.view());
    verdict_ = plan_.verify(in.view(), out.view(), direction_);
    return numbers_of(out);
  }

 private:
  [[nodiscard]] const Layout& from() const { return forward_ ? plan_.input() : plan_.output(); }
  [[nodiscard]] const Layout& to() const { return forward_ ? plan_.output() : plan_.input(); }

  Comm comm_;
  Plan plan_;
  Direction direction_;
  bool forward_, complex_in_, complex_out_;
  Whole x_;
  std::vector<T> usual_{};
  int top_ = 0;
  Verdict verdict_{};
};

template <class T>
void check_magnitudes(const Comm& comm, const Magnitudes& m, Direction direction) {
  using Limits = std::numeric_limits<T>;
  Run<T> run(comm, m, direction);
  const std::string text = to_string(m) + (direction == Direction::forward ? ", forward" : ", backward");
  EXPECT_TRUE(run.verdict().ok()) << text;
  const int subnormal = Limits::min_exponent - Limits::digits,
            bits_alike = Limits::min_exponent + 2 * Limits::digits + 12;
  const int step = (run.top() - subnormal) / 11;
  for (int e = run.top(); e >= subnormal; e -= step) {
    const std::vector<T> got = run.at(e);
    EXPECT_TRUE(run.verdict().ok()) << text << ", 2^" << e << ": " << run.verdict().error_rel_l2 << ", bound "
                                    << run.verdict().bound;
    if (e < bits_alike) continue;
    std::size_t others = 0;
    for (std::size_t i = 0; i < got.size(); ++i) others += !(got[i] == std::ldexp(run.usual()[i], e));
    EXPECT_EQ(others, 0u) << text << ", 2^" << e;
  }
}

TEST(Exponents, ResultsAreThoseOfUsualNumbersTimesAPowerOfTwoAndAreVerified) {
  const std::uint64_t first = chosen_seed(3501);
  for (int i = 0; i < chosen_problems(24); ++i) {
    const Magnitudes m = random_magnitudes(first + static_cast<std::uint64_t>(i));
    const int ranks = 1 + i % 4;
    for (const Direction direction : {Direction::forward, Direction::backward})
      on_ranks(ranks, [&](Comm comm) {
        m.problem.precision == f32 ? check_magnitudes<float>(comm, m, direction)
                                   : check_magnitudes<double>(comm, m, direction);
      });
    if (HasFailure()) return;
  }
}

// What is allowed for underflow hides no mistake.
TEST(Exponents, ResultsInWrongPlacesAreRefusedHoweverSmallOrLargeTheyAre) {
  for (const int exponent : {-135, -120, 0, 100}) {
    Plan plan(local(), {.shape = {24}, .precision = f32}, {.threads = 1});
    LocalData<float> in(packed_memory(plan.input(), 0), true), out(packed_memory(plan.output(), 0), true);
    Whole x = ones_and_noise({24}, true, 7);
    for (Reference& z : x.values) z *= std::ldexp(1.0L, exponent);
    in.fill(x);
    plan.forward(in.view(), out.view());
    EXPECT_TRUE(plan.verify(in.view(), out.view()).ok()) << exponent;
    auto* numbers = const_cast<float*>(out.raw().data());
    std::swap(numbers[0], numbers[2]);
    EXPECT_FALSE(plan.verify(in.view(), out.view()).ok()) << exponent;
  }
}

// Unscaled sums over all axes are beyond the range, those over one axis are not.
template <class T>
void round_trip_near_the_top(Kind kind, Scaling forward, Scaling backward, int ranks) {
  const Shape shape{32, 16, 64};
  const Problem problem{
      .shape = shape, .kind = kind, .precision = sizeof(T) == 4 ? f32 : f64, .forward = forward, .backward = backward};
  const int exponent = std::numeric_limits<T>::max_exponent - 12;
  on_ranks(ranks, [&](Comm comm) {
    Plan plan(comm, problem, {.threads = 1});
    const Direction first = forward == Scaling::none ? Direction::backward : Direction::forward;
    const bool complex = kind != r2c || first == Direction::backward;
    const Layout &from = first == Direction::forward ? plan.input() : plan.output(),
                 &to = first == Direction::forward ? plan.output() : plan.input();
    LocalData<T> in(packed_memory(from, comm.rank()), complex),
        out(packed_memory(to, comm.rank()), kind == c2c || !complex);
    Whole x{from.global(),
            std::vector<Reference>(static_cast<std::size_t>(product(from.global())), std::ldexp(1.0L, exponent))};
    in.fill(x);
    first == Direction::forward ? plan.forward(in.view(), out.view()) : plan.backward(in.view(), out.view());
    const std::vector<T> got = numbers_of(out);
    EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](T v) { return std::isfinite(v); })) << to_string(problem);
    double largest = 0;
    for (const T v : got) largest = std::max(largest, static_cast<double>(v));
    EXPECT_EQ(all_max(comm, largest), std::ldexp(1.0, exponent)) << to_string(problem);
    EXPECT_TRUE(plan.verify(in.view(), out.view(), first).ok()) << to_string(problem);
  });
}

TEST(Exponents, EachAxisIsScaledByItself) {
  for (const int ranks : {1, 3})
    for (const Kind kind : {c2c, r2c}) {
      round_trip_near_the_top<float>(kind, Scaling::none, Scaling::by_n, ranks);
      round_trip_near_the_top<double>(kind, Scaling::none, Scaling::by_n, ranks);
      round_trip_near_the_top<float>(kind, Scaling::by_n, Scaling::none, ranks);
      round_trip_near_the_top<double>(kind, Scaling::by_n, Scaling::none, ranks);
    }
}

TEST(Exponents, TheBoundHoldsOfSubnormalResults) {
  int floors_needed = 0;
  for (const Shape& shape : std::vector<Shape>{{24}, {97}, {1024}, {8, 8, 8}})
    for (const Kind kind : {c2c, r2c})
      for (const Scaling scaling : {Scaling::none, Scaling::by_sqrt_n, Scaling::by_n})
        for (const int exponent : {-149, -147, -140}) {
          Problem problem{.shape = shape, .kind = kind, .precision = f32, .forward = scaling};
          for (int a = 0; a < shape.dims(); ++a) problem.axes.push_back(a);
          Plan plan(local(), problem, {.threads = 1});
          LocalData<float> in(packed_memory(plan.input(), 0), kind == c2c), out(packed_memory(plan.output(), 0), true);
          Whole x = random_array(plan.input().global(), kind == c2c, 35);
          for (Reference& z : x.values)
            z = Reference(std::round(4 * z.real()), std::round(4 * z.imag())) * std::ldexp(1.0L, exponent);
          in.fill(x);
          plan.forward(in.view(), out.view());
          const auto [difference2, norm2] =
              out.compare(transformed(problem, x, Direction::forward), factor(problem, scaling));
          const Loss loss = plan.loss();
          EXPECT_LE(std::sqrt(difference2), loss.bound * std::sqrt(norm2)) << to_string(problem) << ", 2^" << exponent;
          EXPECT_LE(loss.floor, std::ldexp(150.0 * static_cast<double>(product(shape)), -149));
          EXPECT_EQ(loss.bound, plan.error_bound());
          const double usual = exact_bound({.shape = shape, .axes = problem.axes}, f32);
          floors_needed += std::sqrt(difference2) > usual * std::sqrt(norm2);
        }
  EXPECT_GT(floors_needed, 10);
}

}  // namespace
}  // namespace shardfft::testing
