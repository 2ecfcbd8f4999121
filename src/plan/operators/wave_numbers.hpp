// Physical wave numbers of a plan's spectrum, by axis: what ready operators are made of.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "shardfft/operators/spectral.hpp"

namespace shardfft {

/// A table along one axis, by global index.
using AxisTable = std::vector<double>;

class WaveNumbers {
 public:
  /// `lengths`: of each axis. Throws Error(invalid_argument).
  WaveNumbers(const Problem& problem, std::span<const double> lengths);
  /// The wave numbers of what the operators of `plan` see. Throws if those are points.
  WaveNumbers(const Plan& plan, std::span<const double> lengths);

  [[nodiscard]] int dims() const { return static_cast<int>(k_.size()); }
  /// Transformed, in their order in the array.
  [[nodiscard]] const std::vector<int>& axes() const { return axes_; }
  [[nodiscard]] bool transforms(int axis) const;
  [[nodiscard]] bool is_fourier(int axis) const;
  /// Throws Error(invalid_argument) where the axis is transformed by another kind. `what` in words: an operator.
  void require_fourier(int axis, const char* what) const;
  [[nodiscard]] Precision precision() const { return precision_; }
  /// Whether elements are; else factors are real, too.
  [[nodiscard]] bool complex() const { return complex_; }
  /// Frequencies times 2 pi / length along periodic axes, times pi / length along others; 0 along axes that are not
  /// transformed.
  [[nodiscard]] const AxisTable& k(int axis) const { return k_[static_cast<std::size_t>(axis)]; }
  /// k is 2 pi over the period times whole or half numbers, these. The period is 0 along axes that are not transformed.
  [[nodiscard]] AxisTable periods_in_box(int axis) const;
  [[nodiscard]] double period(int axis) const { return periods_[static_cast<std::size_t>(axis)]; }
  /// The shortest or the longest period of the axes that have more than one mode; 2 pi without such an axis.
  [[nodiscard]] double extreme_period(bool longest) const;
  /// For odd functions of k: 0 at the highest frequency of an even number, which stands for its negative, too.
  [[nodiscard]] AxisTable odd(int axis) const;
  /// The axis of a half spectrum; -1: none.
  [[nodiscard]] int half_axis() const { return half_axis_; }
  /// Whether index i of this axis has that frequency.
  [[nodiscard]] bool is_middle(int axis, Index i) const { return is_fourier(axis) && 2 * i == modes_[axis]; }
  /// Eigenvalues of minus the second derivative, or of its difference on points that lie so close.
  [[nodiscard]] AxisTable laplace(int axis, Stencil stencil) const;

 private:
  std::vector<std::optional<AxisKind>> kinds_;  // of each axis of the array; none: it is not transformed
  std::vector<int> axes_{};
  Precision precision_;
  bool complex_;
  int half_axis_;
  Shape modes_;
  std::vector<AxisTable> k_{};
  std::vector<double> lengths_;
  std::vector<double> spacings_{}, periods_{};
};

}  // namespace shardfft
