// Numbers one after the other to a shorter format, and back. Multiplied in f64, whatever they are, so that powers of
// two far from 1 do no harm.
#pragma once

#include "device/cast.hpp"
#include "device/kernels/codec/codec_cast.hpp"
#include "device/kernels/launch.hpp"

namespace shardfft::kernels {

SHARDFFT_HD inline double in_double(double x) { return x; }
SHARDFFT_HD inline double in_double(float x) { return widen(x); }
SHARDFFT_HD inline void put(double x, double& to) { to = x; }
SHARDFFT_HD inline void put(double x, float& to) { to = narrow(x); }

/// Block `block` does numbers block * per_block ..., neighbours by neighbours.
struct EachNumber {
  static constexpr int threads = 256, phases = 1, each = 8, per_block = threads * each;
  using Shared = NoShared;
  CastNumbers task{};
  SHARDFFT_HD Index blocks() const { return (task.numbers + per_block - 1) / per_block; }

  template <class Do>
  SHARDFFT_HD void each_number(Index block, int thread, const Do& done) const {
    for (int k = 0; k < each; ++k)
      if (const Index i = block * per_block + k * threads + thread; i < task.numbers) done(i);
  }
};

template <class Format, class T>
struct CastedNumbers : EachNumber {
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const T* from = reinterpret_cast<const T*>(task.from);
    auto* to = reinterpret_cast<typename Format::Stored*>(task.to);
    each_number(block, thread, [&](Index i) { to[i] = Format::from(narrow(scaled(in_double(from[i]), task.scale))); });
  }
};

template <class Format, class T>
struct WidenNumbers : EachNumber {
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const auto* from = reinterpret_cast<const typename Format::Stored*>(task.from);
    T* to = reinterpret_cast<T*>(task.to);
    each_number(block, thread, [&](Index i) { put(scaled(widen(Format::to(from[i])), task.scale), to[i]); });
  }
};

}  // namespace shardfft::kernels
