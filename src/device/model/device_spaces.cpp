// What the host asks about devices of a kind.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "device/codec/device_codec.hpp"
#include "device/device.hpp"
#include "device/fused.hpp"
#include "planner/decide/rank_device.hpp"
#include "support/text/did_you_mean.hpp"

namespace shardfft {

int device_count(std::string_view space) {
  const DeviceDriver* driver = find_driver(space);
  return driver ? driver->count() : 0;
}

std::string why_no_device(std::string_view space) {
  if (find_driver(space)) {
    const std::string why = why_none_of(space);
    return why.empty() ? why : fmt::format("no device of {}: {}", space, why);
  }
  const std::vector<std::string> names = device_spaces();
  return fmt::format("a space of devices is one of those compiled in: {}; got '{}'{}", fmt::join(names, ", "), space,
                     did_you_mean(space, names));
}

MemoryOwner owner_of(const void* memory) {
  for (const DeviceDriver* driver : device_drivers())
    if (driver->may_own_memory())
      if (const PointsTo to = driver->points_to(memory); to.device) return {driver->space(), to.number};
  return {};
}

bool devices_may_own_memory() {
  return std::ranges::any_of(device_drivers(), [](const DeviceDriver* driver) { return driver->may_own_memory(); });
}

std::vector<std::string> device_spaces() {
  std::vector<std::string> names;
  for (const DeviceDriver* driver : device_drivers()) names.emplace_back(driver->space());
  return names;
}

std::string device_kind(std::string_view space) {
  const DeviceDriver* driver = find_driver(space);
  if (!driver || driver->count() == 0) return {};
  return fmt::format("{}, {}", driver->open(0)->facts().name, driver->library());
}

std::string device_library(std::string_view space) { return find_driver(space)->library(); }

bool has_fused_kernels(std::string_view space) { return find_fused(space) != nullptr; }

std::vector<std::string_view> codecs_on_devices() {
  std::vector<std::string_view> names;
  for (const DeviceCodec& codec : device_codecs()) names.push_back(codec.name());
  return names;
}

std::string why_none_of(std::string_view space) {
  const DeviceDriver& driver = *find_driver(space);
  return driver.count() == 0 ? driver.why_none() : std::string();
}

std::vector<FoundDevice> found_devices(std::string_view space) {
  const DeviceDriver& driver = *find_driver(space);
  std::vector<FoundDevice> all;
  for (int number = 0; number < driver.count(); ++number) {
    const auto device = driver.open(number);
    const DeviceFacts f = device->facts();
    all.push_back({.number = number,
                   .name = f.name,
                   .capability = f.capability,
                   .memory_bytes = f.memory_bytes,
                   .free_bytes = f.free_bytes,
                   .cache_bytes = f.cache_bytes,
                   .multiprocessors = f.multiprocessors,
                   .driver = f.driver});
    for (int other = 0; other < driver.count(); ++other)
      if (other != number && device->reaches(*driver.open(other))) all.back().reaches.push_back(other);
  }
  return all;
}

}  // namespace shardfft
