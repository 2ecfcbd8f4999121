#include "planner/machine_numbers.hpp"

#include <cmath>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/cache_files.hpp"
#include "shardfft/error.hpp"

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

void read(const json& entry, const Names& names, double& number) {
  const json::json_pointer p = pointer(names);
  if (!entry.contains(p)) return;  // an engine that was not built in then
  const double value = entry.at(p).get<double>();
  if (!std::isfinite(value) || value < 0) throw Error(Status::io_failed, fmt::format("{} is damaged: {} is {}", machine_file().string(), p.to_string(), value));
  number = value;
}

void write(json& entry, const Names& names, double number) { entry[pointer(names)] = number; }

void complain(const std::string& why) {
  static std::once_flag once;
  std::call_once(once, [&] { std::fprintf(stderr, "shardfft: the measured machine is not used: %s\n", why.c_str()); });
}

}  // namespace shardfft::machine_numbers
