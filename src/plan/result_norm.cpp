#include "plan/result_norm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace shardfft {
namespace {

/// Numbers that are too small for their squares.
class SmallNumbers {
 public:
  explicit SmallNumbers(double enough) : enough_(enough) {}

  /// False once there is one that is enough.
  template <class Real>
  bool add(const Real* x, Index count) {
    for (Index i = 0; i < count; i += block) {
      const Index n = std::min(block, count - i);
      if (!are_zeros(x + i, n) && !add_each(x + i, n)) return false;
    }
    return true;
  }
  [[nodiscard]] double norm() const { return found_ > 0 ? found_ : norm_; }

 private:
  // Arrays of zeros are usual, and many numbers are looked at together faster.
  static constexpr Index block = 256;
  template <class Real>
  static bool are_zeros(const Real* x, Index count) {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    Bits any = 0;
    for (Index i = 0; i < count; ++i) any |= std::bit_cast<Bits>(x[i]) << 1;
    return any == 0;
  }

  template <class Real>
  bool add_each(const Real* x, Index count) {
    constexpr double larger = sizeof(Real) == 4 ? 0x1p100 : 0x1p1000;
    for (Index i = 0; i < count; ++i) {
      const double size = std::abs(static_cast<double>(x[i]));
      if (!(size < enough_)) {  // NaN, too
        found_ = std::isnan(size) ? enough_ : size;
        return false;
      }
      squares_ += (size * larger) * (size * larger);
    }
    norm_ = std::sqrt(squares_) / larger;
    return true;
  }

  double enough_, squares_ = 0, norm_ = 0, found_ = 0;
};

int axis_of_least_stride(const Patch& patch) {
  int least = 0;
  for (int a = 1; a < patch.box.dims(); ++a)
    if (patch.box.extent(a) > 1 &&
        (patch.box.extent(least) == 1 || std::abs(patch.strides[a]) < std::abs(patch.strides[least])))
      least = a;
  return least;
}

template <class Real>
bool add(SmallNumbers& numbers, const Patch& patch, Index per, const std::byte* data) {
  if (patch.box.empty()) return true;
  const int inner = axis_of_least_stride(patch), dims = patch.box.dims();
  const Index stride = patch.strides[inner], count = patch.box.extent(inner);
  const bool contiguous = stride == per * static_cast<Index>(sizeof(Real));
  Coord at = Coord::filled(dims, 0);
  for (int a = 0; a >= 0;) {
    const std::byte* row = data + patch.offset;
    for (int b = 0; b < dims; ++b) row += at[b] * patch.strides[b];
    if (contiguous && !numbers.add(reinterpret_cast<const Real*>(row), per * count)) return false;
    for (Index i = 0; !contiguous && i < count; ++i)
      if (!numbers.add(reinterpret_cast<const Real*>(row + i * stride), per)) return false;
    for (a = dims - 1; a >= 0; --a) {
      if (a == inner) continue;
      if (++at[a] < patch.box.extent(a)) break;
      at[a] = 0;
    }
  }
  return true;
}

// The real part of the element at the low corner of the first patch. For tiny transforms, reading more takes noticeable
// time.
double first_number(const CallerArray& array, Scalar scalar, const std::byte* data) {
  if (array.patches.empty() || array.patches.front().box.empty()) return 0;
  const std::byte* first = data + array.patches.front().offset;
  return std::abs(scalar == Scalar::f32 ? static_cast<double>(*reinterpret_cast<const float*>(first))
                                        : *reinterpret_cast<const double*>(first));
}

}  // namespace

double norm_at_least(const CallerArray& array, Scalar scalar, const std::byte* data, double enough) {
  if (const double first = first_number(array, scalar, data); first >= enough) return first;
  SmallNumbers numbers(enough);
  for (const Patch& patch : array.patches) {
    const Index per = array.complex ? 2 : 1;
    const bool go_on =
        scalar == Scalar::f32 ? add<float>(numbers, patch, per, data) : add<double>(numbers, patch, per, data);
    if (!go_on) break;
  }
  return numbers.norm();
}

}  // namespace shardfft
