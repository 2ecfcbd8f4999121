// Fused transforms: one kernel gathers pencils from anywhere, transforms them on the chip and scatters them to
// anywhere, in one pass over memory. Lengths are those that a device has kernels for.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/fft.hpp"
#include "device/moves.hpp"

namespace shardfft {

class Device;
class Queue;

/// What all pencils of one launch have in common; as FftSpec along one axis.
struct FusedSpec {
  Scalar scalar = Scalar::f64;
  DeviceTransform transform = DeviceTransform::forward;
  Index n = 1;       ///< logical length
  double scale = 1;  ///< every result is multiplied with it
  [[nodiscard]] bool real() const { return transform == DeviceTransform::r2c || transform == DeviceTransform::c2r; }
  [[nodiscard]] bool backward() const {
    return transform == DeviceTransform::backward || transform == DeviceTransform::c2r;
  }
  [[nodiscard]] bool complex_in() const { return transform != DeviceTransform::r2c; }
  [[nodiscard]] bool complex_out() const { return transform != DeviceTransform::c2r; }
  [[nodiscard]] Index length_in() const { return transform == DeviceTransform::c2r ? n / 2 + 1 : n; }
  [[nodiscard]] Index length_out() const { return transform == DeviceTransform::r2c ? n / 2 + 1 : n; }
  /// Length of the complex transform on the chip. Two reals make one complex number there.
  [[nodiscard]] Index complex_n() const { return real() ? n / 2 : n; }
  [[nodiscard]] Index element_bytes(bool complex) const {
    return static_cast<Index>(size_of(scalar)) * (complex ? 2 : 1);
  }
};

/// Elements first, first + stride, ... of every pencil of a family, `count` of them. Number i of pencil (o0, o1, ...,
/// v) is at `at` + i * step + v * pencil_step + sum of o * outer_step, bytes from the base. Everything is a multiple of
/// an element; steps may be negative.
struct PencilStretch {
  static constexpr int most_outer = BoxMove::most_axes - 2;
  Index first = 0, stride = 1, count = 1;
  MoveBase base = MoveBase::fixed;
  Index at = 0;  ///< an address where the base is `fixed`
  Index step = 0, pencil_step = 0, outer_step[most_outer] = {};
};

/// Pencils that are cut alike. The stretches of either end have every element once. They may be the same memory where
/// each element returns to its own place, or each pencil to that which it alone has.
struct PencilFamily {
  Index pencils = 1;  ///< v: those that a block takes together
  int outer_axes = 0;
  Index outer[PencilStretch::most_outer] = {};  ///< slowest first
  std::vector<PencilStretch> from{}, to{};
};

/// A table of families on a device. Lives until the queues have done with it.
class FusedList {
 public:
  virtual ~FusedList() = default;
  virtual void run(Queue& queue, const MoveBases& bases) const = 0;  ///< later, on a queue of that device
};

/// The kernels of one kind of device; there is one object of each.
struct FusedKernels {
  virtual ~FusedKernels() = default;
  [[nodiscard]] virtual std::string_view space() const = 0;
  /// Whether there is a kernel for such pencils.
  [[nodiscard]] virtual bool supports(const FusedSpec& spec) const = 0;
  /// Throws Error(unsupported) where supports() is false, Error(invalid_argument) for families that break the rules
  /// above.
  [[nodiscard]] virtual std::unique_ptr<FusedList> make(Device& device, const FusedSpec& spec,
                                                        std::span<const PencilFamily> families) const = 0;
};

/// nullptr where no kernels were compiled in for devices of that space.
[[nodiscard]] const FusedKernels* find_fused(std::string_view space);

[[nodiscard]] const FusedKernels& cuda_fused();
[[nodiscard]] const FusedKernels& emulated_fused();

}  // namespace shardfft
