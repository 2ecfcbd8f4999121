// Parameters of codecs for a norm that only the device knows, from those for a norm of 1: steps grow with the norm; the
// scale of a cast is a power of two that shrinks by the norm's power of two.
#pragma once

#include <cmath>

#include "device/kernels/codec/codec_block.hpp"
#include "device/kernels/launch.hpp"

namespace shardfft::kernels {

/// x rounded to a number of type T that is not larger; x > 0.
template <class T>
SHARDFFT_HD double rounded_down(double x) {
  if constexpr (sizeof(T) == 8) return x;
  const auto nearest = static_cast<float>(x);
  return nearest <= x ? nearest : same_bits<float>(same_bits<std::uint32_t>(nearest) - 1);
}

/// The parameter for `norm`, a normal number; NaN where there is none.
template <class T>
SHARDFFT_HD double parameter_for(double norm, double of_one, BlockFormat format) {
  const double none = same_bits<double>(std::uint64_t{0x7FF8000000000000U});
  if (of_one != of_one) return none;
  const double power = same_bits<double>(same_bits<std::uint64_t>(norm) & 0x7FF0000000000000U);
  const double parameter = format == BlockFormat::block_float ? rounded_down<T>(mul(of_one, norm)) : div(of_one, power);
  return is_parameter<T>(parameter, format) ? parameter : none;
}

template <class T>
struct ScaleTries {
  static constexpr int threads = 128, phases = 1;
  using Shared = NoShared;
  SetTries task{};
  SHARDFFT_HD Index blocks() const { return (task.groups + threads - 1) / threads; }
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index g = block * threads + thread;
    if (g >= task.groups) return;
    const double norm2 = task.norm2[task.unit_of[g]];
    const bool usual = norm2 > task.least_norm2 && norm2 < task.most_norm2;  // false for NaN
    const double norm = sqrt(usual ? norm2 : 1.0);
    for (int a = 0; a < 2; ++a) {
      const double parameter = parameter_for<T>(norm, task.parameter[a * task.groups + g], task.format);
      task.attempt[a * task.groups + g] = {
          .parameter = usual ? parameter : same_bits<double>(std::uint64_t{0x7FF8000000000000U}),
          .allowed2 = mul(task.allowed2[g], norm2),
          .format = task.format};
    }
    task.attempt[2 * task.groups + g] = {};
  }
};

}  // namespace shardfft::kernels
