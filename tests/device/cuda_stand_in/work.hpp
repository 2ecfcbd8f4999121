// How what stands for CUDA works on memory of a device.
#pragma once

#include <cstddef>
#include <functional>

#include "cuda_runtime_api.h"

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

/// Does what a stream is asked for, or writes it down where the stream is captured.
[[nodiscard]] cudaError_t ask(cudaStream_t stream, std::function<void()> work);

/// The call that fails from now on, as it does where a driver captures no such thing.
enum class GraphCall { none, begin, end, instantiate };
void fail_at(GraphCall call);
/// So far.
[[nodiscard]] int graphs_launched();

/// How often the runtime was asked for its devices, or whose an address is, so far.
[[nodiscard]] int questions_asked();

/// Ends the program unless all of these bytes are of one allocation of a device.
void require_device_memory(const void* memory, std::size_t bytes, const char* what);

}  // namespace shardfft::testing
