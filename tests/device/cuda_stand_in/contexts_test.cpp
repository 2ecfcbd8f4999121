// A thread that uses device 1 through the library has afterwards what it had before, and no device has a context that
// nobody asked for. Since CUDA 12 cudaSetDevice makes one, as do calls of a thread without a context.
#include <dlfcn.h>

#include <complex>
#include <vector>

#include <gtest/gtest.h>

#include "cuda_runtime_api.h"
#include "device/cuda_stand_in/driver.h"
#include "device/device.hpp"
#include "device/gpu/check.hpp"
#include "device/gpu/context/contexts.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::testing {
namespace {

using SHARDFFT_GPU::OnDevice;

bool has_context(int device) {
  unsigned flags = 0;
  int active = -1;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(device, &flags, &active), 0);
  return active == 1;
}
int current() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}
CUcontext current_context() {
  CUcontext context = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&context), 0);
  return context;
}

// Memory, events, transforms, graphs, questions about addresses, and the end of all of them.
void run_a_plan(const char* device) {
  Plan plan(local(), {.shape = {12, 8, 10}}, {.wisdom = false, .device = device, .expert = {.tile = 8}});
  Array in = plan.make_input(), out = plan.make_output();
  std::vector<std::complex<double>> x(960, 1.0), y(960);
  for (int run = 0; run < 3; ++run) {
    plan.copy(View(x.data(), in.bytes()), in);
    plan.forward(in, out);
    plan.copy(out, View(y.data(), out.bytes()));
    EXPECT_NEAR(std::abs(y[0] - 960.0), 0, 1e-9);
    EXPECT_NEAR(std::abs(y[1]), 0, 1e-9);
  }
}

TEST(ContextsOfCuda, AreOfTheDevicesInUseOnlyAndAThreadKeepsItsOwn) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(driver, nullptr) << "the stand-in is the driver";
  ASSERT_EQ(dlsym(driver, "cuCtxGetCurrent"), reinterpret_cast<void*>(&cuCtxGetCurrent));
  EXPECT_FALSE(has_context(0) || has_context(1)) << "another test of this process has used a device";
  EXPECT_EQ(SHARDFFT_GPU::device_with_context(2), -1);

  run_a_plan("cuda:1");
  EXPECT_TRUE(has_context(1));
  EXPECT_FALSE(has_context(0)) << "nobody used device 0";
  EXPECT_EQ(current(), 0) << "what the caller allocates next is on device 0";
  EXPECT_EQ(current_context(), nullptr);
  EXPECT_EQ(SHARDFFT_GPU::device_with_context(2), 1);

  void* mine = nullptr;
  ASSERT_EQ(cudaMalloc(&mine, 64), cudaSuccess);
  EXPECT_TRUE(has_context(0)) << "the caller uses it";
  const CUcontext own = current_context();
  run_a_plan("cuda:1");
  EXPECT_EQ(current(), 0);
  EXPECT_EQ(current_context(), own);
  EXPECT_EQ(cudaFree(mine), cudaSuccess);

  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  const CUcontext other = current_context();
  run_a_plan("cuda:0");
  EXPECT_EQ(current(), 1);
  EXPECT_EQ(current_context(), other);
}

TEST(ContextsOfCuda, ComeBackWhereDevicesAreChosenWithinEachOther) {
  const CUcontext before = current_context();
  const int device = current();
  {
    const OnDevice outer(1);
    EXPECT_EQ(current(), 1);
    {
      const OnDevice inner(0);
      EXPECT_EQ(current(), 0);
    }
    EXPECT_EQ(current(), 1);
  }
  EXPECT_EQ(current(), device);
  EXPECT_EQ(current_context(), before);
}

TEST(ContextsOfCuda, StayAsTheyAreIfThereIsNoSuchDevice) {
  const CUcontext before = current_context();
  EXPECT_ANY_THROW(OnDevice(7));
  EXPECT_EQ(current_context(), before);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace shardfft::testing
