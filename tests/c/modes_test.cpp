// Reals and fewer modes of their half spectrum, there and back, beside plain sums.
#include <numbers>

#include "calls.hpp"

namespace shardfft_c_tests {
namespace {

using std::numbers::pi;

// The lowest modes of n reals; of an even number the last one holds two frequencies, whose sum it is.
std::vector<Complex> modes_of(const std::vector<double>& x, std::size_t count) {
  std::vector<Complex> modes(count / 2 + 1);
  for (std::size_t k = 0; k < modes.size(); ++k)
    for (std::size_t j = 0; j < x.size(); ++j)
      modes[k] += x[j] * std::polar(1.0, -2 * pi * static_cast<double>(k * j) / static_cast<double>(x.size()));
  if (count % 2 == 0 && count < x.size()) modes.back() = 2 * modes.back().real();
  return modes;
}

// What so many modes stand for on n points: each but 0 and the last of an even number has a mirror image.
std::vector<double> points_of(const std::vector<Complex>& modes, std::size_t count, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t k = 0; k < modes.size(); ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const Complex turn = std::polar(1.0, 2 * pi * static_cast<double>(k * j) / static_cast<double>(n));
      x[j] += k == 0 || 2 * k == count ? modes[k].real() * turn.real() : 2 * (modes[k] * turn).real();
    }
  return x;
}

void expect_plain_sums(int kind, std::size_t n, std::size_t count) {
  const auto extent = static_cast<int64_t>(n), kept = static_cast<int64_t>(count);
  Problem problem;
  Options options;
  Comm comm;
  Plan plan;
  expect_good(shardfft_comm_local(&comm));
  expect_good(shardfft_options_create(&options));
  expect_good(shardfft_options_set(options, "threads", "1"));
  expect_good(shardfft_problem_create(1, &extent, kind, SHARDFFT_F64, &problem));
  expect_good(shardfft_problem_modes(problem, &kept));
  expect_good(shardfft_problem_scaling(problem, SHARDFFT_UNSCALED, SHARDFFT_UNSCALED));
  expect_good(shardfft_plan_create(comm, problem, options, &plan));
  std::vector<double> x(n), back(n);
  std::vector<Complex> modes(count / 2 + 1), given(count / 2 + 1);
  for (std::size_t j = 0; j < n; ++j) x[j] = std::sin(static_cast<double>(3 * j * j + 1));
  for (std::size_t k = 0; k < given.size(); ++k) given[k] = std::polar(1.0, static_cast<double>(k * k + 2));
  const std::size_t reals = n * sizeof(double), halves = modes.size() * sizeof(Complex);
  if (kind == SHARDFFT_R2C) {
    expect_good(shardfft_forward(plan, x.data(), reals, modes.data(), halves));
    expect_good(shardfft_backward(plan, given.data(), halves, back.data(), reals));
  } else {
    expect_good(shardfft_backward(plan, x.data(), reals, modes.data(), halves));
    expect_good(shardfft_forward(plan, given.data(), halves, back.data(), reals));
  }
  EXPECT_LT(distance(modes, modes_of(x, count)), 1e-13 * static_cast<double>(n)) << count << " modes of " << n;
  const std::vector<double> wanted = points_of(given, count, n);
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(back[j], wanted[j], 1e-13 * static_cast<double>(n)) << count;
}

TEST(Modes, OfRealsAreThoseOfPlainSumsThereAndBackWhateverTheirNumber) {
  for (const int kind : {SHARDFFT_R2C, SHARDFFT_C2R})
    for (std::size_t n = 1; n <= 20; ++n)
      for (std::size_t count = 1; count <= n; ++count) expect_plain_sums(kind, n, count);
}

}  // namespace
}  // namespace shardfft_c_tests
