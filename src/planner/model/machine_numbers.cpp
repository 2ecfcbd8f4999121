#include "planner/model/machine_numbers.hpp"

#include <cmath>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/wisdom/cache_files.hpp"
#include "shardfft/error.hpp"
#include "support/text/echo.hpp"
#include "support/text/notice.hpp"

namespace shardfft::machine_numbers {
namespace {

using nlohmann::json;

json::json_pointer pointer(const Names& names) {
  json::json_pointer p;
  for (const std::string& name : names) p /= name;
  return p;
}

}  // namespace

JsonFile file() { return {machine_file(), "shardfft machine 1"}; }

void read(const json& entry, const Names& names, double& number, Zero zero) {
  const json::json_pointer p = pointer(names);
  if (!entry.contains(p)) return;  // an engine that was not built in then
  const json& kept = entry.at(p);
  const double value = kept.is_number() ? kept.get<double>() : -1;
  if (!std::isfinite(value) || value < 0 || (value == 0 && zero == Zero::refused))
    throw Error(
        Status::io_failed,
        fmt::format("{} is damaged: {} is finite and {}; got {}; measure again: shardfft info --measure",
                    machine_file().string(), p.to_string(), zero == Zero::refused ? "more than 0" : "not negative",
                    kept.is_number() ? kept.dump() : kept.type_name()));
  number = value;
}

void write(json& entry, const Names& names, double number) { entry[pointer(names)] = number; }

void complain(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] { notice("the measured machine is not used: " + with_short_echoes(why)); });
}

}  // namespace shardfft::machine_numbers
