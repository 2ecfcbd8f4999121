// What one axis of the array undergoes: plain data, the same from the planner to the tiles.
#pragma once

#include <utility>

#include "engine/engine.hpp"
#include "support/kept_modes.hpp"

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
  Kept kept{};           ///< of its n points and modes

  bool analysis = true;                                   ///< from space to the spectrum
  bool complex = true;                                    ///< real to real: of complex numbers
  bool orthonormal = false, inverse_orthonormal = false;  ///< as in KernelRequest, of it and of its inverse

  [[nodiscard]] bool complex_in() const { return is_r2r(transform) ? complex : transform != Transform1d::r2c; }
  [[nodiscard]] bool complex_out() const { return is_r2r(transform) ? complex : transform != Transform1d::c2r; }
  [[nodiscard]] bool is_pruned() const { return points() < n || modes() < n; }
  [[nodiscard]] KeptModes kept_modes() const {
    return {.n = n,
            .modes = modes(),
            .half = transform == Transform1d::r2c || transform == Transform1d::c2r,
            .periodic = !is_r2r(transform)};
  }
  /// The fraction of the noise energy in all results that the stored results hold.
  [[nodiscard]] double stored_share() const {
    return static_cast<double>(analysis ? modes() : points()) / static_cast<double>(n);
  }
  /// Elements that are read, and those that are computed, of each that is stored; reals count as their half spectrum.
  [[nodiscard]] double read_share() const { return share(complex_in() ? length_in() : length_in() / 2 + 1); }
  [[nodiscard]] double whole_share() const { return share(complex_in() && complex_out() ? n : n / 2 + 1); }
  [[nodiscard]] Index points() const { return kept.support > 0 ? kept.support : n; }
  [[nodiscard]] Index modes() const { return kept.modes > 0 ? kept.modes : n; }
  [[nodiscard]] Index length_in() const {
    return transform == Transform1d::c2r ? modes() / 2 + 1 : analysis ? points() : modes();
  }
  [[nodiscard]] Index length_out() const {
    return transform == Transform1d::r2c ? modes() / 2 + 1 : analysis ? modes() : points();
  }
  /// What its first and its last elements are of, those that are left out included.
  [[nodiscard]] KeptModes kept_in() const { return analysis ? kept_points() : kept_modes(); }
  [[nodiscard]] KeptModes kept_out() const { return analysis ? kept_modes() : kept_points(); }
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
            .orthonormal = orthonormal,
            .kept = is_pruned() ? Kept{kept.support, kept.modes, !analysis} : Kept{}};
  }
  [[nodiscard]] AxisTransform inverted() const {
    AxisTransform back = *this;
    back.transform = inverse(transform);
    back.analysis = !analysis;
    std::swap(back.owners_in, back.owners_out);
    std::swap(back.orthonormal, back.inverse_orthonormal);
    return back;
  }

 private:
  [[nodiscard]] KeptModes kept_points() const { return {.n = n, .modes = points(), .periodic = false}; }
  [[nodiscard]] double share(Index elements) const {
    if (!is_pruned()) return 1;
    return static_cast<double>(elements) / static_cast<double>(complex_out() ? length_out() : length_out() / 2 + 1);
  }
};

}  // namespace shardfft
