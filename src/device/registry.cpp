#include "device/registry.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "support/text/did_you_mean.hpp"
#include "support/text/number.hpp"

namespace shardfft {
namespace {

[[nodiscard]] std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const DeviceDriver* driver : device_drivers()) all.emplace_back(driver->space());
  return all;
}

// The number behind the colon.
int number_in(std::string_view name, std::string_view digits) {
  int number = -1;
  if (!read_number(digits, number) || number < 0)
    throw Error(Status::invalid_argument,
                fmt::format("a device is a name and perhaps its number, as in cuda:1; got '{}'", name));
  return number;
}

}  // namespace

std::span<const DeviceDriver* const> device_drivers() {
  static const std::vector<const DeviceDriver*> table = {
#if SHARDFFT_WITH_CUDA
      &cuda_driver(),
#endif
#if SHARDFFT_WITH_HIP
      &hip_driver(),
#endif
#if SHARDFFT_WITH_SYCL
      &sycl_driver(),
#endif
#if SHARDFFT_WITH_EMULATED
      &emulated_driver(),
#endif
  };
  return table;
}

const DeviceDriver* find_driver(std::string_view space) {
  const auto all = device_drivers();
  const auto found = std::ranges::find(all, space, [](const DeviceDriver* driver) { return driver->space(); });
  return found == all.end() ? nullptr : *found;
}

std::shared_ptr<Device> find_device(std::string_view name, int rank_on_node) {
  const auto colon = name.find(':');
  const DeviceDriver* driver = find_driver(name.substr(0, colon));
  if (const auto all = names(); !driver)
    throw Error(
        Status::unsupported,
        fmt::format("device is one of those compiled in: {}; got '{}'{}; leave it empty to transform on the processor",
                    all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", ")), name,
                    did_you_mean(name.substr(0, colon), all)));
  const int count = driver->count();
  if (count == 0)
    throw Error(
        Status::unsupported,
        fmt::format("device {} was asked for, and there is none here: {}; leave it empty to transform on the processor",
                    name, driver->why_none()));
  const int number = colon == std::string_view::npos ? rank_on_node % count : number_in(name, name.substr(colon + 1));
  if (number >= count)
    throw Error(Status::unsupported,
                fmt::format("devices of {} are numbered 0 to {} here; got '{}'", driver->space(), count - 1, name));
  return driver->open(number);
}

}  // namespace shardfft
