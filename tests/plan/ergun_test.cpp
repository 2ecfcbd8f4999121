// Checks that need no reference transform (F. Ergun, STOC 1995, as FFTW's verification does them), at sizes the
// definition cannot reach, and analytic pairs.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "shardfft/shardfft.hpp"
#include "support/comm/agree.hpp"
#include "support/oracles/naive.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

using C = std::complex<double>;
const Shape shape{30, 53, 64};  // composite, prime, power of two
constexpr double tight = 2e-15;

// A local array that is a function of the global position.
template <class F>
void fill(const Plan& plan, const Layout& layout, Array& a, F f) {
  C* out = a.as<C>().data();
  for (const Box& box : layout.boxes(plan.comm().rank())) for_each(box, [&](const Coord& at) { *out++ = f(at); });
}

C noise(std::uint64_t seed, const Coord& at) {
  const Index position = (at[0] * shape[1] + at[1]) * shape[2] + at[2];
  return {random_value(seed, position), random_value(seed + 1, position)};
}

// exp(sign 2 pi i sum k_a x_a / n_a), the angle reduced exactly.
C wave(const Coord& k, const Coord& x, int sign) {
  long double turns = 0;
  for (int a = 0; a < 3; ++a)
    turns += static_cast<long double>(k[a] * x[a] % shape[a]) / static_cast<long double>(shape[a]);
  const long double angle = sign * 2 * long_pi * turns;
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

template <class F>
double error(const Plan& plan, const Layout& layout, const Array& a, F expected) {
  double difference = 0, norm = 0;
  const C* got = a.as<C>().data();
  for (const Box& box : layout.boxes(plan.comm().rank()))
    for_each(box, [&](const Coord& at) {
      const C e = expected(at);
      difference += std::norm(*got++ - e);
      norm += std::norm(e);
    });
  return std::sqrt(all_sum(plan.comm(), difference) / all_sum(plan.comm(), norm));
}

template <class Body>
void on_plans(Body body) {
  for (const int ranks : {1, 3, 4})
    on_ranks(ranks, [&](Comm comm) {
      Plan plan(comm, {.shape = shape});
      body(plan);
    });
}

TEST(Ergun, Linearity) {
  on_plans([](Plan& plan) {
    const C alpha{0.7, -0.3}, beta{-0.2, 0.9};
    Array x = plan.make_input(), y = plan.make_input(), z = plan.make_input();
    Array fx = plan.make_output(), fy = plan.make_output(), fz = plan.make_output();
    fill(plan, plan.input(), x, [](const Coord& at) { return noise(1, at); });
    fill(plan, plan.input(), y, [](const Coord& at) { return noise(9, at); });
    fill(plan, plan.input(), z, [&](const Coord& at) { return alpha * noise(1, at) + beta * noise(9, at); });
    plan.forward(x, fx);
    plan.forward(y, fy);
    plan.forward(z, fz);
    std::size_t i = 0;
    EXPECT_LT(error(plan, plan.output(), fz,
                    [&](const Coord&) {
                      const C e = alpha * fx.as<C>()[i] + beta * fy.as<C>()[i];
                      ++i;
                      return e;
                    }),
              tight);
  });
}

TEST(Ergun, ImpulseBecomesAPlaneWave) {
  on_plans([](Plan& plan) {
    const Coord site{11, 38, 5};
    Array x = plan.make_input(), y = plan.make_output();
    fill(plan, plan.input(), x, [&](const Coord& at) { return at == site ? C{1} : C{0}; });
    plan.forward(x, y);
    EXPECT_LT(error(plan, plan.output(), y, [&](const Coord& k) { return wave(k, site, -1); }), tight);
  });
}

TEST(Ergun, ShiftInSpaceIsAPhaseInTheSpectrum) {
  on_plans([](Plan& plan) {
    const Coord shift{7, 20, 33};
    Array x = plan.make_input(), moved = plan.make_input(), fx = plan.make_output(), fmoved = plan.make_output();
    fill(plan, plan.input(), x, [](const Coord& at) { return noise(4, at); });
    fill(plan, plan.input(), moved, [&](const Coord& at) {
      Coord from = at;
      for (int a = 0; a < 3; ++a) from[a] = (at[a] + shape[a] - shift[a]) % shape[a];
      return noise(4, from);
    });
    plan.forward(x, fx);
    plan.forward(moved, fmoved);
    std::size_t i = 0;
    EXPECT_LT(error(plan, plan.output(), fmoved, [&](const Coord& k) { return fx.as<C>()[i++] * wave(k, shift, -1); }),
              tight);
  });
}

TEST(Analytic, PlaneWaveBecomesOnePeakAndTheConstantItsSum) {
  on_plans([](Plan& plan) {
    const double total = static_cast<double>(product(shape));
    for (const Coord& peak : {Coord{0, 0, 0}, Coord{29, 1, 40}}) {
      Array x = plan.make_input(), y = plan.make_output();
      fill(plan, plan.input(), x, [&](const Coord& at) { return wave(peak, at, +1); });
      plan.forward(x, y);
      EXPECT_LT(error(plan, plan.output(), y, [&](const Coord& k) { return k == peak ? C{total} : C{0}; }), tight);
    }
  });
}

TEST(Analytic, EnergyIsKept) {
  on_plans([](Plan& plan) {
    Array x = plan.make_input(), y = plan.make_output();
    fill(plan, plan.input(), x, [](const Coord& at) { return noise(2, at); });
    plan.forward(x, y);
    double before = 0, after = 0;
    for (const C& v : x.as<C>()) before += std::norm(v);
    for (const C& v : y.as<C>()) after += std::norm(v);
    const double ratio =
        all_sum(plan.comm(), after) / all_sum(plan.comm(), before) / static_cast<double>(product(shape));
    EXPECT_NEAR(ratio, 1.0, 1e-13);
  });
}

TEST(Analytic, BackwardOfForwardIsTheInput) {
  on_plans([](Plan& plan) {
    Array x = plan.make_input(), y = plan.make_output(), z = plan.make_input();
    fill(plan, plan.input(), x, [](const Coord& at) { return noise(6, at); });
    plan.forward(x, y);
    plan.backward(y, z);
    EXPECT_LT(error(plan, plan.input(), z, [](const Coord& at) { return noise(6, at); }), tight);
  });
}

TEST(Samples, OfTheExactTransformAgreeWithTheResult) {
  on_plans([](Plan& plan) {
    Array x = plan.make_input(), y = plan.make_output();
    fill(plan, plan.input(), x, [](const Coord& at) { return noise(8, at); });
    plan.forward(x, y);
    const std::vector<Coord> positions{{0, 0, 0}, {29, 52, 63}, {7, 31, 40}};
    const std::vector<double> exact = plan.exact_samples(x, positions);
    ASSERT_EQ(exact.size(), 6u);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      C mine = 0;
      const C* got = y.as<C>().data();
      for (const Box& box : plan.output().boxes(plan.comm().rank()))
        for_each(box, [&](const Coord& at) {
          mine += at == positions[i] ? *got : C{0};
          ++got;
        });
      EXPECT_NEAR(all_sum(plan.comm(), mine.real()), exact[2 * i], 1e-11);
      EXPECT_NEAR(all_sum(plan.comm(), mine.imag()), exact[2 * i + 1], 1e-11);
    }
    EXPECT_THROW((void)plan.exact_samples(x, {Coord{30, 0, 0}}), Error);
  });
}

TEST(NotFinite, NumbersSpreadAsInTheExactTransformAndAreNotVerified) {
  on_plans([](Plan& plan) {
    Array x = plan.make_input(), y = plan.make_output();
    fill(plan, plan.input(), x, [](const Coord& at) {
      return at == Coord{3, 4, 5} ? C{std::numeric_limits<double>::infinity(), 0} : noise(6, at);
    });
    plan.forward(x, y);
    double finite = 0;
    for (const C& v : y.as<C>()) finite += std::isfinite(v.real()) && std::isfinite(v.imag());
    EXPECT_EQ(all_sum(plan.comm(), finite), 0);
    EXPECT_FALSE(plan.verify(x, y).ok());
  });
}

}  // namespace
}  // namespace shardfft::testing
