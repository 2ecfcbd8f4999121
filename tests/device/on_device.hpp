// Data of tests on their way to a device and back, and the devices there are.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/device.hpp"

namespace shardfft::testing {

/// "cuda:0", "cuda:1", "emulated:0" ...: at most two of every driver.
inline std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const DeviceDriver* driver : device_drivers())
    for (int number = 0; number < driver->count() && number < 2; ++number)
      names.push_back(std::string(driver->space()) + ":" + std::to_string(number));
  return names;
}

/// "cuda_0", as names of tests are.
inline std::string as_word(const ::testing::TestParamInfo<std::string>& device) {
  std::string name = device.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

/// A copy of `data` on the device, all there when it returns.
template <class T>
DeviceMemory on_device(const std::shared_ptr<Device>& device, Queue& queue, const std::vector<T>& data) {
  DeviceMemory memory(device, data.size() * sizeof(T), "data of a test");
  if (!data.empty()) queue.copy(memory.data(), data.data(), memory.bytes());
  queue.synchronize();
  return memory;
}

template <class T>
std::vector<T> on_host(Queue& queue, const DeviceMemory& memory) {
  std::vector<T> data(memory.bytes() / sizeof(T));
  if (!data.empty()) queue.copy(data.data(), memory.data(), memory.bytes());
  queue.synchronize();
  return data;
}

}  // namespace shardfft::testing
