// Stands for CUDA's run-time library on a machine without a GPU, so that every line of src/device/gpu and every kernel
// that it launches runs in a test. Streams do at once what they are asked for: that work waits for the right events is
// what the emulated device shows. Calls that CUDA refuses are refused, and leave the thread's last error.
// memory.cpp and launch.cpp say what is checked of memory and of kernels.
#include <atomic>
#include <chrono>

#include "cuda_runtime_api.h"
#include "device/cuda_stand_in/driver.h"
#include "device/cuda_stand_in/memory.hpp"
#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"

using namespace shardfft::testing;

namespace {

std::atomic<int> questions{0};
thread_local cudaError_t last = cudaSuccess;
thread_local int chosen = 0;
bool reached[devices][devices] = {};

// Contexts since CUDA 12. A thread without one has the device that it chose; calls that need a context make it.
int device_of_thread() {
  int device = chosen;
  static_cast<void>(cuCtxGetDevice(&device));
  return device;
}
void make_current(int device) {
  CUcontext context = nullptr;
  if (cuDevicePrimaryCtxRetain(&context, device) != 0 || cuCtxSetCurrent(context) != 0) stop("a device has no context");
}

}  // namespace

namespace shardfft::testing {

int questions_asked() { return questions; }
void count_question() { ++questions; }

cudaError_t said(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
int current_device() {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) != 0) stop("the driver knows no threads");
  if (!context) make_current(chosen);
  return device_of_thread();
}

}  // namespace shardfft::testing

const char* cudaGetErrorName(cudaError_t error) {
  constexpr const char* names[] = {"cudaSuccess",
                                   "cudaErrorInvalidValue",
                                   "cudaErrorMemoryAllocation",
                                   "cudaErrorNotReady",
                                   "cudaErrorNotSupported",
                                   "cudaErrorPeerAccessAlreadyEnabled",
                                   "cudaErrorInvalidResourceHandle",
                                   "cudaErrorInvalidDevice",
                                   "cudaErrorIllegalAddress",
                                   "cudaErrorStreamCaptureUnsupported",
                                   "cudaErrorStreamCaptureInvalidated",
                                   "cudaErrorStreamCaptureUnjoined",
                                   "cudaErrorStreamCaptureIsolation",
                                   "cudaErrorCapturedEvent"};
  return names[error];
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last;
  last = cudaSuccess;
  return error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  count_question();
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = device_of_thread();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= devices) return said(cudaErrorInvalidDevice);
  chosen = device;
  make_current(device);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int) {
  *about = {"stand-in of a GPU", device_bytes, 9, 0, 1 << 20, 2};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 2;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int other) {
  *can = device != other;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
  const Locked locked(allocations().lock);
  const int current = current_device();
  if (other == current || other < 0 || other >= devices) return said(cudaErrorInvalidDevice);
  if (reached[current][other]) return said(cudaErrorPeerAccessAlreadyEnabled);
  reached[current][other] = true;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new StandInStream{current_device()};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  current_device();
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  current_device();
  return unless_captured(stream);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  current_device();
  return unless_captured(stream);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  current_device();
  *event = new StandInEvent{(flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  current_device();
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  current_device();
  return unless_captured(event);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  current_device();
  return unless_captured(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!from->timed || !to->timed || !from->recorded || !to->recorded) return said(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcCloseMemHandle(void*) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) { return said(cudaErrorNotSupported); }
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) { return said(cudaErrorNotSupported); }
