#include "plan/operators/diagonal.hpp"

#include <limits>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "shardfft/operators/elementary.hpp"
#include "support/refuse.hpp"

namespace shardfft {
namespace {

double power(double x, int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= x;
  return result;
}

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
Factor along_axes(ModesFormula& f, const FactorTables& tables, bool complex) {
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

std::vector<AxisTable> real_parts(const FactorTables& tables) {
  std::vector<AxisTable> all(tables.size());
  for (std::size_t a = 0; a < tables.size(); ++a)
    for (const auto& number : tables[a]) all[a].push_back(number.real());
  return all;
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
  Diagonal made;
  made.host = of_elements(precision, complex, [&](auto value) {
    return Stored<decltype(value)>{static_cast<const decltype(value)*>(factors.data), conjugated};
  });
  made.terms = [=](ModesFormula& all) {
    const Term re = all.beside(factors.data, 0);
    if (!complex) return Factor{re};
    const Term im = all.beside(factors.data, 1);
    return Factor{re, conjugated ? -im : im};
  };
  return multiplied_by(plan, {made});
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

FactorTables no_tables(const WaveNumbers& waves) { return FactorTables(static_cast<std::size_t>(waves.dims())); }

}  // namespace

double positive(double value, const char* what) {
  if (value > 0 && std::isfinite(value)) return value;
  refuse_argument(fmt::format("{} is positive and finite; got {}", what, value));
}

Operator multiplied_by(const Plan& plan, const std::vector<Diagonal>& parts) {
  Operator f = parts.front().host;
  if (parts.size() > 1) {
    f = Operator([parts](const Modes& m) {
      for (const Diagonal& part : parts) part.host.run(part.host.self.get(), m);
    });
    f.components_out = -1;
  }
  f.formula = on_device(plan, /*each=*/true, [&](ModesFormula& all) {
    const bool complex = plan.middle_is_complex();
    Factor value{all.read(0, 0), complex ? std::optional(all.read(0, 1)) : std::nullopt};
    for (const Diagonal& part : parts) value = part.terms(all) * value;
    all.write(0, 0, value.re);
    if (complex) all.write(0, 1, *value.im);
  });
  return f;
}

Diagonal separable(const WaveNumbers& waves, FactorTables tables) {
  const bool complex = std::any_of(tables.begin(), tables.end(), [](const auto& table) {
    return std::any_of(table.begin(), table.end(), [](const auto& number) { return number.imag() != 0; });
  });
  const auto with = [&]<class Number>(const std::vector<std::vector<Number>>& numbers) {
    return of_elements(waves.precision(), waves.complex(),
                       [&](auto value) { return Separable<decltype(value), Number>{numbers}; });
  };
  Diagonal made;
  made.host = complex ? with(tables) : with(real_parts(tables));
  made.terms = [tables = std::move(tables), complex](ModesFormula& f) { return along_axes(f, tables, complex); };
  return made;
}

std::vector<AxisTable> laplace_tables(const WaveNumbers& waves, Stencil stencil) {
  std::vector<AxisTable> tables;
  for (int a = 0; a < waves.dims(); ++a)
    tables.push_back(waves.transforms(a) ? waves.laplace(a, stencil) : AxisTable());
  return tables;
}

FactorTables gaussian_tables(const WaveNumbers& waves, std::span<const double> factors) {
  FactorTables tables = no_tables(waves);
  for (const int a : waves.axes())
    if (const double factor = factors[static_cast<std::size_t>(a)]; factor != 0)
      for (const double k : waves.k(a)) tables[static_cast<std::size_t>(a)].emplace_back(nearest_exp(-factor * k * k));
  return tables;
}

FactorTables derivative_tables(const WaveNumbers& waves, int axis, int order) {
  const int dims = waves.dims(), at = axis < 0 ? axis + dims : axis;
  if (at < 0 || at >= dims || !waves.transforms(at))
    refuse_argument(
        fmt::format("derivative() is along a transformed axis; got {}; transform it, or name another one", axis));
  if (order < 1) refuse_argument(fmt::format("a derivative has an order of 1 or more; got {}", order));
  if (order % 2 == 1) waves.require_fourier(at, "a derivative of odd order");
  FactorTables tables = no_tables(waves);
  constexpr std::complex<double> turns[] = {1, {0, 1}, -1, {0, -1}};
  for (const double k : order % 2 == 1 ? waves.odd(at) : waves.k(at))
    tables[static_cast<std::size_t>(at)].push_back(turns[order % 4] * power(k, order));
  return tables;
}

FactorTables shift_tables(const WaveNumbers& waves, std::span<const double> distances) {
  if (static_cast<int>(distances.size()) != waves.dims())
    refuse_argument(
        fmt::format("shift() has one distance for each axis of the array, {}; got {}", waves.dims(), distances.size()));
  FactorTables tables = no_tables(waves);
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
  return tables;
}

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
  return multiplied_by(
      plan, {function_of(waves, laplace_tables(waves, stencil), Combined::sum, [shift](const auto& k2, const auto&) {
        return 1.0 / replace_zero(k2 + shift, std::numeric_limits<double>::infinity());
      })});
}

Operator derivative(const Plan& plan, int axis, int order, double length) {
  const WaveNumbers waves(plan, std::vector<double>(static_cast<std::size_t>(plan.middle().global().dims()), length));
  return multiplied_by(plan, {separable(waves, derivative_tables(waves, axis, order))});
}

Operator gaussian(const Plan& plan, std::span<const double> lengths, double sigma) {
  const WaveNumbers waves(plan, lengths);
  (void)positive(sigma, "the width of a gaussian");
  const std::vector<double> factors(static_cast<std::size_t>(waves.dims()), sigma * sigma / 2);
  return multiplied_by(plan, {separable(waves, gaussian_tables(waves, factors))});
}

Operator lowpass(const Plan& plan, std::span<const double> lengths, double cutoff) {
  const WaveNumbers waves(plan, lengths);
  const double most = positive(cutoff, "the cutoff of a lowpass") * cutoff;
  return multiplied_by(
      plan, {function_of(waves, laplace_tables(waves, Stencil::spectral), Combined::sum,
                         [most](const auto& k2, const auto& number) { return is_at_most(k2, number(most)); })});
}

Operator shift(const Plan& plan, std::span<const double> lengths, std::span<const double> distances) {
  const WaveNumbers waves(plan, lengths);
  return multiplied_by(plan, {separable(waves, shift_tables(waves, distances))});
}

}  // namespace spectral

}  // namespace shardfft
