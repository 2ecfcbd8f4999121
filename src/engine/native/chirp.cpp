#include "engine/native/chirp.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "engine/native/long_complex.hpp"
#include "engine/native/root_products.hpp"

namespace shardfft::native {

namespace {

constexpr const char* purpose = "planning a long transform";

template <class T>
Memory scalars(Index count) {
  return Memory(allocate(static_cast<std::size_t>(count) * sizeof(T), purpose));
}

/// store(k, re, im) of exp(-i pi k^2 / n) = exp(-2 pi i (k^2 mod 2n) / 2n), k < n. Elements k and n - k differ by a sign at most: (n - k)^2 = k^2 + n (n - 2k).
template <class Store>
void for_chirp(Index n, const Store& store) {
  const Roots<double> roots(2 * n);
  const long double sign = n % 2 == 0 ? 1 : -1;
  Index square = 0;  // k^2 mod 2n
  for (Index k = 0; 2 * k <= n; ++k) {
    const Root w = roots(square);
    store(k, w.re, w.im);
    if (k > 0 && 2 * k < n) store(n - k, sign * w.re, sign * w.im);
    square += 2 * k + 1;
    while (square >= 2 * n) square -= 2 * n;
  }
}

/// From natural order to that of a sheet.
template <class T>
void fill_filter(const Sheet<T>& sheet, Index groups, Index lanes, const double* spectrum, T* to) {
  const Halves& n = sheet.n;
  const double scale = 1 / static_cast<double>(n.length());
  for (Index group = 0; group < groups; ++group) {
    const double* from = spectrum + 2 * sheet.first_line(group, lanes);
    for (Index d = 0; d < n.second; ++d, from += 2 * n.first, to += 2 * lanes)
      for (Index v = 0; v < lanes; ++v) {
        to[v] = static_cast<T>(scale * from[2 * v]);
        to[lanes + v] = static_cast<T>(scale * from[2 * v + 1]);
      }
  }
}

}  // namespace

template <class T>
LongChirp<T>::LongChirp(Index n, const Halves& halves, Index lanes) : factors_(scalars<T>(2 * (n + 2 * lanes))) {
  const Index whole = halves.length(), groups = (halves.first + lanes - 1) / lanes;
  const LongComplex<double> transform({.n = whole}, halves, *long_routines<double>(), native::routines<double>());
  const Memory a(allocate(transform.buffer_bytes(), purpose)), b(allocate(transform.buffer_bytes(), purpose));
  double* x = reinterpret_cast<double*>(a.get());
  T* factors = reinterpret_cast<T*>(factors_.get());
  std::fill_n(factors + 2 * n, 4 * lanes, T(0));
  std::fill_n(x + 2 * n, 2 * (whole - 2 * n + 1), 0.0);
  for_chirp(n, [&](Index k, long double re, long double im) {
    factors[2 * k] = static_cast<T>(re);
    factors[2 * k + 1] = static_cast<T>(im);
    for (const Index at : {k, k == 0 ? 0 : whole - k}) {
      x[2 * at] = static_cast<double>(re);
      x[2 * at + 1] = static_cast<double>(-im);
    }
  });
  const double* spectrum = reinterpret_cast<const double*>(transform.run(a.get(), b.get()));
  filter_ = scalars<T>(2 * lanes * groups * halves.second);
  fill_filter<T>({.n = halves, .lines = halves.first}, groups, lanes, spectrum, reinterpret_cast<T*>(filter_.get()));
}

template <class T>
std::shared_ptr<const LongChirp<T>> shared_chirp(Index n, const Halves& halves, Index lanes) {
  static std::mutex mutex;
  static std::map<std::tuple<Index, const LongRoutines<T>*>, std::weak_ptr<const LongChirp<T>>> known;  // the routines stand for the instruction set
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& slot = known[{n, long_routines<T>()}];
  std::shared_ptr<const LongChirp<T>> chirp = slot.lock();
  if (chirp == nullptr) slot = chirp = std::make_shared<const LongChirp<T>>(n, halves, lanes);
  return chirp;
}

template class LongChirp<float>;
template class LongChirp<double>;
template std::shared_ptr<const LongChirp<float>> shared_chirp<float>(Index, const Halves&, Index);
template std::shared_ptr<const LongChirp<double>> shared_chirp<double>(Index, const Halves&, Index);

}  // namespace shardfft::native
