// A plain transform of one line in O(n log n) for every n. Its roots are accurate to the last bits of Real; it is there
// to be right, not to be fast.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "shardfft/box.hpp"
#include "support/pi.hpp"

namespace shardfft::emulated {

/// y_k = sum over j of x_j exp(-2 pi i j k / n). By prime factors up to 31; other lengths as a convolution (Bluestein).
template <class Real>
class Dft {
 public:
  using Complex = std::complex<Real>;

  explicit Dft(Index n) : n_(n) {
    Index rest = n;
    for (Index p = 2; p <= most_prime; ++p)
      for (; rest % p == 0; rest /= p) factors_.push_back(p);
    if (rest > 1)
      prepare_convolution();
    else
      roots_ = roots(n);
  }
  [[nodiscard]] Index n() const { return n_; }

  /// `out` is not `in`; n elements each.
  void run(const Complex* in, Complex* out) const {
    if (convolution_)
      convolve(in, out);
    else
      recurse(in, 1, out, n_, 0);
  }

 private:
  static constexpr Index most_prime = 31;

  // Without the test for infinities that std::complex makes.
  [[nodiscard]] static Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  // exp(-2 pi i k / n), 0 <= k < n, from an angle in [0, pi / 4], where neither sine nor cosine loses bits.
  [[nodiscard]] static Complex root(Index k, Index n) {
    const Index octant = 8 * k / n, rest = 8 * k % n;
    const long double angle =
        long_pi / 4 * static_cast<long double>(octant % 2 ? n - rest : rest) / static_cast<long double>(n);
    const auto c = static_cast<Real>(std::cos(angle)), s = static_cast<Real>(std::sin(angle));
    const Complex by_octant[] = {{c, -s}, {s, -c}, {-s, -c}, {-c, -s}, {-c, s}, {-s, c}, {s, c}, {c, s}};
    return by_octant[octant];
  }
  [[nodiscard]] static std::vector<Complex> roots(Index n) {
    std::vector<Complex> all(static_cast<std::size_t>(n));
    for (Index k = 0; k < n; ++k) all[static_cast<std::size_t>(k)] = root(k, n);
    return all;
  }
  [[nodiscard]] Complex root_of_step(Index k, Index step) const {
    return roots_[static_cast<std::size_t>(k * step % n_)];
  }

  // `count` elements `stride` apart: transforms of every p-th element, joined with their roots.
  void recurse(const Complex* in, Index stride, Complex* out, Index count, std::size_t level) const {
    if (count == 1) {
      *out = *in;
      return;
    }
    const Index p = factors_[level], part = count / p;
    for (Index r = 0; r < p; ++r) recurse(in + r * stride, stride * p, out + r * part, part, level + 1);
    Complex x[most_prime];
    for (Index k = 0; k < part; ++k) {
      for (Index r = 0; r < p; ++r) x[r] = times(out[r * part + k], root_of_step(r * k, stride));
      for (Index q = 0; q < p; ++q) {
        Complex sum = x[0];
        for (Index r = 1; r < p; ++r) sum += times(x[r], root_of_step(r * q % p, n_ / p));
        out[q * part + k] = sum;
      }
    }
  }

  // j k = (j^2 + k^2 - (k - j)^2) / 2, so that the transform is a convolution with exp(pi i j^2 / n).
  //   source Bluestein, A linear filtering approach to the computation of the discrete Fourier transform, 1970
  void prepare_convolution() {
    Index size = 1;
    while (size < 2 * n_ - 1) size *= 2;
    convolution_ = std::make_unique<Dft>(size);
    std::vector<Complex> wave(static_cast<std::size_t>(size));
    chirp_.resize(static_cast<std::size_t>(n_));
    for (Index j = 0, square = 0; j < n_; square = (square + 2 * j + 1) % (2 * n_), ++j) {
      const auto c = chirp_[static_cast<std::size_t>(j)] = root(square, 2 * n_);
      wave[static_cast<std::size_t>(j)] = wave[static_cast<std::size_t>((size - j) % size)] = std::conj(c);
    }
    wave_.resize(wave.size());
    convolution_->run(wave.data(), wave_.data());
  }
  void convolve(const Complex* in, Complex* out) const {
    const Index size = convolution_->n();
    std::vector<Complex> a(static_cast<std::size_t>(size)), b(a.size());
    for (std::size_t j = 0; j < chirp_.size(); ++j) a[j] = times(in[j], chirp_[j]);
    convolution_->run(a.data(), b.data());
    for (std::size_t j = 0; j < b.size(); ++j)
      b[j] = std::conj(times(b[j], wave_[j]));  // conjugated before and after: the inverse
    convolution_->run(b.data(), a.data());
    for (std::size_t j = 0; j < chirp_.size(); ++j)
      out[j] = times(std::conj(a[j]) / static_cast<Real>(size), chirp_[j]);
  }

  Index n_;
  std::vector<Index> factors_{};
  std::vector<Complex> roots_{};
  std::unique_ptr<Dft> convolution_{};
  std::vector<Complex> chirp_{}, wave_{};
};

}  // namespace shardfft::emulated
