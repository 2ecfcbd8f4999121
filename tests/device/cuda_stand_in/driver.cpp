// Contexts as CUDA's driver keeps them: one of each device, made when it is first retained, and a stack of them for
// each thread. A program that links it as libcuda.so.1 has a driver; one that compiles it in has the runtime alone.
#include "device/cuda_stand_in/driver.h"

#include <atomic>
#include <vector>

struct StandInContext {
  std::atomic<bool> active{false};
};

namespace {

constexpr int devices = 2, success = 0, invalid_value = 1, invalid_device = 101, invalid_context = 201;
StandInContext primary[devices];
thread_local std::vector<CUcontext> contexts;  // the current one is the last

bool is_device(int device) { return device >= 0 && device < devices; }

}  // namespace

int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (!is_device(device)) return invalid_device;
  *flags = 0;
  *active = primary[device].active ? 1 : 0;
  return success;
}
int cuDevicePrimaryCtxRetain(CUcontext* context, int device) {
  if (!is_device(device)) return invalid_device;
  primary[device].active = true;
  *context = &primary[device];
  return success;
}
int cuCtxGetCurrent(CUcontext* context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return success;
}
int cuCtxSetCurrent(CUcontext context) {
  if (!contexts.empty()) contexts.pop_back();
  if (context) contexts.push_back(context);
  return success;
}
int cuCtxPushCurrent_v2(CUcontext context) {
  if (!context) return invalid_value;
  contexts.push_back(context);
  return success;
}
int cuCtxPopCurrent_v2(CUcontext* context) {
  if (contexts.empty()) return invalid_context;
  *context = contexts.back();
  contexts.pop_back();
  return success;
}
int cuCtxGetDevice(int* device) {
  if (contexts.empty()) return invalid_context;
  *device = static_cast<int>(contexts.back() - primary);
  return success;
}
