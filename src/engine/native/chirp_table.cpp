#include "engine/native/chirp_table.hpp"

#include <algorithm>

#include "engine/native/four_step/four_step_complex.hpp"

namespace shardfft::native {

namespace {

/// store(k, re, im) of exp(-i pi k^2 / n) = exp(-2 pi i (k^2 mod 2n) / 2n), k < n. Elements k and n - k differ by a
/// sign at most: (n - k)^2 = k^2 + n (n - 2k).
template <class Store>
void for_chirp(Index n, const Store& store) {
  const Roots roots(2 * n);
  const Fixed sign = n % 2 == 0 ? 1 : -1;
  Index square = 0;  // k^2 mod 2n
  for (Index k = 0; 2 * k <= n; ++k) {
    const Root w = roots(square);
    store(k, w.re, w.im);
    if (k > 0 && 2 * k < n) store(n - k, sign * w.re, sign * w.im);
    square += 2 * k + 1;
    while (square >= 2 * n) square -= 2 * n;
  }
}

/// From natural order to that of a matrix.
template <class T>
Scalars<T> in_groups(const FourStepFactors& n, Index lanes, const double* spectrum) {
  const std::vector<Index> groups = part_starts(tile_starts(n.first, widest<T>), widest<T>, lanes);
  Scalars<T> table(2 * lanes * n.second * static_cast<Index>(groups.size()));
  const double scale = 1 / static_cast<double>(n.length());
  T* to = table.get();
  for (const Index line : groups) {
    const double* from = spectrum + 2 * line;
    for (Index d = 0; d < n.second; ++d, from += 2 * n.first, to += 2 * lanes)
      for (Index v = 0; v < lanes; ++v) {
        to[v] = static_cast<T>(scale * from[2 * v]);
        to[lanes + v] = static_cast<T>(scale * from[2 * v + 1]);
      }
  }
  return table;
}

}  // namespace

template <class T>
Scalars<T> chirp_factors(Index n) {
  constexpr Index lanes = widest<T>;
  Scalars<T> table(2 * (n + 2 * lanes));
  T* to = table.get();
  std::fill_n(to + 2 * n, 4 * lanes, T(0));
  for_chirp(n, [to](Index k, Fixed re, Fixed im) {
    to[2 * k] = static_cast<T>(re);
    to[2 * k + 1] = static_cast<T>(im);
  });
  return table;
}

template <class T>
Scalars<T> chirp_spectrum(Index n, const FourStepFactors& halves, Index lanes) {
  const Index whole = halves.length();
  const FourStepComplex<double> transform({.n = whole}, halves, *four_step_routines<double>(),
                                          native::routines<double>());
  const auto workspace = static_cast<Index>(transform.buffer_bytes() / sizeof(double));
  const Scalars<double> a(workspace), b(workspace);
  double* x = a.get();
  std::fill_n(x + 2 * n, 2 * (whole - 2 * n + 1), 0.0);
  for_chirp(n, [&](Index k, Fixed re, Fixed im) {
    for (const Index at : {k, k == 0 ? 0 : whole - k}) {
      x[2 * at] = static_cast<double>(re);
      x[2 * at + 1] = static_cast<double>(-im);
    }
  });
  const std::byte* spectrum =
      transform.run(reinterpret_cast<std::byte*>(a.get()), reinterpret_cast<std::byte*>(b.get()));
  return in_groups<T>(halves, lanes, reinterpret_cast<const double*>(spectrum));
}

template Scalars<float> chirp_factors<float>(Index);
template Scalars<double> chirp_factors<double>(Index);
template Scalars<float> chirp_spectrum<float>(Index, const FourStepFactors&, Index);
template Scalars<double> chirp_spectrum<double>(Index, const FourStepFactors&, Index);

}  // namespace shardfft::native
