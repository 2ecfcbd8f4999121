// Ranks with queues on pretended devices.
#pragma once

#include <memory>
#include <vector>

#include "device/device.hpp"
#include "transport/transport.hpp"

namespace shardfft {

/// A rank's own queue on one of the first `devices` pretended devices, which ranks share out.
struct OnDevice {
  OnDevice(int rank, int devices) : device(find_driver("pretended")->open(rank % devices)), queue(device->make_queue()) {}
  [[nodiscard]] DeviceContext context() const { return {device.get(), queue.get()}; }

  std::shared_ptr<Device> device;
  std::unique_ptr<Queue> queue;
};

/// Those that move messages in the memory of devices and serve these ranks and a pretended device.
inline std::vector<const Transport*> device_transports(const Comm& comm) {
  const OnDevice here(0, 1);
  std::vector<const Transport*> all;
  for (const Transport* t : transports())
    if (t->on_device() && t->refuses(comm).empty() && t->refuses(*here.device).empty()) all.push_back(t);
  return all;
}

}  // namespace shardfft
