#include "engine/native/filter.hpp"

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

/// C exp(-i pi n c^2 / L^2) / L. The phase is a turn or two at most, so that it need not be reduced in integers.
Root own_root(Index n, Index c, const FourStepFactors& halves) {
  const auto length = static_cast<long double>(halves.length()), part = static_cast<long double>(c) / length;
  const long double angle = pi * (0.25L - static_cast<long double>(n) * part * part),
                    scale = std::sqrt(static_cast<long double>(n)) / length;
  return {scale * std::cos(angle), scale * std::sin(angle)};
}

/// exp(2 pi i n k / order)
Root turned_root(Index n, Index k, Index order) {
  const Root w = RootOfUnity{n % order, order}.times(k).root();
  return {w.re, -w.im};
}

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
Scalars<T> own_table(Index n, const FourStepFactors& halves, Index lanes) {
  const std::vector<Index> groups = tile_starts(halves.first, lanes);
  Scalars<T> table(4 * lanes * static_cast<Index>(groups.size()));
  const long double sign = n % 2 == 0 ? 1 : -1;
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

/// U(n + n q / L) for q <= first * ends
template <class T>
Scalars<T> end_table(Index n, const FourStepFactors& halves, Index ends) {
  Scalars<T> table(halves.first * ends + 1);
  const double root = root_of(n), wide = std::sqrt(static_cast<double>(pi)),
               ratio = root / static_cast<double>(halves.length());
  for (Index q = 0; q <= halves.first * ends; ++q)
    table.get()[q] = static_cast<T>(std::erfc(wide * (ratio * static_cast<double>(q) - step_of_window)) / 2);
  return table;
}

}  // namespace

Index least_filtered_length(Index n) { return 2 * n + static_cast<Index>(std::ceil(2 * step_of_window * root_of(n))); }

template <class T>
ChirpFilter<T>::ChirpFilter(Index n, const FourStepFactors& halves, Index lanes)
    : halves_(halves),
      ends_(elements_of_end(n, halves)),
      near_(near_factors<T>({n, halves.length() * halves.second}, halves.second, lanes, false,
                            [&](Index d) { return element_root(n, d, halves); })),
      turned_(turned_table<T>(n, halves)),
      own_(own_table<T>(n, halves, lanes)),
      end_(end_table<T>(n, halves, ends_)),
      far_({n, halves.length() * halves.second}, halves.second, tile_starts(halves.first, lanes), lanes, false) {}

template class ChirpFilter<float>;
template class ChirpFilter<double>;

}  // namespace shardfft::native
