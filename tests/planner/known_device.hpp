// A made-up device, of round numbers.
#pragma once

#include "device/model/device_machine.hpp"

namespace shardfft::testing {

/// Memory at 1 TB/s, transforms as fast as a move, a link to the host of 20 GB/s each way, 200 GB/s to other devices.
inline DeviceMachine round_device(int devices = 1) {
  DeviceMachine m{.measured = true,
                  .devices = devices,
                  .cache_bytes = 1 << 20,
                  .rows_bytes_per_s = 1e12,
                  .tiles_bytes_per_s = 1e12};
  for (Rates* r : {&m.f64, &m.f32}) {
    r->of_power.fill(1e12);
    r->of_mixed = r->of_prime = 1;
  }
  m.to_device_bytes_per_s = m.from_device_bytes_per_s = 20e9;
  m.both_bytes_per_s = 40e9;
  m.peer_copy_bytes_per_s = m.peer_kernel_bytes_per_s = 200e9;
  m.launch_s = 1e-6;
  return m;
}

}  // namespace shardfft::testing
