// Ranks with queues on devices: emulated ones, or those that SHARDFFT_TEST_DEVICE names.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "support/chosen.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// A rank's own queue on one of the first `devices` devices, or of as many as there are, which ranks share out.
struct OnDevice {
  OnDevice(int rank, int devices, const std::string& kind = testing::space())
      : OnDevice(rank, devices, *find_driver(kind)) {}
  OnDevice(int rank, int devices, const DeviceDriver& driver)
      : device(driver.open(rank % std::min(devices, driver.count()))), queue(device->make_queue()) {}
  [[nodiscard]] std::shared_ptr<const DeviceContext> context() const {
    return std::make_shared<const DeviceContext>(DeviceContext{device.get(), queue.get()});
  }

  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
};

/// Those that move messages in the memory of devices and serve these ranks and such a device.
inline std::vector<const Transport*> device_transports(const Comm& comm) {
  const OnDevice here(0, 1);
  std::vector<const Transport*> all;
  for (const Transport* t : transports())
    if (t->on_device() && t->refuses(comm).empty() && t->refuses(*here.device).empty()) all.push_back(t);
  return all;
}

}  // namespace shardfft
