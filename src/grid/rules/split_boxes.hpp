// The boxes of a layout whose axis is seen as two (grid/axis_split.hpp).
#pragma once

#include <mutex>

#include "grid/axis_split.hpp"
#include "grid/rules/box_rule.hpp"

namespace shardfft {

class SplitBoxes final : public BoxRule {
 public:
  /// `layout`: of the caller's array. If it is cyclic along the split axis, both factors are.
  SplitBoxes(const AxisSplit& s, Digits digits, const Layout& layout) : s_(s), digits_(digits), layout_(layout) {}

  [[nodiscard]] std::vector<Box> boxes(int rank) const override;
  [[nodiscard]] Index count(int rank) const override;
  [[nodiscard]] std::string words() const override;
  [[nodiscard]] Index most() const override;

 private:
  [[nodiscard]] bool keeps_numbers() const;
  [[nodiscard]] Index count_hermitian(int rank) const;

  AxisSplit s_;
  Digits digits_;
  Layout layout_;
  mutable std::once_flag looked_{};
  mutable Index most_ = 0;
};

}  // namespace shardfft
