// The file of the machine: numbers by name, which are finite and not negative; rates, by which seconds are reckoned,
// are more than 0.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/wisdom/json_file.hpp"

namespace shardfft::machine_numbers {

using Names = std::vector<std::string>;  ///< from the outside in

[[nodiscard]] JsonFile file();
enum class Zero { refused, allowed };

/// The number of an entry, as it was where the entry has none. Throws Error(io_failed) for one that makes no sense.
void read(const nlohmann::json& entry, const Names& names, double& number, Zero zero);
void write(nlohmann::json& entry, const Names& names, double number);
/// One notice, once in a process: what was measured is not used.
void complain(const std::string& why);

}  // namespace shardfft::machine_numbers
