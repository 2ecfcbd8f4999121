// An operator that shows what it was told: it depends on every coordinate, and mixes components.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <complex>
#include <vector>

#include "shardfft/shardfft.hpp"
#include "support/oracles/local_data.hpp"
#include "support/problems/random_problem.hpp"

namespace shardfft::testing {

/// Extents of the array of points, or of its spectrum.
inline Shape extents(const Problem& p, bool of_spectrum) {
  Shape all = p.shape;
  const Coord& fewer = of_spectrum ? p.modes : p.support;
  for (int a = 0; a < fewer.dims(); ++a)
    if (fewer[a] > 0) all[a] = fewer[a];
  if (const int real = real_axis(p); of_spectrum && real >= 0) all[real] = all[real] / 2 + 1;
  return all;
}

/// What stands at global index i of an axis, computed here, not by the library: a frequency, or a place.
inline double coordinate(const Problem& p, int axis, Index i, bool of_spectrum) {
  using enum AxisKind;
  const auto found = std::find(p.axes.begin(), p.axes.end(), axis);
  if (found == p.axes.end()) return 0;
  const AxisKind kind = p.kinds.empty() ? fourier : p.kinds[static_cast<std::size_t>(found - p.axes.begin())];
  const auto n = static_cast<double>(p.shape[axis]), at = static_cast<double>(i);
  switch (kind) {
    case cosine1:
      return of_spectrum ? at : at / (n - 1);
    case cosine2:
      return of_spectrum ? at : (at + 0.5) / n;
    case cosine3:
      return of_spectrum ? at + 0.5 : at / n;
    case cosine4:
    case sine4:
      return of_spectrum ? at + 0.5 : (at + 0.5) / n;
    case sine1:
      return of_spectrum ? at + 1 : (at + 1) / (n + 1);
    case sine2:
      return of_spectrum ? at + 1 : (at + 0.5) / n;
    case sine3:
      return of_spectrum ? at + 0.5 : (at + 1) / n;
    default:
      if (!of_spectrum) return at / n;
  }
  const Index m = p.modes.dims() > 0 && p.modes[axis] > 0 ? p.modes[axis] : p.shape[axis];
  return static_cast<double>(axis != real_axis(p) && 2 * i >= m ? i - m : i);
}

/// The factor of one component out and one in, at coordinates x; `odd`: not the conjugate at the highest of an even
/// number, where spectra of reals must have it.
template <class T>
std::complex<T> mixed(int out, int in, const std::vector<double>& x, bool odd) {
  double sum = 0, squares = 0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    sum += (static_cast<double>(a) + 1) * x[a];
    squares += x[a] * x[a];
  }
  return {static_cast<T>(1 / (1 + squares) + 0.1 * out - 0.05 * in), static_cast<T>(odd ? 0.01 * sum : 0)};
}

/// Mixes all components of one element.
template <class T>
std::vector<std::complex<T>> mixed(const std::vector<std::complex<T>>& in, int out, bool complex,
                                   const std::vector<double>& x, bool odd) {
  std::vector<std::complex<T>> result(static_cast<std::size_t>(out));
  for (int d = 0; d < out; ++d)
    for (int c = 0; c < static_cast<int>(in.size()); ++c) {
      const std::complex<T> by = mixed<T>(d, c, x, odd);
      const std::complex<T> v = in[static_cast<std::size_t>(c)];
      result[static_cast<std::size_t>(d)] += complex ? by * v : std::complex<T>(by.real() * v.real(), 0);
    }
  return result;
}

/// An operator that mixes components and counts what it saw.
template <class T>
Operator mixing(std::atomic<Index>& seen, bool odd) {
  return {[&seen, odd](const Modes& m) {
    std::vector<std::complex<T>> in(static_cast<std::size_t>(m.components_in));
    std::vector<double> x(static_cast<std::size_t>(m.first.dims()));
    for (Index i = 0; i < m.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (int a = 0; a < m.first.dims(); ++a) x[static_cast<std::size_t>(a)] = m.frequency(a, i);
      for (int c = 0; c < m.components_in; ++c)
        in[static_cast<std::size_t>(c)] = m.complex ? m.values<T>(c)[at] : std::complex<T>(m.reals<T>(c)[at], 0);
      const auto out = mixed(in, m.components_out, m.complex, x, odd);
      for (int c = 0; c < m.components_out; ++c)
        if (m.complex)
          m.values<T>(c)[at] = out[static_cast<std::size_t>(c)];
        else
          m.reals<T>(c)[at] = out[static_cast<std::size_t>(c)].real();
    }
    seen += m.count;
  }};
}

/// Mixes those elements of a whole array that lie in `boxes`. `components`: seen together along axis 0, or 0.
template <class T>
Whole mixed(const Whole& all, const std::vector<Box>& boxes, const Problem& p, bool complex, bool of_spectrum,
            int components_in, int components_out) {
  Whole result{.shape = all.shape};
  if (components_in > 0) result.shape[0] = components_out;
  result.values.resize(static_cast<std::size_t>(product(result.shape)));
  for (Box box : boxes) {
    if (box.empty()) continue;
    if (components_in > 0) box.hi[0] = box.lo[0] + 1;
    for_each(box, [&](Coord at) {
      std::vector<double> x;
      for (int a = 0; a < at.dims(); ++a) x.push_back(coordinate(p, a, at[a], of_spectrum));
      std::vector<std::complex<T>> in;
      for (int c = 0; c < std::max(1, components_in); ++c) {
        if (components_in > 0) at[0] = c;
        in.emplace_back(static_cast<T>(all.at(at).real()), static_cast<T>(all.at(at).imag()));
      }
      const auto out = mixed(in, std::max(1, components_out), complex, x, p.kind == c2c);
      for (std::size_t c = 0; c < out.size(); ++c) {
        if (components_in > 0) at[0] = static_cast<Index>(c);
        result.at(at) = out[c];
      }
    });
  }
  return result;
}

}  // namespace shardfft::testing
