#include "device/model/device_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "planner/model/machine_file.hpp"
#include "planner/model/machine_numbers.hpp"
#include "planner/wisdom/cache_files.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

using nlohmann::json;

std::string device_key(const Device& device) {
  const DeviceDriver& driver = *find_driver(device.space());
  const DeviceFacts facts = device.facts();
  return fmt::format("{} x {} {} {}, {} | {}", driver.count(), device.space(), facts.name, facts.capability,
                     driver.library(), machine_key());
}

void load_measured(DeviceMachine& machine, const Device& device) {
  if (machine_file().empty()) return;
  try {
    const json entries = machine_numbers::file().read();
    const auto found = entries.find(device_key(device));
    if (found == entries.end()) return;
    DeviceMachine read = machine;
    for_each_device_number(read, [&](const std::string& name, double& number) {
      machine_numbers::read(
          *found, {name}, number,
          name.starts_with("peer_") ? machine_numbers::Zero::allowed : machine_numbers::Zero::refused);
      if (number == 0 && !name.starts_with("peer_"))
        throw Error(Status::io_failed,
                    fmt::format("{} is damaged: {} is missing; measure again: shardfft info --measure",
                                machine_file().string(), name));
    });
    if (const std::string why = contradiction_in(read); !why.empty())
      throw Error(Status::io_failed,
                  fmt::format("{} was measured on a busy machine: {}; measure again: shardfft info --measure",
                              machine_file().string(), why));
    read.measured = true;
    machine = read;
  } catch (const std::exception& e) { machine_numbers::complain(e.what()); }
}

std::string keep_measured(const DeviceMachine& machine, const Device& device) {
  if (machine_file().empty()) return {};
  json entry;
  for_each_device_number(machine, [&](const std::string& name, const double& number) { entry[name] = number; });
  try {
    machine_numbers::file().update([&](json& entries) { entries[device_key(device)] = entry; });
    return {};
  } catch (const std::exception& e) { return e.what(); }
}

}  // namespace shardfft
