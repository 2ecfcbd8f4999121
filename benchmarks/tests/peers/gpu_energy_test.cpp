#include "peers/measure/gpu_energy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/variables.hpp"

namespace shardfft::peers {
namespace {

using testing::Variable;

TEST(GpuEnergy, AddsUpOverGpusAndTimedParts) {
  const Variable gpus("FAKE_NVML_GPUS", "2");
  const Variable used("FAKE_NVML_MILLIJOULES", "1000");
  const auto use = [](const char* so_far) { ::setenv("FAKE_NVML_MILLIJOULES", so_far, 1); };
  GpuEnergyCounter energy(local(), SHARDFFT_FAKE_NVML);
  energy.start();
  use("1500");  // of the second one 3000
  energy.stop();
  use("7000");  // between two timed parts: not counted
  energy.start();
  use("7010");
  energy.stop();
  ASSERT_TRUE(energy.joules());
  EXPECT_DOUBLE_EQ(*energy.joules(), 1.53);
}

TEST(GpuEnergy, IsNotKnownWithoutGpusWithoutTheDriverAndWhereTheyDoNotTell) {
  const Variable used("FAKE_NVML_MILLIJOULES", "5");
  EXPECT_FALSE(GpuEnergyCounter(local(), SHARDFFT_FAKE_NVML).joules());
  EXPECT_FALSE(GpuEnergyCounter(local(), "libthere-is-none.so").joules());
  const Variable gpus("FAKE_NVML_GPUS", "2"), silent("FAKE_NVML_SILENT", "1");
  GpuEnergyCounter energy(local(), SHARDFFT_FAKE_NVML);
  energy.start();
  energy.stop();
  EXPECT_FALSE(energy.joules());
}

}  // namespace
}  // namespace shardfft::peers
