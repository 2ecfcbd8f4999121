// Fast transforms in the precision T, written down as plainly as can be: they share nothing with the library.
#pragma once

#include <array>
#include <bit>

#include "oracle.hpp"

namespace shardfft::testing {

/// A plain recursive FFT, for prime factors up to 31, in the precision under test, with its own table of twiddles, so
/// that one of them can be broken.
template <class T>
struct PlainFft {
  Index n;
  std::vector<std::complex<T>> twiddles{};

  explicit PlainFft(Index length) : n(length) {
    for (Index j = 0; j < n; ++j) twiddles.emplace_back(std::conj(turn(j, n)));
  }
  void run(const std::complex<T>* in, Index stride, std::complex<T>* out, Index length) const {
    if (length == 1) return void(out[0] = in[0]);
    Index p = 2;
    while (length % p != 0) ++p;
    const Index m = length / p, step = n / length;
    for (Index q = 0; q < p; ++q) run(in + q * stride, stride * p, out + q * m, m);
    std::array<std::complex<T>, 32> t;
    for (Index k = 0; k < m; ++k) {
      for (Index q = 0; q < p; ++q)
        t[static_cast<std::size_t>(q)] = out[q * m + k] * twiddles[static_cast<std::size_t>(q * k * step)];
      for (Index j = 0; j < p; ++j) {
        std::complex<T> sum = t[0];
        for (Index q = 1; q < p; ++q)
          sum += t[static_cast<std::size_t>(q)] * twiddles[static_cast<std::size_t>(q * j % p * (n / p))];
        out[j * m + k] = sum;
      }
    }
  }
  [[nodiscard]] std::vector<std::complex<T>> operator()(const std::vector<std::complex<T>>& x) const {
    std::vector<std::complex<T>> y(x.size());
    run(x.data(), 1, y.data(), n);
    return y;
  }
};

/// Bluestein's algorithm in the precision under test.
template <class T>
std::vector<std::complex<T>> bluestein(const std::vector<std::complex<T>>& x) {
  const auto n = static_cast<Index>(x.size()), m = static_cast<Index>(std::bit_ceil(x.size() * 2 - 1));
  std::vector<std::complex<T>> a(static_cast<std::size_t>(m)), b(a), y(x.size());
  for (Index k = 0; k < n; ++k) {
    const Wide c = std::conj(turn(k * k % (2 * n), 2 * n));
    y[static_cast<std::size_t>(k)] = std::complex<T>(c);
    a[static_cast<std::size_t>(k)] = x[static_cast<std::size_t>(k)] * std::complex<T>(c);
    b[static_cast<std::size_t>(k)] = b[static_cast<std::size_t>((m - k) % m)] = std::complex<T>(std::conj(c));
  }
  const PlainFft<T> fft(m);
  a = fft(a), b = fft(b);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  a = fft(a);
  for (Index k = 0; k < n; ++k)
    y[static_cast<std::size_t>(k)] *= a[static_cast<std::size_t>((m - k) % m)] / static_cast<T>(m);
  return y;
}

}  // namespace shardfft::testing
