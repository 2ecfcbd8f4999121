// Places of the elements of a family of pencils, for tests of fused transforms.
#pragma once

#include <complex>
#include <vector>

#include "device/fused.hpp"

namespace shardfft::testing {

using Complex = std::complex<long double>;

inline constexpr DeviceTransform transforms[] = {DeviceTransform::forward, DeviceTransform::backward,
                                                 DeviceTransform::r2c, DeviceTransform::c2r};

/// visit(v, outer places) for every pencil.
template <class Visit>
void for_pencils(const PencilFamily& family, Visit visit) {
  Index count = family.pencils;
  for (int a = 0; a < family.outer_axes; ++a) count *= family.outer[a];
  for (Index i = 0; i < count; ++i) {
    Index rest = i, outer[PencilStretch::most_outer] = {};
    for (int a = 0; a < family.outer_axes; rest /= family.outer[a++]) outer[a] = rest % family.outer[a];
    visit(rest, outer);
  }
}

/// visit(k, bytes) for every element of a pencil.
template <class Visit>
void for_places(const PencilFamily& family, const std::vector<PencilStretch>& stretches, Index v, const Index* outer,
                Visit visit) {
  for (const PencilStretch& s : stretches)
    for (Index i = 0; i < s.count; ++i) {
      Index at = s.at + i * s.step + v * s.pencil_step;
      for (int a = 0; a < family.outer_axes; ++a) at += outer[a] * s.outer_step[a];
      visit(s.first + i * s.stride, at);
    }
}

template <class T>
Complex number_at(const std::vector<T>& memory, Index bytes, bool complex) {
  const T* x = memory.data() + bytes / static_cast<Index>(sizeof(T));
  return {x[0], complex ? x[1] : T(0)};
}
template <class T>
void put(std::vector<T>& memory, Index bytes, const Complex& value, bool complex) {
  T* x = memory.data() + bytes / static_cast<Index>(sizeof(T));
  x[0] = static_cast<T>(value.real());
  if (complex) x[1] = static_cast<T>(value.imag());
}

}  // namespace shardfft::testing
