// Passes, smoothing, derivatives and shifts in one operator.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>

#include <fmt/format.h>

#include "plan/operators/diagonal.hpp"
#include "shardfft/operators/elementary.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

// (1 + cos(pi x)) / 2 for 0 < x <= 1, 1 below and 0 above. The sine's Taylor polynomial: the next term is 3e-16.
constexpr auto sine_coefficients = [] {
  std::array<double, 10> all{};
  double factorial = 1;
  for (int i = 0; i < 10; ++i) {
    all[static_cast<std::size_t>(i)] = (i % 2 == 0 ? 1 : -1) / factorial;
    factorial *= (2.0 * i + 2) * (2.0 * i + 3);
  }
  return all;
}();

template <class N, class Number>
N half_cosine(const N& x, const Number& number) {
  const N below = is_at_most(x, number(0)), inside = is_at_most(x, number(1)) - below;
  const N u = (x * inside - number(0.5)) * number(std::numbers::pi), square = u * u;
  N sine = number(sine_coefficients.back());
  for (std::size_t i = sine_coefficients.size() - 1; i-- > 0;) sine = sine * square + number(sine_coefficients[i]);
  return below + inside * (number(0.5) - number(0.5) * (sine * u));
}

template <class N, class Number>
N to_power(const N& x, int exponent, const Number&) {
  N result = x;
  for (int i = 1; i < exponent; ++i) result = result * x;
  return result;
}

class Passes {
 public:
  Passes(const WaveNumbers& waves, const Filter& what) : waves_(waves), what_(what) {
    width_ = what.width != 0 ? positive(what.width, "the width of an edge")
                             : 4 * std::numbers::pi / waves.extreme_period(/*longest=*/false);
    if (what.edge == Edge::butterworth && (what.order < 1 || what.order > 16))
      refuse_argument(fmt::format("a Butterworth filter has an order from 1 to 16; got {}", what.order));
  }

  [[nodiscard]] Diagonal pass(double cutoff, bool low) const {
    const double kc = positive(cutoff, low ? "the cutoff of a low pass" : "the cutoff of a high pass");
    switch (what_.edge) {
      case Edge::hard:
        return of_square(low, [kc](const auto& k2, const auto& number) { return is_at_most(k2, number(kc * kc)); });
      case Edge::gaussian:
        return gaussian(kc, low);
      case Edge::butterworth:
        return butterworth(kc, low);
      default:
        return of_square(
            low, [from = std::max(kc - width_ / 2, 0.0), to = kc + width_ / 2](const auto& k2, const auto& number) {
              if constexpr (std::is_same_v<std::decay_t<decltype(k2)>, double>)  // most modes
                if (k2 <= from * from || k2 >= to * to) return k2 <= from * from ? 1.0 : 0.0;
              using std::sqrt;
              return half_cosine((sqrt(k2) - number(from)) / number(to - from), number);
            });
    }
  }

 private:
  template <class LowPass>
  [[nodiscard]] Diagonal of_square(bool low, const LowPass& low_pass) const {
    const auto tables = laplace_tables(waves_, Stencil::spectral);
    if (low) return function_of(waves_, tables, Combined::sum, low_pass);
    return function_of(waves_, tables, Combined::sum,
                       [low_pass](const auto& k2, const auto& number) { return number(1) - low_pass(k2, number); });
  }

  [[nodiscard]] Diagonal gaussian(double kc, bool low) const {
    const std::vector<double> factors(static_cast<std::size_t>(waves_.dims()), std::numbers::ln2 / (kc * kc));
    FactorTables along = gaussian_tables(waves_, factors);
    if (low) return separable(waves_, std::move(along));
    std::vector<AxisTable> tables(along.size());
    for (std::size_t a = 0; a < along.size(); ++a)
      for (const auto& factor : along[a]) tables[a].push_back(factor.real());
    return function_of(waves_, std::move(tables), Combined::product,
                       [](const auto& product, const auto& number) { return number(1) - product; });
  }

  [[nodiscard]] Diagonal butterworth(double kc, bool low) const {
    return function_of(waves_, laplace_tables(waves_, Stencil::spectral), Combined::sum,
                       [square = kc * kc, low, order = what_.order](const auto& k2, const auto& number) {
                         using std::sqrt;
                         const auto ratio = low ? k2 / number(square) : number(square) / k2;  // 0 of no wave: infinite
                         return number(1) / sqrt(number(1) + to_power(ratio, order, number));
                       });
  }

  const WaveNumbers& waves_;
  const Filter& what_;
  double width_ = 0;
};

// One table along each axis for all that is a product of factors of the axes.
void multiply_into(FactorTables& all, const FactorTables& more) {
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (all[a].empty())
      all[a] = more[a];
    else
      for (std::size_t i = 0; i < more[a].size(); ++i) all[a][i] *= more[a][i];
  }
}

void require_one_each(const WaveNumbers& waves, const std::vector<double>& numbers, const char* what) {
  if (static_cast<int>(numbers.size()) != waves.dims())
    refuse_argument(
        fmt::format("{} has one number for each axis of the array, {}; got {}", what, waves.dims(), numbers.size()));
}

FactorTables smoothing(const WaveNumbers& waves, const std::vector<double>& sigma) {
  require_one_each(waves, sigma, "the width of a gaussian");
  std::vector<double> factors;
  for (const double width : sigma) {
    if (width != 0) (void)positive(width, "the width of a gaussian");
    factors.push_back(width * width / 2);
  }
  return gaussian_tables(waves, factors);
}

}  // namespace

Operator spectral::filter(const Plan& plan, std::span<const double> lengths, const Filter& what) {
  const WaveNumbers waves(plan, lengths);
  const Passes passes(waves, what);
  std::vector<Diagonal> parts;
  if (what.low_pass != 0) parts.push_back(passes.pass(what.low_pass, true));
  if (what.high_pass != 0) parts.push_back(passes.pass(what.high_pass, false));
  if (what.laplacian)
    parts.push_back(function_of(waves, laplace_tables(waves, Stencil::spectral), Combined::sum,
                                [](const auto& k2, const auto&) { return -k2; }));
  FactorTables along(static_cast<std::size_t>(waves.dims()));
  if (!what.sigma.empty()) multiply_into(along, smoothing(waves, what.sigma));
  for (const auto& [axis, order] : what.derivatives) multiply_into(along, derivative_tables(waves, axis, order));
  if (!what.shift.empty()) multiply_into(along, shift_tables(waves, what.shift));
  if (!what.sigma.empty() || !what.derivatives.empty() || !what.shift.empty())
    parts.push_back(separable(waves, std::move(along)));
  if (parts.empty())
    refuse_argument(
        "a filter passes, smooths, derives or shifts; got one that does nothing; name a cutoff, a width, an axis or a "
        "distance");
  return multiplied_by(plan, parts);
}

}  // namespace shardfft
