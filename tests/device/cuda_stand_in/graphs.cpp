// Captures and graphs of what stands for CUDA. What is refused: to capture the default stream, to wait for what is
// captured or to allocate meanwhile, to wait there for an event from before, and to end while a stream is not joined.
#include <algorithm>
#include <memory>
#include <vector>

#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"

using Works = std::vector<std::function<void()>>;

struct StandInGraph {
  int device;
  Works works;
};

struct StandInCapture {
  int number;
  cudaStream_t first;
  bool spoilt = false;
  Works works{};
  std::map<cudaStream_t, Reached> reached{};  ///< by each stream of it
};

namespace shardfft::testing {
namespace {

thread_local std::unique_ptr<StandInCapture> mine;  // begun by this thread
int captures = 0;
int launched = 0;
GraphCall failing = GraphCall::none;

cudaError_t spoil(StandInCapture& capture, cudaError_t why) {
  capture.spoilt = true;
  return said(why);
}

// Takes all streams out of the capture.
std::unique_ptr<StandInCapture> taken_out() {
  for (const auto& [stream, reached] : mine->reached) stream->capture = nullptr;
  return std::move(mine);
}

bool is_joined(StandInCapture& capture) {
  Reached& by_first = capture.reached[capture.first];
  return std::ranges::all_of(capture.reached,
                             [&](auto& stream) { return by_first[stream.first] >= stream.second[stream.first]; });
}

}  // namespace

void fail_at(GraphCall call) { failing = call; }
int graphs_launched() { return launched; }

cudaError_t unless_captured() { return mine ? spoil(*mine, cudaErrorStreamCaptureUnsupported) : cudaSuccess; }
cudaError_t unless_captured(cudaStream_t stream) {
  return stream && stream->capture ? spoil(*stream->capture, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}
cudaError_t unless_captured(cudaEvent_t event) {
  if (event->captured == 0) return cudaSuccess;
  return mine ? spoil(*mine, cudaErrorCapturedEvent) : said(cudaErrorCapturedEvent);
}

cudaError_t ask(cudaStream_t stream, std::function<void()> work) {
  if (stream && stream->device != current_device()) return said(cudaErrorInvalidResourceHandle);
  if (!stream || !stream->capture) {
    work();
    return cudaSuccess;
  }
  if (stream->capture->spoilt) return said(cudaErrorStreamCaptureInvalidated);
  stream->capture->works.push_back(std::move(work));
  ++stream->capture->reached[stream][stream];
  return cudaSuccess;
}

}  // namespace shardfft::testing

using namespace shardfft::testing;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream || mine || failing == GraphCall::begin) return said(cudaErrorStreamCaptureUnsupported);
  mine = std::make_unique<StandInCapture>(StandInCapture{.number = ++captures, .first = stream});
  mine->reached[stream];
  stream->capture = mine.get();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (!mine || mine->first != stream) return said(cudaErrorInvalidValue);
  const auto capture = taken_out();
  if (capture->spoilt || failing == GraphCall::end) return said(cudaErrorStreamCaptureInvalidated);
  if (!is_joined(*capture)) return said(cudaErrorStreamCaptureUnjoined);
  *graph = new StandInGraph{current_device(), std::move(capture->works)};
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  if (failing == GraphCall::instantiate) return said(cudaErrorNotSupported);
  *made = new StandInGraph(*graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  current_device();
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  ++launched;
  return ask(stream, [graph] {
    for (const auto& work : graph->works) work();
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!event) return said(cudaErrorInvalidResourceHandle);
  StandInCapture* capture = stream ? stream->capture : nullptr;
  if (event->captured == 0) {
    if (!capture || !event->recorded) return cudaSuccess;
    return spoil(*capture, cudaErrorStreamCaptureIsolation);
  }
  if (!stream || !mine || mine->number != event->captured || (capture && capture != mine.get()))
    return said(cudaErrorCapturedEvent);
  stream->capture = mine.get();
  for (const auto& [other, works] : event->reached) {
    int& known = mine->reached[stream][other];
    known = std::max(known, works);
  }
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (stream && stream->device != current_device()) return said(cudaErrorInvalidResourceHandle);
  StandInCapture* capture = stream ? stream->capture : nullptr;
  event->recorded = true;
  event->when = std::chrono::steady_clock::now();
  event->captured = capture ? capture->number : 0;
  if (capture) event->reached = capture->reached[stream];
  return cudaSuccess;
}
