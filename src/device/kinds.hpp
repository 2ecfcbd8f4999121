// What surrounds a library's transform where pencils are transformed by cosines, sines or Hartley's kernel: one kernel
// before it, one after it. The formulas are in docs/theory/real_to_real.md.
#pragma once

#include <cstddef>

#include "device/fft.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

/// What pencils undergo: of reals, or of complex numbers whose parts are transformed alike.
struct PencilKind {
  AxisKind kind = AxisKind::cosine2;
  bool orthonormal = false;  ///< first and last elements are weighted (support/end_weights.hpp)
  bool complex = false;
  double scale = 1;  ///< factor on the result
  [[nodiscard]] Index parts() const { return complex ? 2 : 1; }
  friend bool operator==(const PencilKind&, const PencilKind&) = default;
};

/// How a kind is made of one transform of the library.
enum class KindScheme {
  folded,    ///< even elements, then the odd ones reversed: r2c, and each element turned
  unfolded,  ///< the same backwards: c2r
  plain,     ///< r2c
  halved,    ///< two elements are one complex number, turned before and after
  permuted,  ///< r2c of elements by odd residues modulo 8 n
  extended   ///< r2c of the whole period
};
[[nodiscard]] constexpr KindScheme scheme_of(AxisKind kind, Index n) {
  using enum AxisKind;
  if (kind == hartley) return KindScheme::plain;
  if (kind == cosine1 || kind == sine1) return KindScheme::extended;
  if (kind == cosine2 || kind == sine2) return KindScheme::folded;
  if (kind == cosine3 || kind == sine3) return KindScheme::unfolded;
  return n % 2 == 0 ? KindScheme::halved : KindScheme::permuted;
}

/// The library's transform of one real pencil: what it reads and writes.
struct InnerTransform {
  DeviceTransform transform = DeviceTransform::r2c;
  Index n = 1;
  [[nodiscard]] Index elements(bool in) const {
    return transform == (in ? DeviceTransform::c2r : DeviceTransform::r2c) ? n / 2 + 1 : n;
  }
  [[nodiscard]] Index scalars_of_one(bool in) const {
    return transform == (in ? DeviceTransform::r2c : DeviceTransform::c2r) ? 1 : 2;
  }
};
[[nodiscard]] constexpr InnerTransform inner_of(AxisKind kind, Index n) {
  switch (scheme_of(kind, n)) {
    case KindScheme::unfolded:
      return {DeviceTransform::c2r, n};
    case KindScheme::halved:
      return {DeviceTransform::forward, n / 2};
    case KindScheme::extended:
      return {DeviceTransform::r2c, logical_length(kind, n)};
    default:
      return {DeviceTransform::r2c, n};
  }
}

/// Element k of part p of pencil b begins at number k * step + b * pencil + p * part, counted in scalars.
struct PencilPlaces {
  std::byte* start = nullptr;
  Index step = 1, pencil = 1, part = 1;
};

enum class KindSide { before, after };

/// Before the library's transform: from pencils to what it reads; after it: from what it wrote to pencils. `from` and
/// `to` are apart.
struct KindStep {
  KindSide side = KindSide::before;
  PencilKind pencils{};
  Scalar scalar = Scalar::f64;  ///< f32 or f64
  Index n = 1, batch = 1;       ///< elements of a pencil; pencils
  PencilPlaces from{}, to{};
};

}  // namespace shardfft
