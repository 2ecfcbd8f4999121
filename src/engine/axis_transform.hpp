// What one axis of the array undergoes: plain data, the same from the planner to the tiles.
#pragma once

#include <utility>

#include "engine/engine.hpp"

namespace shardfft {

/// One transform of a sweep. Every box of the sweep is whole along `axis`.
struct AxisTransform {
  int axis = 0;
  Index n = 1;  ///< points, of r2c and c2r real ones
  Transform1d transform = Transform1d::forward;
  int other = -1;   ///< of one half of a split axis (grid/axis_split.hpp): the other half; the second of them to be
                    ///< transformed is multiplied by twiddle factors first
  Index whole = 0;  ///< of both halves together; 0: not a half
  bool few_pencils = false, strided = false;  ///< as in KernelRequest
  Index owners_in = 1,
        owners_out = 1;  ///< of a cyclic axis, before and after it is transformed (grid/cyclic_axis.hpp)

  bool analysis = true;                                   ///< from space to the spectrum
  bool complex = true;                                    ///< real to real: of complex numbers
  bool orthonormal = false, inverse_orthonormal = false;  ///< as in KernelRequest, of it and of its inverse

  [[nodiscard]] bool complex_in() const { return is_r2r(transform) ? complex : transform != Transform1d::r2c; }
  [[nodiscard]] bool complex_out() const { return is_r2r(transform) ? complex : transform != Transform1d::c2r; }
  [[nodiscard]] Index length_in() const { return transform == Transform1d::c2r ? n / 2 + 1 : n; }
  [[nodiscard]] Index length_out() const { return transform == Transform1d::r2c ? n / 2 + 1 : n; }
  [[nodiscard]] Index logical_length() const { return shardfft::logical_length(transform, n); }
  /// Whether one element stays what it is.
  [[nodiscard]] bool is_nothing() const { return n == 1 && !is_r2r(transform) && transform != Transform1d::r2c; }
  [[nodiscard]] KernelRequest request(Scalar scalar) const {
    return {.n = n,
            .transform = transform,
            .scalar = scalar,
            .few_pencils = few_pencils,
            .strided = strided,
            .complex = complex,
            .orthonormal = orthonormal};
  }
  [[nodiscard]] AxisTransform inverted() const {
    AxisTransform back = *this;
    back.transform = inverse(transform);
    back.analysis = !analysis;
    std::swap(back.owners_in, back.owners_out);
    std::swap(back.orthonormal, back.inverse_orthonormal);
    return back;
  }
};

}  // namespace shardfft
