// Physical wave numbers of a plan's spectrum, by axis: what ready operators are made of.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "shardfft/operators/spectral.hpp"

namespace shardfft {

/// A table along one axis, by global index.
using AxisTable = std::vector<double>;

class WaveNumbers {
 public:
  /// `lengths`: of each axis. Throws Error(invalid_argument), and where the plan's operators see points.
  WaveNumbers(const Plan& plan, std::span<const double> lengths);

  [[nodiscard]] int dims() const { return static_cast<int>(k_.size()); }
  /// Transformed, in their order in the array.
  [[nodiscard]] const std::vector<int>& axes() const { return axes_; }
  [[nodiscard]] bool transforms(int axis) const;
  [[nodiscard]] Precision precision() const { return precision_; }
  /// 2 pi / length times the frequency; 0 along axes that are not transformed.
  [[nodiscard]] const AxisTable& k(int axis) const { return k_[static_cast<std::size_t>(axis)]; }
  /// Of odd functions of k: 0 at the highest frequency of an even number, which stands for its negative, too.
  [[nodiscard]] AxisTable odd(int axis) const;
  /// Whether index i of this axis has that frequency.
  [[nodiscard]] bool is_middle(int axis, Index i) const { return 2 * i == points_[axis]; }
  /// Eigenvalues of minus the second derivative, or of its difference.
  [[nodiscard]] AxisTable laplace(int axis, Stencil stencil) const;

 private:
  std::vector<int> axes_{};
  Precision precision_;
  Shape points_;
  std::vector<AxisTable> k_{};
  std::vector<double> lengths_;
};

}  // namespace shardfft
