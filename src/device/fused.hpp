// Fused transforms: a kernel gathers pencils from anywhere, transforms them on the chip and scatters them to anywhere, in one pass over memory. Lengths are those that a device has kernels for.
#pragma once

#include <cstddef>
#include <string_view>

#include "device/kernels/prepared_move.hpp"
#include "support/scalar.hpp"

namespace shardfft {

class Queue;

/// A family of pencils, c2c. Element k of pencil (o0, o1, ..., v) is at k, v and outer steps from where the array begins, at either end; all in bytes, multiples of a complex number, negative ones too.
/// Every extent is at least 1. `from` may be `to` where all steps are the same.
struct FusedSpec {
  static constexpr int most_outer = 4;
  Scalar scalar = Scalar::f64;
  bool backward = false;
  MoveAxis k{}, v{};             ///< along a pencil; from one to the next: those that a block takes together
  int outer_axes = 0;
  MoveAxis outer[most_outer]{};  ///< slowest first
  double scale = 1;              ///< every result is multiplied with it
};

/// The kernels of one kind of device; there is one object of each.
struct FusedKernels {
  virtual ~FusedKernels() = default;
  [[nodiscard]] virtual std::string_view space() const = 0;
  /// Whether there is a kernel for pencils of `n` elements.
  [[nodiscard]] virtual bool supports(Index n, Scalar scalar) const = 0;
  /// Later, on a queue of that kind of device. Throws Error(unsupported) where supports() is false, Error(invalid_argument) for a family that breaks the rules above.
  virtual void run(Queue& queue, const FusedSpec& spec, const std::byte* from, std::byte* to) const = 0;
};

/// nullptr where no kernels were compiled in for devices of that space.
[[nodiscard]] const FusedKernels* find_fused(std::string_view space);

/// Throws Error(invalid_argument): the rule, what it got.
void check(const FusedSpec& spec, const std::byte* from, const std::byte* to);

[[nodiscard]] const FusedKernels& cuda_fused();
[[nodiscard]] const FusedKernels& pretended_fused();

}  // namespace shardfft
