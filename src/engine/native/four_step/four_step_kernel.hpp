// What kernels of long pencils share: one pencil in a tile, and where things lie in the two buffers.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/engine.hpp"
#include "engine/native/four_step/four_step_factors.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft::native {

/// How many tiles of a long pencil are read from memory, or written there, together: so that they stay in a
/// second-level cache of today; whole vectors of 64 bytes.
template <class T>
[[nodiscard]] Index tiles_together(const FourStepFactors& n, Index lanes) {
  constexpr Index most = 8, together_bytes = 512 * 1024;
  const Index tile = std::max(n.first, n.second) * 2 * widest<T> * static_cast<Index>(sizeof(T));
  return std::clamp<Index>(together_bytes / tile, 1, most) * (widest<T> / lanes);
}

/// The pencil comes and goes in buffer `a`. Buffer `b` has the matrix, behind it tiles, and behind these pointers to
/// rows.
template <class T>
class FourStepKernel : public Kernel {
 public:
  explicit FourStepKernel(const KernelRequest& request) : request_(request) {
    const Index half = request.n / 2 + 1;
    in_ = row(request.transform != Transform1d::r2c, request.transform == Transform1d::c2r ? half : request.n);
    out_ = row(request.transform != Transform1d::c2r, request.transform == Transform1d::r2c ? half : request.n);
    need_pencil(std::max(in_.scalars(), out_.scalars()));
  }

  [[nodiscard]] const TileFormat& in() const override { return in_; }
  [[nodiscard]] const TileFormat& out() const override { return out_; }
  [[nodiscard]] std::size_t buffer_bytes() const override { return std::max(pencil_, end_); }
  [[nodiscard]] std::byte* run(std::byte* a, std::byte* b) const override {
    transform(reinterpret_cast<T*>(a), b);
    return a;
  }
  [[nodiscard]] double nominal_flops() const override {
    const auto n = static_cast<double>(request_.n);
    return (in_.complex && out_.complex ? 5 : 2.5) * n * std::log2(n);
  }

 protected:
  /// The pencil at `x`, in place.
  virtual void transform(T* x, std::byte* scratch) const = 0;

  /// Imaginary parts of a half spectrum that are zero, whatever was there.
  void clear_ends(T* spectrum) const {
    spectrum[1] = 0;
    if (request_.n % 2 == 0) spectrum[request_.n + 1] = 0;
  }

  void need_pencil(Index scalars) { pencil_ = std::max(pencil_, bytes(scalars)); }
  /// Sets aside scalars in buffer `b`, and says where they begin.
  std::size_t set_aside(Index scalars) {
    const std::size_t at = end_;
    end_ += bytes(scalars);
    return at;
  }
  /// `scalars` rounded up to a multiple of 64 bytes.
  static Index scalars_aside(Index scalars) { return static_cast<Index>(bytes(scalars) / sizeof(T)); }

  KernelRequest request_;

 private:
  static std::size_t bytes(Index scalars) {
    return round_up(static_cast<std::size_t>(scalars) * sizeof(T), cache_line);
  }
  static TileFormat row(bool complex, Index length) {
    return {.order = TileFormat::Order::rows,
            .complex = complex,
            .pencils = 1,
            .length = length,
            .ld = static_cast<Index>(bytes(length * (complex ? 2 : 1)) / sizeof(T))};
  }

  TileFormat in_{}, out_{};
  std::size_t pencil_ = 0, end_ = 0;
};

}  // namespace shardfft::native
