// Twiddle factors from their angles: no tables, which would be as long as the halves, and arithmetic that a GPU has to spare while it waits for its memory.
#pragma once

#include <cmath>
#include <cstdint>

#include "device/kernels/divisor.hpp"
#include "device/kernels/exact.hpp"
#include "device/twiddles.hpp"

namespace shardfft::kernels {

/// Quick where both are small, as tiles nearly always are.
struct TileDivisor {
  Index d = 1;
  Divisor quick{};
  TileDivisor() = default;
  explicit TileDivisor(Index divisor) : d(divisor), quick(divisor >> 31 == 0 ? static_cast<std::uint32_t>(divisor) : 1U) {}
  [[nodiscard]] SHARDFFT_HD Index operator()(Index number) const { return (number | d) >> 31 == 0 ? static_cast<Index>(quick(static_cast<std::uint32_t>(number))) : number / d; }
};

struct Turn {
  double re, im;
};

/// exp(+2 pi i m / n), 0 <= m < n < 2^50, to about an ulp: what is left of the angle beside quarter turns is at most an eighth of one, and found exactly.
SHARDFFT_HD inline Turn turn_of(Index m, Index n) {
  constexpr double half_pi = 1.57079632679489661923;
  const Index quarters = (8 * m / n + 1) / 2;
  const double angle = div(static_cast<double>(4 * m - quarters * n), static_cast<double>(n)) * half_pi;
  const double c = cos(angle), s = sin(angle);
  switch (quarters & 3) {
    case 0: return {c, s};
    case 1: return {-s, c};
    case 2: return {-c, -s};
    default: return {s, -c};
  }
}

template <class T>
struct TwiddleElements {
  static constexpr int threads = 256, phases = 1, each = 4, per_block = threads * each;
  struct Shared {};
  TwiddleTile task{};
  TileDivisor by_other_step{}, by_count{}, by_step{}, by_length{};

  explicit TwiddleElements(const TwiddleTile& t) : task(t), by_other_step(t.other_step), by_count(t.count), by_step(t.step), by_length(t.length) {}
  SHARDFFT_HD Index blocks() const { return (task.elements + per_block - 1) / per_block; }

  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    for (int i = 0; i < each; ++i)
      if (const Index e = block * per_block + i * threads + thread; e < task.elements) multiply(e);
  }

 private:
  SHARDFFT_HD void multiply(Index e) const {
    const Index row = by_other_step(e), outside = by_count(row), j = row - outside * task.count;
    const Index at = (outside * task.other_extent + task.from + j) * task.other_step + e - row * task.other_step;
    const Index before = by_step(at), k = before - by_length(before) * task.length;
    const Turn turn = turn_of(k * (task.y + j * task.y_step), task.n);
    T* const x = reinterpret_cast<T*>(task.tile) + 2 * at;
    const double re = static_cast<double>(x[0]), im = static_cast<double>(x[1]), turn_im = task.backward ? turn.im : -turn.im;
    x[0] = static_cast<T>(sub(mul(re, turn.re), mul(im, turn_im)));
    x[1] = static_cast<T>(add(mul(re, turn_im), mul(im, turn.re)));
  }
};

}  // namespace shardfft::kernels
