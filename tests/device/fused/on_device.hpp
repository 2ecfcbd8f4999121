// Tests of fused transforms on devices.
#pragma once

#include <memory>
#include <string>

#include "device/fused.hpp"
#include "device/on_device.hpp"

namespace shardfft::testing {

/// On every device that is here and has kernels.
class FusedOnDevice : public ::testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<Device> device = find_device(GetParam(), 0);
  const FusedKernels* kernels = find_fused(device->space());
  std::unique_ptr<Queue> queue = device->make_queue();

  void SetUp() override {
    if (!kernels) GTEST_SKIP() << "no fused kernels were compiled in for " << device->space();
  }
};

}  // namespace shardfft::testing
