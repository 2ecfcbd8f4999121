// Operators whose tables a device may still read when the caller has let go of them.
#pragma once

#include <deque>
#include <memory>

#include "device/device.hpp"

namespace shardfft {

struct OperatorFormula;

/// Keeps the operators of one queue until the queue is done with them. An operator used again allocates nothing.
class OperatorsInUse {
 public:
  /// Before a run that uses it; those that are not needed any more are let go. nullptr: nothing to keep.
  void keep(Device& device, const std::shared_ptr<const OperatorFormula>& formula);
  /// Behind that run.
  void asked(Queue& queue);

 private:
  struct InUse {
    std::shared_ptr<const OperatorFormula> formula{};
    std::unique_ptr<Event> used{};
  };
  std::deque<InUse> all_{};  // as they were asked for
};

}  // namespace shardfft
