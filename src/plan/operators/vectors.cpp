// Operators on fields of vectors: gradient, divergence, curl, projection.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "plan/operators/modes_formula.hpp"
#include "plan/operators/wave_numbers.hpp"
#include "shardfft/error.hpp"

namespace shardfft {
namespace {

constexpr std::size_t max_axes = max_dims;  // that a plan transforms

/// `Act`(k, in, out) of one mode, at numbers k of the transformed axes, which are odd functions.
template <class T, class Act>
struct OfVectors {
  std::vector<int> axes;
  std::vector<AxisTable> tables;  // of these axes
  Act act;

  void operator()(const Modes& m) const {
    std::array<T, max_axes> k{};
    std::array<std::complex<T>, max_axes> in{}, out{};
    std::array<std::complex<T>*, max_axes> values{};
    for (int c = 0; c < std::max(m.components_in, m.components_out); ++c)
      values[static_cast<std::size_t>(c)] = m.values<T>(c).data();
    for (Index i = 0; i < m.count; ++i) {
      for (std::size_t a = 0; a < axes.size(); ++a)
        k[a] = static_cast<T>(tables[a][static_cast<std::size_t>(m.first[axes[a]] + (axes[a] == m.axis ? i : 0))]);
      for (std::size_t c = 0; c < static_cast<std::size_t>(m.components_in); ++c) in[c] = values[c][i];
      act(axes.size(), k, in, out);
      for (std::size_t c = 0; c < static_cast<std::size_t>(m.components_out); ++c) values[c][i] = out[c];
    }
  }
};

template <class T>
std::complex<T> times_i(T k, std::complex<T> v) {
  return {-k * v.imag(), k * v.real()};
}

/// A complex number of each mode, with the arithmetic that operators need.
struct ComplexTerm {
  Term re, im;
  ComplexTerm& operator+=(const ComplexTerm& other) { return *this = {re + other.re, im + other.im}; }
  friend ComplexTerm operator-(const ComplexTerm& a, const ComplexTerm& b) { return {a.re - b.re, a.im - b.im}; }
  friend ComplexTerm operator*(const Term& k, const ComplexTerm& v) { return {k * v.re, k * v.im}; }
};
// v / k2, but v where k2 is 0.
template <class T>
std::complex<T> over(std::complex<T> v, T k2) {
  return k2 > 0 ? v / k2 : v;
}
ComplexTerm over(const ComplexTerm& v, const Term& k2) {
  const Term by = replace_zero(k2, 1);
  return {v.re / by, v.im / by};
}
ComplexTerm times_i(const Term& k, const ComplexTerm& v) { return {-k * v.im, k * v.re}; }

/// `act` in terms, for a plan on a device.
template <class Act>
std::shared_ptr<const OperatorFormula> vectors_on_device(const Plan& plan, const std::vector<int>& axes,
                                                         const std::vector<AxisTable>& tables, std::size_t in,
                                                         std::size_t out, const Act& act) {
  return on_device(plan, /*each=*/false, [&](ModesFormula& f) {
    const Term zero = f.formula().number(0);
    std::vector<Term> k(max_axes, zero);
    std::vector<ComplexTerm> from(max_axes, {zero, zero}), to = from;
    for (std::size_t a = 0; a < axes.size(); ++a) k[a] = f.along(axes[a], tables[a]);
    for (std::size_t c = 0; c < in; ++c) from[c] = {f.read(static_cast<int>(c), 0), f.read(static_cast<int>(c), 1)};
    act(axes.size(), k, from, to);
    for (int c = 0; c < static_cast<int>(out); ++c) {
      f.write(c, 0, to[static_cast<std::size_t>(c)].re);
      f.write(c, 1, to[static_cast<std::size_t>(c)].im);
    }
  });
}

template <class Act>
Operator of_vectors(const Plan& plan, std::span<const double> lengths, bool from_vector, bool to_vector, Act act) {
  const WaveNumbers waves(plan, lengths);
  std::vector<AxisTable> tables;
  for (const int axis : waves.axes()) {
    waves.require_fourier(axis, "a first derivative");
    tables.push_back(waves.odd(axis));
  }
  const int vector = static_cast<int>(waves.axes().size());
  auto formula = vectors_on_device(plan, waves.axes(), tables, from_vector ? waves.axes().size() : 1,
                                   to_vector ? waves.axes().size() : 1, act);
  Operator f = waves.precision() == f32 ? Operator(OfVectors<float, Act>{waves.axes(), std::move(tables), act})
                                        : Operator(OfVectors<double, Act>{waves.axes(), std::move(tables), act});
  f.formula = std::move(formula);
  f.components_in = from_vector ? vector : 1;
  f.components_out = to_vector ? vector : 1;
  return f;
}

}  // namespace

namespace spectral {

Operator gradient(const Plan& plan, std::span<const double> lengths) {
  return of_vectors(plan, lengths, false, true, [](std::size_t n, const auto& k, const auto& in, auto& out) {
    for (std::size_t a = 0; a < n; ++a) out[a] = times_i(k[a], in[0]);
  });
}

Operator divergence(const Plan& plan, std::span<const double> lengths) {
  return of_vectors(plan, lengths, true, false, [](std::size_t n, const auto& k, const auto& in, auto& out) {
    out[0] = times_i(k[0], in[0]);
    for (std::size_t a = 1; a < n; ++a) out[0] += times_i(k[a], in[a]);
  });
}

Operator curl(const Plan& plan, std::span<const double> lengths) {
  Operator f = of_vectors(plan, lengths, true, true, [](std::size_t, const auto& k, const auto& in, auto& out) {
    out[0] = times_i(k[1], in[2]) - times_i(k[2], in[1]);
    out[1] = times_i(k[2], in[0]) - times_i(k[0], in[2]);
    out[2] = times_i(k[0], in[1]) - times_i(k[1], in[0]);
  });
  if (f.components_in != 3)
    throw Error(Status::invalid_argument,
                fmt::format("curl() is of 3 components along 3 transformed axes; got {} axes; transform three",
                            f.components_in));
  return f;
}

// v - k (k . v) / k^2.
Operator project(const Plan& plan, std::span<const double> lengths) {
  return of_vectors(plan, lengths, true, true, [](std::size_t n, const auto& k, const auto& in, auto& out) {
    auto k2 = k[0] * k[0];
    auto along = k[0] * in[0];
    for (std::size_t a = 1; a < n; ++a) {
      k2 += k[a] * k[a];
      along += k[a] * in[a];
    }
    along = over(along, k2);
    for (std::size_t a = 0; a < n; ++a) out[a] = in[a] - k[a] * along;
  });
}

}  // namespace spectral

}  // namespace shardfft
