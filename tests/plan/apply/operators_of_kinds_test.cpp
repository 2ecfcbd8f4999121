// Ready operators along cosine, sine and Hartley axes, against functions of which they are eigenvalues.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "plan/apply/mixing.hpp"
#include "support/comm/agree.hpp"
#include "support/pi.hpp"
#include "support/thrown.hpp"

namespace shardfft::testing {
namespace {

using enum AxisKind;
constexpr long double pi = long_pi;
const std::vector<double> box{2.0, 3.0, 0.5};

/// Mode `number` of each axis, on the points and beyond them.
struct Eigenfunction {
  Problem problem;
  Coord number;

  [[nodiscard]] AxisKind kind(int axis) const { return problem.kinds[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] bool periodic(int axis) const { return kind(axis) == fourier || kind(axis) == hartley; }
  [[nodiscard]] double wave_number(int axis) const {
    return static_cast<double>(periodic(axis) ? 2 * pi : pi) / box[static_cast<std::size_t>(axis)] *
           coordinate(problem, axis, number[axis], true);
  }
  [[nodiscard]] double squares() const {
    return std::pow(wave_number(0), 2) + std::pow(wave_number(1), 2) + std::pow(wave_number(2), 2);
  }
  [[nodiscard]] double place(int axis, double i) const {
    const double first = coordinate(problem, axis, 0, false), next = coordinate(problem, axis, 1, false);
    return box[static_cast<std::size_t>(axis)] * (first + i * (next - first));
  }
  [[nodiscard]] long double along(int axis, double i) const {
    const long double turn = static_cast<long double>(wave_number(axis)) * place(axis, i);
    return periodic(axis) ? std::cos(turn + 0.4L) : kind(axis) >= sine1 ? std::sin(turn) : std::cos(turn);
  }
  [[nodiscard]] Whole sampled(const std::function<long double(const Coord&)>& factor) const {
    Whole all{.shape = problem.shape};
    all.values.resize(static_cast<std::size_t>(product(all.shape)));
    for_each(whole(all.shape), [&](const Coord& at) {
      long double value = factor(at);
      for (int a = 0; a < 3; ++a) value *= along(a, static_cast<double>(at[a]));
      all.at(at) = value;
    });
    return all;
  }
  [[nodiscard]] Whole times(long double factor) const {
    return sampled([&](const Coord&) { return factor; });
  }
};

using MakeOperator = std::function<Operator(const Plan&)>;

template <class T>
void expect(const Comm& comm, Problem problem, const MakeOperator& make, const Whole& in, const Whole& out,
            double tolerance) {
  problem.precision = sizeof(T) == 4 ? f32 : f64;
  Plan plan(comm, problem, {.apply = Apply::to_outputs});
  LocalData<T> from(packed_memory(plan.input(), comm.rank()), complex_in(problem)),
      to(packed_memory(plan.applied(), comm.rank()), complex_in(problem));
  from.fill(in);
  plan.apply(from.view(), to.view(), make(plan));
  const auto [difference, norm] = to.compare(out, 1);
  EXPECT_LT(std::sqrt(all_sum(comm, difference)), tolerance * std::sqrt(all_sum(comm, norm)))
      << to_string(problem) << " on " << comm.size() << " ranks";
}

/// `larger`: the largest factor relative to that of the function, which rounding errors have.
void expect_everywhere(const Problem& problem, const MakeOperator& make, const Whole& in, const Whole& out,
                       double larger = 1) {
  on_ranks(3, [&](Comm comm) { expect<double>(comm, problem, make, in, out, 4e-14 * larger); });
  on_ranks(1, [&](Comm comm) { expect<float>(comm, problem, make, in, out, 2e-5 * larger); });
}

std::vector<Eigenfunction> eigenfunctions() {
  std::vector<Eigenfunction> all;
  const std::vector<std::vector<AxisKind>> kinds{{cosine1, cosine2, cosine3}, {cosine4, sine1, sine2},
                                                 {sine3, sine4, hartley},     {cosine2, fourier, sine2},
                                                 {sine1, cosine4, fourier},   {hartley, sine3, fourier}};
  for (const auto& of_axes : kinds) {
    const bool with_fourier = std::find(of_axes.begin(), of_axes.end(), fourier) != of_axes.end();
    for (const Kind kind : {r2r, c2c, r2c})
      if ((kind == r2r) != with_fourier || kind == c2c)
        all.push_back({{.shape = {8, 9, 10}, .kind = kind, .axes = {0, 1, 2}, .kinds = of_axes}, {1, 2, 3}});
  }
  return all;
}

TEST(OperatorsOfKinds, DivideByEigenvaluesOfDerivativesAndOfDifferences) {
  const std::vector<std::vector<double>> stencils{
      {2, -1}, {5.0 / 2, -4.0 / 3, 1.0 / 12}, {49.0 / 18, -3.0 / 2, 3.0 / 20, -1.0 / 90}};
  for (const Eigenfunction& e : eigenfunctions()) {
    expect_everywhere(
        e.problem, [](const Plan& plan) { return spectral::inverse_laplace(plan, box); }, e.times(1),
        e.times(1 / e.squares()));
    expect_everywhere(
        e.problem, [](const Plan& plan) { return spectral::inverse_laplace(plan, box, Stencil::spectral, 2.5); },
        e.times(1), e.times(1 / (e.squares() + 2.5)));
    for (std::size_t s = 0; s < stencils.size(); ++s) {
      // Beyond the ends the function goes on as its kind says.
      const auto minus_laplacian = [&](const Coord& at) {
        long double sum = 0;
        for (int a = 0; a < 3; ++a) {
          const double h = e.place(a, 1) - e.place(a, 0), i = static_cast<double>(at[a]);
          for (std::size_t k = 0; k < stencils[s].size(); ++k)
            for (const int side : {-1, 1})
              sum += stencils[s][k] / (k == 0 ? 2 : 1) / (h * h) * e.along(a, i + side * static_cast<double>(k)) /
                     e.along(a, i);
        }
        return sum;
      };
      expect_everywhere(
          e.problem,
          [s](const Plan& plan) { return spectral::inverse_laplace(plan, box, static_cast<Stencil>(s + 1)); },
          e.sampled(minus_laplacian), e.times(1));
    }
  }
}

TEST(OperatorsOfKinds, EvenDerivativesAndFiltersKeepTheKind) {
  for (const Eigenfunction& e : eigenfunctions()) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto derivative = [&](int order) {
        return [=](const Plan& plan) {
          return spectral::derivative(plan, axis, order, box[static_cast<std::size_t>(axis)]);
        };
      };
      expect_everywhere(e.problem, derivative(2), e.times(1), e.times(-std::pow(e.wave_number(axis), 2)), 10);
      expect_everywhere(e.problem, derivative(4), e.times(1), e.times(std::pow(e.wave_number(axis), 4)), 100);
    }
    expect_everywhere(
        e.problem, [](const Plan& plan) { return spectral::gaussian(plan, box, 0.02); }, e.times(1),
        e.times(std::exp(-0.0002 * e.squares())));
    Eigenfunction low = e;
    low.number = {0, 1, 1};
    Whole both = e.times(1);
    const Whole kept = low.times(2);
    for (std::size_t i = 0; i < both.values.size(); ++i) both.values[i] += kept.values[i];
    const double between = std::sqrt((e.squares() + low.squares()) / 2);
    expect_everywhere(e.problem, [&](const Plan& plan) { return spectral::lowpass(plan, box, between); }, both, kept);
  }
}

TEST(OperatorsOfKinds, RealElementsHaveRealFactorsOfTheirOwn) {
  for (const Apply apply : {Apply::to_outputs, Apply::to_inputs})
    for (const int ranks : {1, 2, 4})
      on_ranks(ranks, [&](Comm comm) {
        Plan plan(comm, {.shape = {8, 9, 10}, .kind = r2r, .kinds = {cosine2, sine1, hartley}},
                  {.input = slabs(0), .output = slabs(0), .apply = apply});
        Array factors = plan.make_middle(), in = plan.make_input(), out = plan.make_input();
        for (double& factor : factors.as<double>()) factor = 0.5;
        double x = 0;
        for (double& value : in.as<double>()) value = std::sin(x += 1.7);
        const Operator f = spectral::multiply(plan, factors);
        apply == Apply::to_outputs ? plan.apply(in, out, f) : plan.apply_physical(in, out, f);
        const auto given = in.as<double>(), made = out.as<double>();
        for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(made[i], given[i] / 2, 1e-14);
      });
}

TEST(OperatorsOfKinds, KnowTheBoxFromTheSpacingOfItsPoints) {
  for (const Eigenfunction& e : eigenfunctions()) {
    const Plan plan(local(), e.problem, {.apply = Apply::to_outputs});
    std::vector<double> spacing;
    for (int a = 0; a < 3; ++a) spacing.push_back(e.place(a, 1) - e.place(a, 0));
    const auto lengths = spectral::lengths_from(plan, spacing);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(lengths[a], box[a], 1e-14) << to_string(e.problem);
  }
  const Plan plan(local(), {.shape = {8, 6, 4}, .axes = {0, 2}}, {.apply = Apply::to_outputs});
  EXPECT_EQ(spectral::lengths_from(plan, std::vector<double>{0.5, -1, 2}), (std::vector<double>{4, -1, 8}))
      << "an axis that is not transformed has any number";
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinite})
    EXPECT_NE(thrown([&] {
                (void)spectral::lengths_from(plan, std::vector<double>{1, 1, bad});
              }).find("the spacing of points is positive and finite"),
              std::string::npos);
  EXPECT_NE(thrown([&] {
              (void)spectral::lengths_from(plan, std::vector<double>{1, 1});
            }).find("one spacing for each axis of the array, 3; got 2"),
            std::string::npos);
}

}  // namespace
}  // namespace shardfft::testing
