// Streams, events and errors of what stands for CUDA.
#pragma once

#include <chrono>
#include <map>

#include "cuda_runtime_api.h"

struct StandInCapture;

struct StandInStream {
  int device;
  StandInCapture* capture = nullptr;  ///< that writes down what this stream is asked for
};

/// How much of each stream's captured work comes before.
using Reached = std::map<cudaStream_t, int>;

struct StandInEvent {
  bool timed, recorded = false;
  std::chrono::steady_clock::time_point when{};
  int captured = 0;  ///< number of the capture in which it was recorded last
  Reached reached{};
};

namespace shardfft::testing {

/// Makes it the thread's last error, unless it is none.
cudaError_t said(cudaError_t error);
/// What calls do that need a context: a thread that has none gets that of its device.
int current_device();
/// Counts one for questions_asked().
void count_question();
/// Not success while this thread captures: then nothing is done, and the capture is spoilt, as by all calls that may
/// wait for a device.
[[nodiscard]] cudaError_t unless_captured();
[[nodiscard]] cudaError_t unless_captured(cudaStream_t stream);
[[nodiscard]] cudaError_t unless_captured(cudaEvent_t event);

}  // namespace shardfft::testing
