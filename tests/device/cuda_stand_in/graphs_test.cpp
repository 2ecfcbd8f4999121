// Captures that CUDA refuses are refused by what stands for it, and where they are, device cuda goes on without.
#include <gtest/gtest.h>

#include "device/cuda_stand_in/work.hpp"
#include "device/device.hpp"

namespace shardfft::testing {
namespace {

class GraphsOfTheStandIn : public ::testing::Test {
 protected:
  GraphsOfTheStandIn() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory, 8), cudaSuccess);
  }
  ~GraphsOfTheStandIn() override {
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }
  void begin() const { ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess); }
  /// What the end of the capture says; there is no graph then, and no error is left.
  [[nodiscard]] cudaError_t end() const {
    cudaGraph_t graph = nullptr;
    const cudaError_t result = cudaStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph != nullptr, result == cudaSuccess);
    if (graph) { EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess); }
    static_cast<void>(cudaGetLastError());
    return result;
  }
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  void* memory = nullptr;
};

TEST_F(GraphsOfTheStandIn, NeverCaptureTheDefaultStream) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeThreadLocal), cudaErrorStreamCaptureUnsupported);
  static_cast<void>(cudaGetLastError());
}

TEST_F(GraphsOfTheStandIn, AreSpoiltByWaitingAndAllocating) {
  const std::function<cudaError_t()> calls[] = {[&] { return cudaStreamSynchronize(stream); },
                                                [&] { return cudaStreamQuery(stream); },
                                                [&] {
                                                  void* more = nullptr;
                                                  return cudaMalloc(&more, 8);
                                                }};
  for (const auto& call : calls) {
    begin();
    EXPECT_EQ(call(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaMemsetAsync(memory, 0, 8, stream), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(call(), cudaSuccess);
  }
}

TEST_F(GraphsOfTheStandIn, WaitForNothingFromBeforeAndLeaveNoEventsToOthers) {
  ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, event, 0), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
  static_cast<void>(cudaGetLastError());
}

TEST_F(GraphsOfTheStandIn, EndWhenAllStreamsAreJoined) {
  for (const bool joins : {true, false}) {
    begin();
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    if (joins) { ASSERT_EQ(cudaMemsetAsync(memory, 0, 8, other), cudaSuccess); }
    ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
    if (!joins) { ASSERT_EQ(cudaMemsetAsync(memory, 0, 8, other), cudaSuccess); }
    ASSERT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
    EXPECT_EQ(end(), joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
  }
}

TEST_F(GraphsOfTheStandIn, ThatADriverDoesNotMakeAreNoneAndQueuesGoOn) {
  const auto device = find_device("cuda:0", 0);
  const auto queue = device->make_queue();
  const DeviceMemory numbers(device, 64, "a test");
  for (const GraphCall call : {GraphCall::begin, GraphCall::end, GraphCall::instantiate, GraphCall::none}) {
    fail_at(call);
    const auto graph = queue->capture([&] { queue->zero(numbers.data(), 64); });
    EXPECT_EQ(graph != nullptr, call == GraphCall::none);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    queue->zero(numbers.data(), 64);
    queue->synchronize();
  }
}

}  // namespace
}  // namespace shardfft::testing
