// Operators that multiply each mode with one factor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "plan/operators/along_row.hpp"
#include "plan/operators/factor_rows.hpp"
#include "plan/operators/modes_formula.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/error.hpp"
#include "shardfft/operators/elementary.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

constexpr int as_many = -1;

double power(double x, int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= x;
  return result;
}

template <class State>
Operator made(State state) {
  Operator f(std::move(state));
  f.components_out = as_many;
  return f;
}

/// A number of each mode; real ones have no imaginary part.
struct Factor {
  Term re;
  std::optional<Term> im{};

  friend Factor operator*(const Factor& a, const Factor& b) {
    if (!a.im) return {a.re * b.re, b.im ? std::optional(a.re * *b.im) : std::nullopt};
    if (!b.im) return {a.re * b.re, *a.im * b.re};
    return {a.re * b.re - *a.im * *b.im, a.re * *b.im + *a.im * b.re};
  }
};

/// For a plan on a device: every component times what `write`(ModesFormula) says.
template <class Write>
std::shared_ptr<const OperatorFormula> factor_on_device(const Plan& plan, const Write& write) {
  return on_device(plan, /*each=*/true, [&](ModesFormula& f) {
    const bool complex = plan.middle_is_complex();
    const Factor value{f.read(0, 0), complex ? std::optional(f.read(0, 1)) : std::nullopt};
    const Factor result = write(f) * value;
    f.write(0, 0, result.re);
    if (complex) f.write(0, 1, *result.im);
  });
}

template <class Value>
struct RealOf {
  using type = Value;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

/// In the precision of elements; complex only if these are.
template <class Value, class Number>
auto narrowed(Number factor) {
  if constexpr (std::is_floating_point_v<Number>)
    return static_cast<typename RealOf<Value>::type>(factor);
  else if constexpr (std::is_floating_point_v<Value>)
    return static_cast<Value>(factor.real());
  else
    return Value(factor);
}

template <class Value>
Value* values_of(const Modes& m, int component) {
  return reinterpret_cast<Value*>(m.data + component * m.component_bytes);
}

/// `make`(a value of the type that operators of this plan see).
template <class Make>
Operator of_elements(Precision precision, bool complex, const Make& make) {
  if (precision == f32) return complex ? make(std::complex<float>()) : make(float());
  return complex ? make(std::complex<double>()) : make(double());
}

constexpr Index row_block = 256;  // factors that are made at once

/// The product of a factor from each axis, rounded once to the precision of elements.
template <class Value, class Number>
struct Separable {
  std::vector<std::vector<Number>> tables;  // empty of axes that have none

  void operator()(const Modes& m) const {
    using Narrow = decltype(narrowed<Value>(Number()));
    Number products[row_block];
    Narrow narrow[row_block];
    for (Index begin = 0; begin < m.count; begin += row_block) {
      const Index count = std::min(row_block, m.count - begin);
      combine_along_row(tables, m, begin, std::span(products, static_cast<std::size_t>(count)), Number(1),
                        [](std::span<Number> row, Number factor) {
                          multiply_row(row.data(), factor, static_cast<Index>(row.size()));
                        });
      const Narrow* factors = narrow;
      if constexpr (std::is_same_v<Narrow, Number>)
        factors = products;
      else
        for (Index i = 0; i < count; ++i) narrow[i] = narrowed<Value>(products[i]);
      for (int c = 0; c < m.components_in; ++c) multiply_row(values_of<Value>(m, c) + begin, factors, count);
    }
  }
};

/// The product of those of the tables.
Factor along_axes(ModesFormula& f, const std::vector<std::vector<std::complex<double>>>& tables, bool complex) {
  std::optional<Factor> all;
  for (std::size_t a = 0; a < tables.size(); ++a) {
    if (tables[a].empty()) continue;
    AxisTable re, im;
    for (const auto& number : tables[a]) re.push_back(number.real()), im.push_back(number.imag());
    const int axis = static_cast<int>(a);
    Factor one{f.along(axis, re), complex ? std::optional(f.along(axis, im)) : std::nullopt};
    all = all ? *all * one : one;
  }
  return all ? *all : Factor{f.formula().number(1)};
}

std::vector<AxisTable> real_parts(const std::vector<std::vector<std::complex<double>>>& tables) {
  std::vector<AxisTable> all(tables.size());
  for (std::size_t a = 0; a < tables.size(); ++a)
    for (const auto& number : tables[a]) all[a].push_back(number.real());
  return all;
}

Operator separable(const Plan& plan, const WaveNumbers& waves, std::vector<std::vector<std::complex<double>>> tables) {
  const bool complex = std::any_of(tables.begin(), tables.end(), [](const auto& table) {
    return std::any_of(table.begin(), table.end(), [](const auto& number) { return number.imag() != 0; });
  });
  auto formula = factor_on_device(plan, [&](ModesFormula& f) { return along_axes(f, tables, complex); });
  const auto with = [&]<class Number>(std::vector<std::vector<Number>> numbers) {
    return of_elements(waves.precision(), waves.complex(),
                       [&](auto value) { return made(Separable<decltype(value), Number>{std::move(numbers)}); });
  };
  Operator f = complex ? with(std::move(tables)) : with(real_parts(tables));
  f.formula = std::move(formula);
  return f;
}

/// Some real function of the sum of a number from each axis.
template <class Value, class Function>
struct OfSum {
  std::vector<AxisTable> tables;
  Function function;

  void operator()(const Modes& m) const {
    using T = typename RealOf<Value>::type;
    double sums[row_block];
    T factors[row_block];
    for (Index begin = 0; begin < m.count; begin += row_block) {
      const Index count = std::min(row_block, m.count - begin);
      combine_along_row(tables, m, begin, std::span(sums, static_cast<std::size_t>(count)), 0.0,
                        [](std::span<double> row, double number) {
                          for (double& sum : row) sum += number;
                        });
      for (Index i = 0; i < count; ++i) factors[i] = static_cast<T>(function(sums[i]));
      for (int c = 0; c < m.components_in; ++c) multiply_row(values_of<Value>(m, c) + begin, factors, count);
    }
  }
};

/// `term`: the function once more, of a term.
template <class Function, class OfTerm>
Operator of_sum(const Plan& plan, const WaveNumbers& waves, std::vector<AxisTable> tables, Function function,
                const OfTerm& term) {
  auto formula = factor_on_device(plan, [&](ModesFormula& f) {
    Term sum = f.formula().number(0);
    for (const int a : waves.axes()) sum += f.along(a, tables[static_cast<std::size_t>(a)]);
    return Factor{term(sum, f.formula())};
  });
  Operator f = of_elements(waves.precision(), waves.complex(), [&](auto value) {
    return made(OfSum<decltype(value), Function>{std::move(tables), function});
  });
  f.formula = std::move(formula);
  return f;
}

std::vector<AxisTable> laplace_tables(const WaveNumbers& waves, Stencil stencil) {
  std::vector<AxisTable> tables;
  for (int a = 0; a < waves.dims(); ++a)
    tables.push_back(waves.transforms(a) ? waves.laplace(a, stencil) : AxisTable());
  return tables;
}

/// Every mode times its own number.
template <class Value>
struct Stored {
  const Value* factors;
  bool conjugated;

  void operator()(const Modes& m) const {
    for (int c = 0; c < m.components_in; ++c) {
      const Value* from = factors + m.place + c * m.component_step;
      Value* values = values_of<Value>(m, c);
      if (m.step == 1 && !conjugated) {
        multiply_row(values, from, m.count);
        continue;
      }
      Value row[row_block];
      for (Index begin = 0; begin < m.count; begin += row_block) {
        const Index count = std::min(row_block, m.count - begin);
        for (Index i = 0; i < count; ++i) row[i] = factor(from[(begin + i) * m.step]);
        multiply_row(values + begin, row, count);
      }
    }
  }

 private:
  [[nodiscard]] Value factor(Value f) const {
    if constexpr (!std::is_floating_point_v<Value>)
      if (conjugated) return {f.real(), -f.imag()};
    return f;
  }
};

Operator stored(const Plan& plan, const View& factors, const char* name, bool conjugated = false) {
  const Precision precision = plan.problem().precision;
  const std::size_t bytes = plan.middle_bytes(), scalar = precision == f32 ? 4 : 8;
  const bool complex = plan.middle_is_complex();
  const auto kind = [](bool is_complex) { return is_complex ? "complex" : "real"; };
  if (factors.scalar != 0 && (factors.scalar != scalar || factors.complex != complex))
    refuse_argument(fmt::format("{}() takes {} f{} numbers here; got {} f{}; convert them", name, kind(complex),
                                8 * scalar, kind(factors.complex), 8 * factors.scalar));
  if (bytes > 0 && (!factors.data || factors.bytes < bytes))
    refuse_argument(
        fmt::format("{}() takes an array in the plan's middle layout, {} bytes on this rank; got {}; make it with "
                    "make_middle()",
                    name, bytes, factors.data ? fmt::format("{}", factors.bytes) : "a null pointer"));
  Operator f = of_elements(precision, complex, [&](auto value) {
    return made(Stored<decltype(value)>{static_cast<const decltype(value)*>(factors.data), conjugated});
  });
  f.formula = factor_on_device(plan, [&](ModesFormula& all) {
    const Term re = all.beside(factors.data, 0);
    if (!complex) return Factor{re};
    const Term im = all.beside(factors.data, 1);
    return Factor{re, conjugated ? -im : im};
  });
  return f;
}

// Spectra of cosines and sines are no spectra of circular convolutions.
Operator of_circle(const Plan& plan, const View& spectrum, const char* name, bool conjugated) {
  if (!plan.middle_is_spectrum() || !plan.middle_is_complex() ||
      std::any_of(plan.problem().kinds.begin(), plan.problem().kinds.end(),
                  [](AxisKind kind) { return kind != AxisKind::fourier; }))
    refuse_argument(
        fmt::format("{}() multiplies spectra along fourier axes; got a plan whose operators see something else; use "
                    "multiply() or a function of your own",
                    name));
  return stored(plan, spectrum, name, conjugated);
}

double positive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return value;
  refuse_argument(fmt::format("{} is positive and finite; got {}", what, value));
}

}  // namespace

namespace spectral {

Operator multiply(const Plan& plan, View factors) { return stored(plan, factors, "multiply"); }
Operator convolve(const Plan& plan, View spectrum) { return of_circle(plan, spectrum, "convolve", false); }
Operator correlate(const Plan& plan, View spectrum) { return of_circle(plan, spectrum, "correlate", true); }

Operator inverse_laplace(const Plan& plan, std::span<const double> lengths, Stencil stencil, double shift) {
  const WaveNumbers waves(plan, lengths);
  if (!(shift >= 0 && std::isfinite(shift)))
    refuse_argument(
        fmt::format("the shift of inverse_laplace() is not negative, and finite: below 0 it may divide by nothing; got "
                    "{}",
                    shift));
  return of_sum(
      plan, waves, laplace_tables(waves, stencil),
      [shift](double k2) { return k2 + shift == 0 ? 0 : 1 / (k2 + shift); },
      [shift](const Term& k2, Formula&) {
        return 1.0 / replace_zero(k2 + shift, std::numeric_limits<double>::infinity());
      });
}

Operator derivative(const Plan& plan, int axis, int order, double length) {
  const int dims = plan.middle().global().dims(), at = axis < 0 ? axis + dims : axis;
  const WaveNumbers waves(plan, std::vector<double>(static_cast<std::size_t>(dims), length));
  if (at < 0 || at >= dims || !waves.transforms(at))
    refuse_argument(
        fmt::format("derivative() is along a transformed axis; got {}; transform it, or name another one", axis));
  if (order < 1) refuse_argument(fmt::format("a derivative has an order of 1 or more; got {}", order));
  if (order % 2 == 1) waves.require_fourier(at, "a derivative of odd order");
  std::vector<std::vector<std::complex<double>>> tables(static_cast<std::size_t>(dims));
  constexpr std::complex<double> turns[] = {1, {0, 1}, -1, {0, -1}};
  for (const double k : order % 2 == 1 ? waves.odd(at) : waves.k(at))
    tables[static_cast<std::size_t>(at)].push_back(turns[order % 4] * power(k, order));
  return separable(plan, waves, std::move(tables));
}

Operator gaussian(const Plan& plan, std::span<const double> lengths, double sigma) {
  const WaveNumbers waves(plan, lengths);
  (void)positive(sigma, "the width of a gaussian");
  std::vector<std::vector<std::complex<double>>> tables(static_cast<std::size_t>(waves.dims()));
  for (const int a : waves.axes())
    for (const double k : waves.k(a))
      tables[static_cast<std::size_t>(a)].emplace_back(nearest_exp(-sigma * sigma * k * k / 2));
  return separable(plan, waves, std::move(tables));
}

Operator lowpass(const Plan& plan, std::span<const double> lengths, double cutoff) {
  const WaveNumbers waves(plan, lengths);
  const double most = positive(cutoff, "the cutoff of a lowpass") * cutoff;
  return of_sum(
      plan, waves, laplace_tables(waves, Stencil::spectral), [most](double k2) { return k2 <= most ? 1.0 : 0.0; },
      [most](const Term& k2, Formula& f) { return is_at_most(k2, f.number(most)); });
}

Operator shift(const Plan& plan, std::span<const double> lengths, std::span<const double> distances) {
  const WaveNumbers waves(plan, lengths);
  if (static_cast<int>(distances.size()) != waves.dims())
    refuse_argument(
        fmt::format("shift() has one distance for each axis of the array, {}; got {}", waves.dims(), distances.size()));
  std::vector<std::vector<std::complex<double>>> tables(static_cast<std::size_t>(waves.dims()));
  for (const int a : waves.axes()) {
    const double distance = distances[static_cast<std::size_t>(a)];
    if (!std::isfinite(distance))
      refuse_argument(fmt::format("distances of shift() are finite; got {} along axis {}", distance, a));
    if (distance == 0) continue;
    waves.require_fourier(a, "a shift");
    for (std::size_t i = 0; i < waves.k(a).size(); ++i) {
      const double turn = waves.k(a)[i] * distance;
      // The highest frequency of an even number is a cosine: of what lies between its points nothing is known.
      const double sine = waves.is_middle(a, static_cast<Index>(i)) ? 0 : -nearest_sin(turn);
      tables[static_cast<std::size_t>(a)].emplace_back(nearest_cos(turn), sine);
    }
  }
  return separable(plan, waves, std::move(tables));
}

}  // namespace spectral

}  // namespace shardfft
