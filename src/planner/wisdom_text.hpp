// Entries of wisdom as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "planner/wisdom.hpp"

namespace shardfft {

[[nodiscard]] nlohmann::json json_of(const WisdomEntry& entry);
/// Throws Error(io_failed) when something is missing or makes no sense.
[[nodiscard]] WisdomEntry entry_from(const std::string& key, const nlohmann::json& entry);

}  // namespace shardfft
