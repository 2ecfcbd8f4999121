// Entries of wisdom as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "planner/wisdom/wisdom.hpp"

namespace shardfft {

[[nodiscard]] nlohmann::json json_of(const WisdomEntry& entry);
[[nodiscard]] nlohmann::json json_of(const Tuning& variant);
/// Throws Error that says which choice is missing or is of another type.
[[nodiscard]] Tuning variant_from(const nlohmann::json& entry);
/// Throws Error that says what is missing or makes no sense, by the rules of options.
[[nodiscard]] WisdomEntry entry_from(const std::string& key, const nlohmann::json& entry);
/// "the entry 'KEY' is damaged (WHY); forget it: shardfft wisdom forget ID"
[[nodiscard]] std::string damage_text(const DamagedEntry& entry);

}  // namespace shardfft
