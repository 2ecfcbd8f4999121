#include "shardfft/programs/inventory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/device.hpp"
#include "support/text/did_you_mean.hpp"

namespace shardfft {

int device_count(std::string_view space) {
  const DeviceDriver* driver = find_driver(space);
  return driver ? driver->count() : 0;
}

std::string why_no_device(std::string_view space) {
  const DeviceDriver* driver = find_driver(space);
  if (driver)
    return driver->count() > 0 ? std::string() : fmt::format("no device of {}: {}", space, driver->why_none());
  std::vector<std::string> names;
  for (const DeviceDriver* one : device_drivers()) names.emplace_back(one->space());
  return fmt::format("a space of devices is one of those compiled in: {}; got '{}'{}", fmt::join(names, ", "), space,
                     did_you_mean(space, names));
}

}  // namespace shardfft
