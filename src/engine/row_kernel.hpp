// What kernels of foreign libraries share: pencils one after the other, each transformed alone, out of place.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/engine.hpp"

namespace shardfft {

/// The tile is a loop over pencils with one plan for one pencil: every pencil has the same alignment and meets the same
/// code, so that its bits do not depend on its place. (Batched plans of FFTW and MKL may treat the last pencils of a
/// batch by other code.)
class RowKernel : public Kernel {
 public:
  explicit RowKernel(const KernelRequest& request) : request_(request) {
    const bool real_in = request.transform == Transform1d::r2c, real_out = request.transform == Transform1d::c2r;
    const Index half = request.n / 2 + 1;
    const bool reals = is_r2r(request.transform) && !request.complex;
    in_ = rows(!real_in && !reals, real_out ? half : request.n);
    out_ = rows(!real_out && !reals, real_in ? half : request.n);
  }

  [[nodiscard]] const TileFormat& in() const override { return in_; }
  [[nodiscard]] const TileFormat& out() const override { return out_; }
  [[nodiscard]] std::size_t buffer_bytes() const override {
    return static_cast<std::size_t>(std::max(in_.scalars(), out_.scalars())) * size_of(request_.scalar);
  }
  [[nodiscard]] double nominal_flops() const override {
    const double n = static_cast<double>(request_.n), each = 5 * n * std::log2(n);
    return in_.pencils * (in_.complex && out_.complex ? each : each / 2);
  }
  [[nodiscard]] std::byte* run(std::byte* a, std::byte* b) const override {
    const auto scalar = static_cast<Index>(size_of(request_.scalar));
    for (Index v = 0; v < in_.pencils; ++v) pencil(a + v * in_.ld * scalar, b + v * out_.ld * scalar);
    return b;
  }

 protected:
  /// Transforms one pencil; both addresses are multiples of 64. The input may be overwritten.
  virtual void pencil(std::byte* in, std::byte* out) const = 0;

  /// What c2r is to ignore becomes zero, whatever the library does with it.
  template <class T>
  void clear_ignored(std::byte* half_spectrum) const {
    T* z = reinterpret_cast<T*>(half_spectrum);
    z[1] = 0;
    if (request_.n % 2 == 0) z[request_.n + 1] = 0;
  }

  /// Multiplies the ends of a pencil of a real-to-real transform, of both its parts.
  template <class T>
  void weigh(bool first, bool last, double factor, std::byte* pencil) const {
    if (!request_.orthonormal) return;
    const Index parts = request_.complex ? 2 : 1;
    T* x = reinterpret_cast<T*>(pencil);
    for (Index part = 0; part < parts; ++part) {
      if (first) x[part] *= static_cast<T>(factor);
      if (last) x[(request_.n - 1) * parts + part] *= static_cast<T>(factor);
    }
  }

  KernelRequest request_;

 private:
  /// An odd number of cache lines from pencil to pencil: aligned, and not all in the same cache sets.
  [[nodiscard]] TileFormat rows(bool complex, Index length) const {
    const auto scalar = static_cast<Index>(size_of(request_.scalar));
    const Index lines = (length * (complex ? 2 : 1) * scalar + 63) / 64 | 1;
    return {.order = TileFormat::Order::rows,
            .complex = complex,
            .pencils = pencils(),
            .length = length,
            .ld = lines * 64 / scalar};
  }
  /// Pencils per tile, 4 to 16: two buffers take about half a megabyte.
  [[nodiscard]] int pencils() const {
    const Index pair_bytes = 4 * request_.n * static_cast<Index>(size_of(request_.scalar));
    return pair_bytes * 16 <= 512 * 1024 ? 16 : pair_bytes * 8 <= 512 * 1024 ? 8 : 4;
  }

  TileFormat in_{}, out_{};
};

}  // namespace shardfft
