// What operators are made of that multiply each mode with one factor.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "plan/operators/along_row.hpp"
#include "plan/operators/factor_rows.hpp"
#include "plan/operators/modes_formula.hpp"
#include "plan/operators/wave_numbers.hpp"

namespace shardfft {

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

/// One factor of each mode: for the host, and in terms for devices.
struct Diagonal {
  Operator host;
  std::function<Factor(ModesFormula&)> terms;
};

/// Multiplies each mode with all of these, one after the other.
[[nodiscard]] Operator multiplied_by(const Plan& plan, const std::vector<Diagonal>& parts);

/// A table for each axis, by global index; an empty one has no part in it.
using FactorTables = std::vector<std::vector<std::complex<double>>>;
/// The product of a factor from each axis, rounded once to the precision of elements.
[[nodiscard]] Diagonal separable(const WaveNumbers& waves, FactorTables tables);

template <class Value>
struct RealOf {
  using type = Value;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};

template <class Value>
Value* values_of(const Modes& m, int component) {
  return reinterpret_cast<Value*>(m.data + component * m.component_bytes);
}

/// `make`(a value of the type that operators of this plan see).
template <class Make>
Operator of_elements(Precision precision, bool complex, const Make& make) {
  Operator f = precision == f32 ? complex ? Operator(make(std::complex<float>())) : Operator(make(float()))
               : complex ? Operator(make(std::complex<double>()))
                                : Operator(make(double()));
  f.components_out = -1;  // as many as it takes
  return f;
}

constexpr Index row_block = 256;  // factors that are made at once

/// How numbers of the axes become one.
enum class Combined { sum, product };

// What functions of numbers and of terms call alike.
inline double is_at_most(double a, double b) { return a <= b ? 1 : 0; }
inline double replace_zero(double a, double b) { return a == 0 ? b : a; }
struct AsNumber {
  double operator()(double x) const { return x; }
};

/// Some real function of the sum, or product, of a number from each axis.
template <class Value, class Function>
struct OfTables {
  std::vector<AxisTable> tables;
  Combined combined;
  Function function;

  void operator()(const Modes& m) const {
    double numbers[row_block];
    typename RealOf<Value>::type factors[row_block];
    for (Index begin = 0; begin < m.count; begin += row_block) {
      const Index count = std::min(row_block, m.count - begin);
      combine(m, begin, std::span(numbers, static_cast<std::size_t>(count)));
      for (Index i = 0; i < count; ++i)
        factors[i] = static_cast<typename RealOf<Value>::type>(function(numbers[i], AsNumber()));
      for (int c = 0; c < m.components_in; ++c) multiply_row(values_of<Value>(m, c) + begin, factors, count);
    }
  }

 private:
  void combine(const Modes& m, Index begin, std::span<double> row) const {
    if (combined == Combined::sum)
      combine_along_row(tables, m, begin, row, 0.0, [](std::span<double> all, double number) {
        for (double& sum : all) sum += number;
      });
    else
      combine_along_row(tables, m, begin, row, 1.0, [](std::span<double> all, double number) {
        for (double& product : all) product *= number;
      });
  }
};

/// `function(x, number)` is written once, for numbers and for terms: number(2.5) is a constant of the same kind as x.
///   tables   of each axis; empty ones have no part in it
template <class Function>
Diagonal function_of(const WaveNumbers& waves, std::vector<AxisTable> tables, Combined combined, Function function) {
  Diagonal made;
  made.terms = [tables, combined, function](ModesFormula& f) {
    Term all = f.formula().number(combined == Combined::sum ? 0 : 1);
    for (std::size_t a = 0; a < tables.size(); ++a) {
      if (tables[a].empty()) continue;
      const Term own = f.along(static_cast<int>(a), tables[a]);
      all = combined == Combined::sum ? all + own : all * own;
    }
    return Factor{function(all, [&f](double x) { return f.formula().number(x); })};
  };
  made.host = of_elements(waves.precision(), waves.complex(), [&](auto value) {
    return OfTables<decltype(value), Function>{std::move(tables), combined, function};
  });
  return made;
}

/// Numbers of each axis whose sum is |k|^2, or its difference.
[[nodiscard]] std::vector<AxisTable> laplace_tables(const WaveNumbers& waves, Stencil stencil);

/// exp(-factor k^2) along each axis, as factors; `factors`: of each axis of the array.
[[nodiscard]] FactorTables gaussian_tables(const WaveNumbers& waves, std::span<const double> factors);
[[nodiscard]] FactorTables derivative_tables(const WaveNumbers& waves, int axis, int order);
[[nodiscard]] FactorTables shift_tables(const WaveNumbers& waves, std::span<const double> distances);

/// Throws Error(invalid_argument) unless it is.
[[nodiscard]] double positive(double value, const char* what);

}  // namespace shardfft
