// Makes half spectra those of reals. A transform to reals has no use for what no array of reals has; libraries of
// vendors say that such input is undefined, and some of their kernels let it into the result (cuFFT: imaginary parts of
// the first and the middle element, at some lengths and not at others). Taken away beforehand, the result is what the
// definition says on any device.
#pragma once

#include <cstddef>

#include "device/fft.hpp"
#include "device/kernels/launch.hpp"
#include "device/kernels/pack.hpp"

namespace shardfft {

/// Element k of the last axis, k = 0 and, where n is even, n/2: the conjugate of the element at k whose place along the
/// other axes (none to two) is mirrored stands for the same, so both become their mean. All other elements stay. As
/// FftSpec for c2r.
template <class T>
struct HalfSpectra {
  static constexpr int threads = 256, phases = 1;
  using Shared = NoShared;
  using Element = Pack<T, 2>;

  std::byte* spectra = nullptr;                ///< aligned to elements
  Index batch = 1, slow = 1, fast = 1, n = 1;  ///< extents: the axes before the last one are slow x fast
  Index distance = 1, row = 1, stride = 1;     ///< elements: from one array, row, element of a row to the next

  [[nodiscard]] SHARDFFT_HD Index columns() const { return n % 2 == 0 ? 2 : 1; }
  [[nodiscard]] SHARDFFT_HD Index blocks() const { return (batch * slow * fast * columns() + threads - 1) / threads; }

  /// The first one of each pair does both.
  SHARDFFT_HD void operator()(int, Index block, int thread, Shared&) const {
    const Index number = block * threads + thread, rows = slow * fast, at = number / columns() % rows,
                array = number / columns() / rows;
    if (array >= batch) return;
    const Index mirrored = (slow - at / fast) % slow * fast + (fast - at % fast) % fast;
    if (mirrored < at) return;
    std::byte* const column =
        spectra + static_cast<Index>(sizeof(Element)) * (array * distance + number % columns() * (n / 2) * stride);
    const auto place = [&](Index r) { return column + static_cast<Index>(sizeof(Element)) * r * row; };
    const Element a = Element::load(place(at)), b = Element::load(place(mirrored));
    const T half = static_cast<T>(0.5), re = half * a.of[0] + half * b.of[0],
            im = half * a.of[1] - half * b.of[1];  // halves first: sums may be too large
    Element{{re, im}}.store(place(at));
    if (mirrored != at) Element{{re, -im}}.store(place(mirrored));
  }
};

/// launch(kernel) with the kernel for the input of a c2r transform.
template <class Launch>
void with_half_spectra(const FftSpec& spec, std::byte* spectra, const Launch& launch) {
  const Index half = spec.n.back() / 2 + 1;
  const auto of = [&](auto kernel) {
    kernel.spectra = spectra, kernel.batch = spec.batch, kernel.n = spec.n.back();
    if (spec.n.size() > 1) kernel.fast = spec.n[spec.n.size() - 2];
    if (spec.n.size() > 2) kernel.slow = spec.n.front();
    kernel.row = half, kernel.distance = half * kernel.slow * kernel.fast;
    if (spec.n.size() == 1) {
      kernel.stride = spec.in_stride;
      if (spec.in_distance != 0) kernel.distance = spec.in_distance;
    }
    launch(kernel);
  };
  spec.scalar == Scalar::f32 ? of(HalfSpectra<float>()) : of(HalfSpectra<double>());
}

}  // namespace shardfft
