#include "device/plan/operators_in_use.hpp"

namespace shardfft {

void OperatorsInUse::keep(Device& device, const std::shared_ptr<const OperatorFormula>& formula) {
  const bool again = !all_.empty() && all_.back().formula == formula;
  while (all_.size() > (again ? 1U : 0U) && all_.front().used->done()) all_.pop_front();
  if (formula && !again) all_.push_back({formula, device.make_event()});
}

void OperatorsInUse::asked(Queue& queue) {
  if (!all_.empty()) queue.record(*all_.back().used);
}

}  // namespace shardfft
