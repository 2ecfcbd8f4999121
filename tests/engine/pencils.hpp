// Pencils by name: what a test puts into a kernel and takes out of it, element by element, and what it should be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace shardfft::testing {

using Wide = long double;
using Pencil = std::vector<std::complex<Wide>>;  // a real pencil has no imaginary parts

/// Memory as kernels want it.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes)
      : data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(64)))) {
    std::memset(data_.get(), 0x55, bytes);
  }
  [[nodiscard]] std::byte* data() { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

/// Place of element k of pencil v in a tile; part 0 is the real one.
template <class T>
T& element(const TileFormat& f, std::byte* tile, Index k, Index v, int part) {
  const Index parts = f.complex ? 2 : 1;
  const Index at = f.order == TileFormat::Order::lanes ? f.place(k) * parts * f.pencils + part * f.pencils + v
                                                       : v * f.ld + f.place(k) * parts + part;
  return reinterpret_cast<T*>(tile)[at];
}

template <class T>
void put(const TileFormat& f, std::byte* tile, Index v, const Pencil& pencil) {
  for (Index k = 0; k < f.length; ++k) {
    element<T>(f, tile, k, v, 0) = static_cast<T>(pencil[static_cast<std::size_t>(k)].real());
    if (f.complex) element<T>(f, tile, k, v, 1) = static_cast<T>(pencil[static_cast<std::size_t>(k)].imag());
  }
}

template <class T>
Pencil take(const TileFormat& f, std::byte* tile, Index v) {
  Pencil pencil;
  for (Index k = 0; k < f.length; ++k)
    pencil.emplace_back(element<T>(f, tile, k, v, 0), f.complex ? element<T>(f, tile, k, v, 1) : T(0));
  return pencil;
}

/// Runs a kernel on as many pencils as its tile has.
template <class T>
std::vector<Pencil> transformed(const Kernel& kernel, const std::vector<Pencil>& pencils) {
  AlignedBytes a(kernel.buffer_bytes()), b(kernel.buffer_bytes());
  for (int v = 0; v < kernel.in().pencils; ++v) put<T>(kernel.in(), a.data(), v, pencils[static_cast<std::size_t>(v)]);
  std::byte* result = kernel.run(a.data(), b.data());
  std::vector<Pencil> out;
  for (int v = 0; v < kernel.out().pencils; ++v) out.push_back(take<T>(kernel.out(), result, v));
  return out;
}

template <class T>
Pencil scaled(Pencil pencil, double scale) {
  for (auto& x : pencil)
    x = {static_cast<T>(static_cast<T>(x.real()) * static_cast<T>(scale)),
         static_cast<T>(static_cast<T>(x.imag()) * static_cast<T>(scale))};
  return pencil;
}

inline bool is_real_in(Transform1d t) { return t == Transform1d::r2c; }
inline bool is_real_out(Transform1d t) { return t == Transform1d::c2r; }
inline Index input_length(Transform1d t, Index n) { return is_real_out(t) ? n / 2 + 1 : n; }

/// Uniform numbers of the scalar type, so that the reference sees exactly what the kernel sees.
template <class T>
Pencil random_pencil(std::mt19937_64& random, Index length, bool real) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Pencil pencil;
  for (Index k = 0; k < length; ++k) {
    const double re = uniform(random), im = uniform(random);
    pencil.emplace_back(static_cast<T>(re), real ? T(0) : static_cast<T>(im));
  }
  return pencil;
}

/// The transform by its definition, with compensated sums; independent of the library.
class Definition {
 public:
  explicit Definition(Index n) : n_(n) {
    const Wide turn = 2 * std::acos(Wide(-1));
    for (Index j = 0; j < n; ++j) {
      const Index reduced = 8 * j <= 4 * n ? j : j - n;  // keeps the argument within half a turn
      roots_.emplace_back(std::cos(turn * static_cast<Wide>(reduced) / static_cast<Wide>(n)),
                          std::sin(turn * static_cast<Wide>(reduced) / static_cast<Wide>(n)));
    }
  }

  /// Output u of the transform of all n inputs; sign of the exponent.
  [[nodiscard]] std::complex<Wide> output(const Pencil& x, Index u, int sign) const {
    std::complex<Wide> sum = 0, lost = 0;
    for (Index k = 0; k < n_; ++k) {
      const auto w = roots_[static_cast<std::size_t>(u * k % n_)];
      const std::complex<Wide> term = x[static_cast<std::size_t>(k)] * (sign > 0 ? w : std::conj(w)) - lost;
      const std::complex<Wide> next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    return sum;
  }

 private:
  Index n_;
  Pencil roots_{};
};

/// All n inputs that a half spectrum stands for; imaginary parts of elements 0 and n/2 do not count.
inline Pencil whole_spectrum(const Pencil& half, Index n) {
  Pencil whole(static_cast<std::size_t>(n));
  for (Index k = 0; k <= n / 2; ++k) {
    const auto x = half[static_cast<std::size_t>(k)];
    whole[static_cast<std::size_t>(k)] = (k == 0 || 2 * k == n) ? x.real() : x;
    if (k > 0) whole[static_cast<std::size_t>(n - k)] = std::conj(whole[static_cast<std::size_t>(k)]);
  }
  return whole;
}

/// The inputs of the complex transform that gives the same outputs.
inline Pencil complex_inputs(const Pencil& pencil, Transform1d t, Index n) {
  return is_real_out(t) ? whole_spectrum(pencil, n) : pencil;
}
inline int sign_of(Transform1d t) { return t == Transform1d::forward || t == Transform1d::r2c ? -1 : +1; }

/// Unit roundoff.
template <class T>
constexpr double roundoff = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

template <class T>
constexpr Scalar scalar_of = sizeof(T) == 4 ? Scalar::f32 : Scalar::f64;

using FloatAndDouble = ::testing::Types<float, double>;

inline constexpr Transform1d all_transforms[] = {Transform1d::forward, Transform1d::backward, Transform1d::r2c,
                                                 Transform1d::c2r};

}  // namespace shardfft::testing
