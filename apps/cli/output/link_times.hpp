// What sweeps of the host's arrays through a device took: link, kernels and network told apart.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/costs.hpp"

namespace shardfft::cli {

/// "to_device", "kernels", "from_device" and "staging" of a step, in seconds.
[[nodiscard]] Json link_json(const StepReport& step);

/// {"sweep axes 2 1": {...}, ...} of the steps that go through a device; empty if none does.
[[nodiscard]] Json link_json(const RunCost& run);
/// A list of the steps: label, seconds, bytes, messages, and times through the device.
[[nodiscard]] Json steps_json(const RunCost& run);

/// A table of several runs by name: of each, and of its steps, what the link, the device, the host and the network
/// took. Empty if nothing goes through a device.
[[nodiscard]] std::string link_table(const std::vector<std::pair<std::string, const RunCost*>>& runs);

}  // namespace shardfft::cli
