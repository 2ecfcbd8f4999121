// Ready operators against sums of waves, whose derivatives, shifts and filters are known.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "plan/apply/mixing.hpp"
#include "support/comm/agree.hpp"
#include "support/pi.hpp"

namespace shardfft::testing {
namespace {

using Point = std::vector<double>;  // along each transformed axis
using Field = std::function<long double(int component, const Point&)>;

const std::vector<double> lengths{2.0, 3.0, 0.5};
const Shape points{8, 9, 10};

// cos(2 pi (k . x / L) + phase).
long double wave(const std::vector<int>& k, const Point& x, double phase, const std::vector<double>& length = lengths) {
  long double turn = phase;
  for (std::size_t a = 0; a < x.size(); ++a) turn += 2 * long_pi * k[a] * x[a] / length[a];
  return std::cos(turn);
}
double number(const std::vector<int>& k, std::size_t axis) { return 2 * std::numbers::pi * k[axis] / lengths[axis]; }
double number2(const std::vector<int>& k) {
  return std::pow(number(k, 0), 2) + std::pow(number(k, 1), 2) + std::pow(number(k, 2), 2);
}
constexpr double quarter = std::numbers::pi / 2;

const std::vector<int> one{1, -2, 3}, two{-3, 0, 1}, still{0, 0, 0};

Whole sampled(const Field& field, int components) {
  Shape shape{std::max(1, components), points[0], points[1], points[2]};
  Whole all{.shape = shape};
  all.values.resize(static_cast<std::size_t>(product(shape)));
  for_each(whole(shape), [&](const Coord& at) {
    Point x;
    for (int a = 0; a < 3; ++a)
      x.push_back(lengths[static_cast<std::size_t>(a)] * static_cast<double>(at[a + 1]) /
                  static_cast<double>(points[a]));
    all.at(at) = field(static_cast<int>(at[0]), x);
  });
  return all;
}

using Make = std::function<Operator(const Plan&, std::span<const double>)>;

template <class T>
void expect(const Comm& comm, Kind kind, const Make& make, const Field& in, int components_in, const Field& out,
            int components_out, double tolerance) {
  const Problem problem{.shape = {std::max(1, components_in), points[0], points[1], points[2]},
                        .kind = kind,
                        .precision = sizeof(T) == 4 ? f32 : f64,
                        .axes = {1, 2, 3}};
  Plan plan(comm, problem,
            {.input = slabs(1),
             .apply = Apply::to_outputs,
             .components_in = components_in,
             .components_out = components_out});
  LocalData<T> from(packed_memory(plan.input(), comm.rank()), kind == c2c),
      to(packed_memory(plan.applied(), comm.rank()), kind == c2c);
  from.fill(sampled(in, components_in));
  const std::vector<double> box{1, lengths[0], lengths[1], lengths[2]};
  plan.apply(from.view(), to.view(), make(plan, box));
  const auto [difference, norm] = to.compare(sampled(out, components_out), 1);
  EXPECT_LT(std::sqrt(all_sum(comm, difference)), tolerance * std::sqrt(all_sum(comm, norm)))
      << to_string(problem) << " on " << comm.size() << " ranks";
}

void expect_everywhere(const Make& make, const Field& in, int components_in, const Field& out, int components_out) {
  for (const int ranks : {1, 3})
    on_ranks(ranks, [&](Comm comm) {
      for (const Kind kind : {c2c, r2c}) {
        expect<double>(comm, kind, make, in, components_in, out, components_out, 2e-14);
        expect<float>(comm, kind, make, in, components_in, out, components_out, 1e-5);
      }
    });
}
void expect_everywhere(const Make& make, const Field& in, const Field& out) { expect_everywhere(make, in, 0, out, 0); }

long double scalar(int, const Point& x) { return wave(one, x, 0.3) + 2 * wave(two, x, 1); }

TEST(ReadyOperators, DerivativesOfAnyOrder) {
  for (const int order : {1, 2, 3, 4})
    expect_everywhere([&](const Plan& plan, auto) { return spectral::derivative(plan, 2, order, lengths[1]); }, scalar,
                      [&](int, const Point& x) {
                        return std::pow(number(one, 1), order) * wave(one, x, 0.3 + order * quarter) +
                               2 * std::pow(number(two, 1), order) * wave(two, x, 1 + order * quarter);
                      });
}

TEST(ReadyOperators, OddDerivativesLeaveOutTheHighestFrequency) {
  const std::vector<int> highest{4, 0, 0};
  const auto field = [&](int, const Point& x) { return wave(highest, x, 0) + wave(one, x, 0); };
  expect_everywhere([&](const Plan& plan, auto) { return spectral::derivative(plan, 1, 1, lengths[0]); }, field,
                    [&](int, const Point& x) { return number(one, 0) * wave(one, x, quarter); });
  expect_everywhere([&](const Plan& plan, auto) { return spectral::derivative(plan, 1, 2, lengths[0]); }, field,
                    [&](int, const Point& x) {
                      return -std::pow(number(highest, 0), 2) * wave(highest, x, 0) -
                             std::pow(number(one, 0), 2) * wave(one, x, 0);
                    });
}

TEST(ReadyOperators, AShiftIsExact) {
  const std::vector<double> by{0, 0.37, -1.1, 0.2};
  expect_everywhere([&](const Plan& plan, auto box) { return spectral::shift(plan, box, by); }, scalar,
                    [&](int, const Point& x) { return scalar(0, {x[0] - by[1], x[1] - by[2], x[2] - by[3]}); });
}

TEST(ReadyOperators, TheInverseLaplacianUndoesTheLaplacianAndItsStencils) {
  const auto field = [](int, const Point& x) { return scalar(0, x) + 5 * wave(still, x, 0); };
  expect_everywhere(
      [](const Plan& plan, auto box) { return spectral::inverse_laplace(plan, box); }, field,
      [](int, const Point& x) { return wave(one, x, 0.3) / number2(one) + 2 * wave(two, x, 1) / number2(two); });
  expect_everywhere(
      [](const Plan& plan, auto box) { return spectral::inverse_laplace(plan, box, Stencil::spectral, 2.5); }, field,
      [](int, const Point& x) {
        return wave(one, x, 0.3) / (2.5 + number2(one)) + 2 * wave(two, x, 1) / (2.5 + number2(two)) +
               5 / 2.5 * wave(still, x, 0);
      });
  const std::vector<std::vector<double>> stencils{
      {2, -1}, {5.0 / 2, -4.0 / 3, 1.0 / 12}, {49.0 / 18, -3.0 / 2, 3.0 / 20, -1.0 / 90}};
  for (std::size_t s = 0; s < stencils.size(); ++s) {
    // Minus the difference on the points: what inverse_laplace() must undo.
    const auto laplacian = [&, s](int, const Point& x) {
      long double sum = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double h = lengths[a] / static_cast<double>(points[static_cast<int>(a)]);
        for (std::size_t i = 0; i < stencils[s].size(); ++i)
          for (const int side : {-1, 1}) {
            Point y = x;
            y[a] += side * static_cast<double>(i) * h;
            sum += stencils[s][i] / (h * h) * scalar(0, y) / (i == 0 ? 2 : 1);
          }
      }
      return sum;
    };
    expect_everywhere(
        [s](const Plan& plan, auto box) { return spectral::inverse_laplace(plan, box, static_cast<Stencil>(s + 1)); },
        laplacian, scalar);
  }
}

TEST(ReadyOperators, FiltersKeepWhatTheySay) {
  expect_everywhere([](const Plan& plan, auto box) { return spectral::gaussian(plan, box, 0.1); }, scalar,
                    [](int, const Point& x) {
                      return std::exp(-0.005 * number2(one)) * wave(one, x, 0.3) +
                             2 * std::exp(-0.005 * number2(two)) * wave(two, x, 1);
                    });
  ASSERT_LT(number2(two), 400);
  ASSERT_GT(number2(one), 400);
  expect_everywhere([](const Plan& plan, auto box) { return spectral::lowpass(plan, box, 20); }, scalar,
                    [](int, const Point& x) { return 2 * wave(two, x, 1); });
}

// Three components.
long double vector_field(int c, const Point& x) {
  return c == 0 ? wave(one, x, 0.1) : c == 1 ? 2 * wave(two, x, 0.7) + wave(still, x, 0) : wave(one, x, -1);
}
long double slope(int c, const Point& x, std::size_t axis) {
  return c == 0   ? number(one, axis) * wave(one, x, 0.1 + quarter)
         : c == 1 ? 2 * number(two, axis) * wave(two, x, 0.7 + quarter)
                  : number(one, axis) * wave(one, x, -1 + quarter);
}

TEST(ReadyOperators, GradientsMakeThreeComponentsOfOne) {
  expect_everywhere([](const Plan& plan, auto box) { return spectral::gradient(plan, box); }, scalar, 1,
                    [](int c, const Point& x) {
                      const auto axis = static_cast<std::size_t>(c);
                      return number(one, axis) * wave(one, x, 0.3 + quarter) +
                             2 * number(two, axis) * wave(two, x, 1 + quarter);
                    },
                    3);
}

TEST(ReadyOperators, DivergencesMakeOneComponentOfThree) {
  expect_everywhere([](const Plan& plan, auto box) { return spectral::divergence(plan, box); }, vector_field, 3,
                    [](int, const Point& x) { return slope(0, x, 0) + slope(1, x, 1) + slope(2, x, 2); }, 1);
}

TEST(ReadyOperators, CurlsTakeThreeComponentsAndLeaveThree) {
  expect_everywhere([](const Plan& plan, auto box) { return spectral::curl(plan, box); }, vector_field, 3,
                    [](int c, const Point& x) {
                      const int i = (c + 1) % 3, j = (c + 2) % 3;
                      return slope(j, x, static_cast<std::size_t>(i)) - slope(i, x, static_cast<std::size_t>(j));
                    },
                    3);
}

TEST(ReadyOperators, AProjectionTakesAwayTheGradientAndKeepsTheCurl) {
  const auto gradient_of_scalar = [](int c, const Point& x) {
    const auto axis = static_cast<std::size_t>(c);
    return number(one, axis) * wave(one, x, 0.3 + quarter) + 2 * number(two, axis) * wave(two, x, 1 + quarter);
  };
  const auto curl_of_vector = [](int c, const Point& x) {
    const int i = (c + 1) % 3, j = (c + 2) % 3;
    return slope(j, x, static_cast<std::size_t>(i)) - slope(i, x, static_cast<std::size_t>(j)) + 0.5L;
  };
  expect_everywhere([](const Plan& plan, auto box) { return spectral::project(plan, box); },
                    [&](int c, const Point& x) { return gradient_of_scalar(c, x) + curl_of_vector(c, x); }, 3,
                    curl_of_vector, 3);
}

// The sums of the definition.
TEST(ReadyOperators, ConvolveAndCorrelateWithASpectrumThatIsKept) {
  const Shape shape{6, 5, 4};
  const Whole x = random_array(shape, false, 1), h = random_array(shape, false, 2);
  for (const bool correlates : {false, true}) {
    Whole expected{.shape = shape};
    expected.values.resize(x.values.size());
    for_each(whole(shape), [&](const Coord& at) {
      for_each(whole(shape), [&](const Coord& by) {
        Coord other = at;
        for (int a = 0; a < 3; ++a) other[a] = (at[a] + (correlates ? by[a] : shape[a] - by[a])) % shape[a];
        expected.at(at) += x.at(other) * h.at(by);
      });
    });
    for (const Kind kind : {c2c, r2c})
      for (const int ranks : {1, 2, 4})
        for (const LayoutSpec& output : {any, slabs(0)})
          on_ranks(ranks, [&](Comm comm) {
            Plan plan(comm, {.shape = shape, .kind = kind},
                      {.input = slabs(0), .output = output, .apply = Apply::to_outputs});
            Plan once(comm, {.shape = shape, .kind = kind}, {.input = slabs(0), .output = plan.middle().spec()});
            LocalData<double> kernel(packed_memory(once.input(), comm.rank()), kind == c2c),
                in(packed_memory(plan.input(), comm.rank()), kind == c2c),
                out(packed_memory(plan.input(), comm.rank()), kind == c2c);
            kernel.fill(h), in.fill(x);
            Array spectrum = plan.make_middle();
            once.forward(kernel.view(), spectrum);
            plan.apply(in.view(), out.view(),
                       correlates ? spectral::correlate(plan, spectrum) : spectral::convolve(plan, spectrum));
            const auto [difference, norm] = out.compare(expected, 1);
            EXPECT_LT(std::sqrt(all_sum(comm, difference) / all_sum(comm, norm)), 1e-14);
          });
  }
}

TEST(ReadyOperators, HaveTheSameBitsOnAnyNumberOfRanksAndThreads) {
  for (const Kind kind : {c2c, r2c}) {
    std::vector<std::uint64_t> hashes;
    for (const int ranks : {1, 2, 3, 8})
      on_ranks(ranks, [&](Comm comm) {
        Plan plan(comm, {.shape = {20, 33, 18}, .kind = kind}, {.input = slabs(0), .apply = Apply::to_outputs});
        LocalData<double> in(packed_memory(plan.input(), comm.rank()), kind == c2c),
            out(packed_memory(plan.input(), comm.rank()), kind == c2c);
        in.fill(random_array({20, 33, 18}, kind == c2c, 3));
        std::uint64_t all = 0;
        for (const Operator& f : {spectral::shift(plan, lengths, lengths), spectral::inverse_laplace(plan, lengths),
                                  spectral::gaussian(plan, lengths, 0.1), spectral::derivative(plan, 0, 1, 2)}) {
          plan.apply(in.view(), out.view(), f);
          all = 31 * all + plan.hash_input(out.view());
        }
        if (comm.rank() == 0) hashes.push_back(all);
      });
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes.front());
  }
}

}  // namespace
}  // namespace shardfft::testing
