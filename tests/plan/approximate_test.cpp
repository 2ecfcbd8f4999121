// Approximate mode: the promise is kept on any input, and the bound that is told lies between the error and the promise.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "shardfft/shardfft.hpp"
#include "support/agree.hpp"
#include "support/local_data.hpp"
#include "support/random_problem.hpp"

namespace shardfft::testing {
namespace {

std::uint64_t first_seed() {
  const char* set = std::getenv("SHARDFFT_TEST_SEED");
  return set ? std::strtoull(set, nullptr, 10) : 20260401;
}
int problems() {
  const char* set = std::getenv("SHARDFFT_TEST_PROBLEMS");  // docs/approximate.md: 10,000
  return set ? std::atoi(set) : 300;
}

constexpr const char* kinds_of_data[] = {"white", "constant", "cosine", "spike", "smooth", "turbulence", "60 decades", "denormal", "huge", "half steps", "zeros", "sparse"};

double value_of(int kind, Index position, Index count, std::uint64_t seed, bool single) {
  const double noise = 2 * random_value(seed, position), t = static_cast<double>(position) / static_cast<double>(count);
  switch (kind) {
    case 0: return noise;
    case 1: return 1.7;
    case 2: return std::cos(6.283185307179586 * 3 * t);
    case 3: return position == count / 3 ? (single ? 1e12 : 1e100) : 0;
    case 4: return 1 / (1.2 + std::sin(6.283185307179586 * t));
    case 5: return noise * std::pow(1 + static_cast<double>(position % 97), -5. / 6);
    case 6: return std::copysign(std::pow(10.0, (single ? 30 : 60) * (random_value(seed + 1, position))), noise);
    case 7: return noise * (single ? 1e-41 : 1e-310);
    case 8: return noise * (single ? 1e15 : 1e145);
    case 9: return std::copysign(0.5 + std::floor(8 * std::abs(noise)), noise) / 1024;
    case 10: return 0;
    default: return position % 64 == 0 ? noise : 0;
  }
}

Whole data_of(int kind, const Shape& shape, bool complex, std::uint64_t seed, bool single) {
  Whole x = random_array(shape, complex, seed);
  const auto n = static_cast<Index>(x.values.size());
  for (Index i = 0; i < n; ++i) {
    const double re = value_of(kind, i, n, seed, single), im = complex ? value_of(kind, n - 1 - i, n, seed + 3, single) : 0;
    x.values[static_cast<std::size_t>(i)] = single ? Reference(static_cast<float>(re), static_cast<float>(im)) : Reference(re, im);
  }
  return x;
}

struct Approximation {
  Case c{};
  int kind = 0;
  [[nodiscard]] std::string text() const {
    const Options& o = c.options;
    return fmt::format("{}; data {}, tolerance {:.2g}, {} {}", to_string(c), kinds_of_data[kind], o.tolerance, o.guarantee, o.codec);
  }
};

Approximation random_approximation(std::uint64_t seed) {
  Approximation a{.c = random_case(seed, 3000, 12)};
  std::mt19937_64 random(seed * 77 + 5);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const bool single = a.c.problem.precision == f32;
  a.kind = pick(std::size(kinds_of_data));
  Options& o = a.c.options;
  o.encode_near = true;
  o.tolerance = std::pow(10.0, -1 - (single ? 4 : 11) * std::generate_canonical<double, 32>(random));
  o.guarantee = std::array{"certified", "worst", "statistical"}[static_cast<std::size_t>(pick(3))];
  const std::array codecs{"", "", "block_float", "block_float_bytes", "f16", "bf16", "mantissa", "lossless", single ? "f16" : "f32"};
  o.codec = codecs[static_cast<std::size_t>(pick(codecs.size()))];
  if (!o.codec.empty() && pick(4) == 0) o.chunks = 1 + pick(5);
  return a;
}

struct Rank {
  const Approximation& a;
  const Comm& comm;
  std::mt19937_64 random;

  // |error|^2 and |exact|^2 over all ranks.
  [[nodiscard]] double relative(std::pair<double, double> mine) const {
    const double norm = all_sum(comm, mine.second), difference = all_sum(comm, mine.first);
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

  template <class T>
  void check() {
    const Problem& p = a.c.problem;
    Plan plan(comm, p, a.c.options);
    const bool complex_in = p.kind != r2c, complex_out = p.kind != c2r, single = p.precision == f32;
    LocalData<T> in(packed_memory(plan.input(), comm.rank()), complex_in), out(packed_memory(plan.output(), comm.rank()), complex_out),
        back(packed_memory(plan.input(), comm.rank()), complex_in);
    // What arithmetic adds, and the oracle's own rounding, is next to nothing beside the bound.
    const auto judge = [&](const char* direction, double error) {
      const Loss loss = plan.loss();
      EXPECT_LE(error, loss.bound * (1 + 1e-6)) << direction;
      EXPECT_LE(loss.bound, a.c.options.tolerance) << direction;
    };
    const Whole x = data_of(a.kind, a.c.in, complex_in, a.c.seed, single);
    in.fill(x);
    plan.forward(in.view(), out.view());
    const Whole exact = transformed(p, x, Direction::forward);
    if (is_representable(exact, single)) judge("forward", relative(out.compare(exact, 1)));

    const Whole y = data_of(a.kind, a.c.out, complex_out, a.c.seed + 7, single);
    out.fill(y);
    plan.backward(out.view(), back.view());
    const Whole exact_back = transformed(p, y, Direction::backward);
    long double n = 1;
    for (const int axis : p.axes) n *= static_cast<long double>(p.shape[axis]);
    if (is_representable(exact_back, single)) judge("backward", relative(back.compare(exact_back, 1 / n)));
  }

  // Neither overflows nor is so small that the arithmetic itself loses digits.
  static bool is_representable(const Whole& x, bool single) {
    long double largest = 0;
    for (const Reference& v : x.values) largest = std::max(largest, std::abs(v));
    return largest == 0 || (largest > (single ? 1e-25L : 1e-140L) && largest < (single ? 1e35L : 1e150L));
  }
};

TEST(Approximate, TheErrorNeverExceedsTheBoundNorTheBoundTheTolerance) {
  for (int i = 0; i < problems() && !HasFailure(); ++i) {
    Approximation a = random_approximation(first_seed() + static_cast<std::uint64_t>(i));
    a.c.problem.forward = Scaling::none;
    a.c.problem.backward = Scaling::by_n;
    if (std::getenv("SHARDFFT_TEST_VERBOSE")) fmt::print("{}\n", a.text());
    try {
      on_ranks(a.c.ranks, [&](Comm comm) {
        Rank rank{a, comm, std::mt19937_64(a.c.seed + static_cast<std::uint64_t>(comm.rank()))};
        a.c.problem.precision == f32 ? rank.check<float>() : rank.check<double>();
      });
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    if (HasFailure()) ADD_FAILURE() << "with " << a.text();
  }
}

}  // namespace
}  // namespace shardfft::testing
