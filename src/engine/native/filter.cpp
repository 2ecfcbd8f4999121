#include "engine/native/filter.hpp"

#include <algorithm>
#include <cmath>

namespace shardfft::native {

namespace {

constexpr double step_of_window = 4.8,
                 step_of_spectrum = 3.4;  // half widths of the steps of W and of U, in units of sqrt(n)

double root_of(Index n) { return std::sqrt(static_cast<double>(n)); }

/// Elements d of one end of the pencil.
Index elements_of_end(Index n, const FourStepFactors& halves) {
  const double q = (step_of_window + step_of_spectrum) / root_of(n) * static_cast<double>(halves.length());
  return static_cast<Index>(q) / halves.first + 1;
}

/// exp(-i pi n d^2 / second^2)
Root element_root(Index n, Index d, const FourStepFactors& halves) {
  const Index order = 2 * halves.second * halves.second;
  return RootOfUnity{n % order, order}.times(d * d).root();
}

/// C exp(-i pi n c^2 / L^2) / L, c < first. In turns, n c^2 / 2 L^2 is n (c/first)^2 / 2 second^2, a turn or two at
/// most.
Root own_root(Index n, Index c, const FourStepFactors& halves) {
  using Whole = Fixed::Magnitude;
  const Whole square = static_cast<Whole>(halves.length()) * static_cast<Whole>(halves.length()), order = 8 * square,
              turns = 4 * static_cast<Whole>(n) * static_cast<Whole>(c * c) + order - order / 8;
  const double scale = root_of(n) / static_cast<double>(halves.length());
  const Fixed rest = Fixed::ratio(static_cast<Whole>(n), square) - Fixed(scale) * Fixed(scale);
  return (Fixed(scale) + Fixed(static_cast<double>(rest) / (2 * scale))) * root_of_turn(turns % order, order);
}

/// exp(2 pi i n k / order)
Root turned_root(Index n, Index k, Index order) { return conj(RootOfUnity{n % order, order}.times(k).root()); }

template <class T>
Scalars<T> turned_table(Index n, const FourStepFactors& halves) {
  Scalars<T> table(2 * halves.second);
  for (Index d = 0; d < halves.second; ++d) {
    const Root w = turned_root(n, d, halves.second);
    table.get()[2 * d] = static_cast<T>(w.re);
    table.get()[2 * d + 1] = static_cast<T>(w.im);
  }
  return table;
}

template <class T>
Scalars<T> own_table(Index n, const FourStepFactors& halves) {
  constexpr Index lanes = widest<T>;
  const std::vector<Index> groups = tile_starts(halves.first, lanes);
  Scalars<T> table(4 * lanes * static_cast<Index>(groups.size()));
  const Fixed sign = n % 2 == 0 ? 1 : -1;
  T* to = table.get();
  for (const Index line : groups) {
    for (Index v = 0; v < lanes; ++v, ++to) {
      const Root own = own_root(n, line + v, halves), turn = turned_root(n, line + v, halves.length());
      to[0] = static_cast<T>(own.re);
      to[lanes] = static_cast<T>(own.im);
      to[2 * lanes] = static_cast<T>(sign * turn.re);
      to[3 * lanes] = static_cast<T>(sign * turn.im);
    }
    to += 3 * lanes;
  }
  return table;
}

/// exp(-pi t^2) at t = q apart - start for q < count. From the point beside 0 on, each is the one before it times a
/// number that changes by the same factor from point to point.
std::vector<Fixed> gaussians(double apart, double start, std::size_t count) {
  std::vector<Fixed> g(count);
  const Fixed step = apart;
  const auto middle = std::min(static_cast<std::size_t>(start / apart), count - 1);
  const Fixed t = Fixed::of_bits(step.bits() * static_cast<Fixed::Bits>(middle)) - Fixed(start);
  const auto gaussian = [](Fixed square) { return exp_of_small(-(fixed_pi * square)); };
  const Fixed bend = gaussian(step * (step + step));
  Fixed up = gaussian(step * (t + t + step)), down = gaussian(step * (step - t - t));
  g[middle] = gaussian(t * t);
  for (std::size_t q = middle + 1; q < count; ++q, up = up * bend) g[q] = g[q - 1] * up;
  for (std::size_t q = middle; q > 0; --q, down = down * bend) g[q - 1] = g[q] * down;
  return g;
}

/// U(n + n q / L) for q <= first * ends: 1 less the integral of exp(-pi t^2) up to t, which is a sum over the points
/// below and what Euler and Maclaurin's formula adds at the last one.
template <class T>
Scalars<T> end_table(Index n, const FourStepFactors& halves, Index ends) {
  const Index count = halves.first * ends + 1;
  Scalars<T> table(count);
  const double step = root_of(n) / static_cast<double>(halves.length()), pi = static_cast<double>(fixed_pi),
               h2 = pi * step * step;
  const std::vector<Fixed> g = gaussians(step, step_of_window, static_cast<std::size_t>(count));
  Fixed rest = 1;
  for (Index q = 0; q < count; ++q) {
    const Fixed half = Fixed(0.5 * step) * g[static_cast<std::size_t>(q)];
    const double t = static_cast<double>(q) * step - step_of_window, x2 = pi * t * t,
                 series = 1.0 / 6 - h2 * (8 * x2 - 12) / 720 + h2 * h2 * ((32 * x2 - 160) * x2 + 120) / 30240;
    rest = rest - half;
    table.get()[q] = static_cast<T>(rest - Fixed(2 * t * step * pi * series) * half);
    rest = rest - half;
  }
  return table;
}

}  // namespace

Index least_filtered_length(Index n) { return 2 * n + static_cast<Index>(std::ceil(2 * step_of_window * root_of(n))); }

template <class T>
ChirpFilter<T>::ChirpFilter(Index n, const FourStepFactors& halves)
    : halves_(halves),
      ends_(elements_of_end(n, halves)),
      near_(near_factors<T>({n, halves.length() * halves.second}, halves.second, false,
                            [&](Index d) { return element_root(n, d, halves); })),
      turned_(turned_table<T>(n, halves)),
      own_(own_table<T>(n, halves)),
      end_(end_table<T>(n, halves, ends_)),
      far_({n, halves.length() * halves.second}, halves.second, tile_starts(halves.first, widest<T>), false) {}

template class ChirpFilter<float>;
template class ChirpFilter<double>;

}  // namespace shardfft::native
