// Boxes that are computed for a rank when they are asked for. A plan of a million ranks has no room for a list of them.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

struct BoxRule {
  BoxRule() = default;
  BoxRule(const BoxRule&) = delete;
  BoxRule& operator=(const BoxRule&) = delete;
  virtual ~BoxRule() = default;

  /// In the order in which they lie in memory, none of them empty. Those of all ranks cover the array once.
  [[nodiscard]] virtual std::vector<Box> boxes(int rank) const = 0;
  /// Elements of a rank.
  [[nodiscard]] virtual Index count(int rank) const = 0;
  /// Two rules with equal words give equal boxes.
  [[nodiscard]] virtual std::string words() const = 0;
  /// Elements of the rank that has most.
  [[nodiscard]] virtual Index most() const = 0;
};

}  // namespace shardfft
