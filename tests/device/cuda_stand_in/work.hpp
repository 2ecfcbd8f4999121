// How what stands for CUDA works on memory of a device.
#pragma once

#include <cstddef>

namespace shardfft::testing {

/// Opens the memory of all devices while it lives, and keeps other threads from working meanwhile. Else that memory is
/// closed: the host that reads or writes it is stopped there.
class DeviceWork {
 public:
  DeviceWork();
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  ~DeviceWork();
};

/// Ends the program unless all of these bytes are of one allocation of a device.
void require_device_memory(const void* memory, std::size_t bytes, const char* what);

}  // namespace shardfft::testing
