// The seam to a device's library of transforms: cuFFT, hipFFT.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shardfft/box.hpp"
#include "support/scalar.hpp"

namespace shardfft {

/// What is undergone by each array of a batch; as Transform1d, over 1 to 3 axes: r2c and c2r halve the last one.
/// Nothing is scaled. What of a half spectrum no array of reals has, c2r ignores (kernels/half_spectra.hpp takes it
/// away where a library would not).
enum class DeviceTransform { forward, backward, r2c, c2r };

/// `batch` arrays of logical extents `n`, slowest axis first. They lie without gaps one after the other, but where n
/// has one axis: there element k of array b is at k * stride + b * distance elements. (Elements are complex, but real
/// at the real end of r2c and c2r.)
struct FftSpec {
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  DeviceTransform transform = DeviceTransform::forward;
  std::vector<Index> n{};
  Index batch = 1;
  Index in_stride = 1, in_distance = 0, out_stride = 1, out_distance = 0;  ///< with one axis; distance 0: without gaps
};

class Queue;

/// Ready to run, any number of times, on one queue at a time.
class Fft {
 public:
  virtual ~Fft() = default;
  [[nodiscard]] virtual std::size_t work_bytes() const = 0;
  /// `in` may be `out` for forward and backward with equal strides; it is left as it is otherwise, but by c2r, which
  /// may overwrite it. `work`: work_bytes() of the device, aligned to 256, not used by others until this is done.
  virtual void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const = 0;
  /// "cuFFT 12.0: 512 x 512, batch 64"
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace shardfft
