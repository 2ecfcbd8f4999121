#include <utility>

#include "device/gpu/queue.hpp"
#include "shardfft/error.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

void destroy_description(gpuGraph_t graph) { ignore(gpuGraphDestroy(graph)); }
using Description = Handle<gpuGraph_t, destroy_description>;

/// Takes its stream out of the capture, and with it all that joined, whatever became of the calls.
class StreamCapture {
 public:
  explicit StreamCapture(gpuStream_t stream) : stream_(stream) {
    // Captures this thread's calls only. Other threads may use the vendor's library meanwhile.
    if (gpuStreamBeginCapture(stream, gpuStreamCaptureModeThreadLocal) == gpuSuccess)
      lasts_ = true;
    else
      forget_error();
  }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture() { static_cast<void>(end()); }

  [[nodiscard]] bool lasts() const { return lasts_; }
  /// Empty where a rule of captures was broken.
  [[nodiscard]] Description end() {
    gpuGraph_t graph = nullptr;
    if (std::exchange(lasts_, false)) ignore(gpuStreamEndCapture(stream_, &graph));
    return Description(graph);
  }

 private:
  gpuStream_t stream_;
  bool lasts_ = false;
};

}  // namespace

// A call that fails because it is captured says so again, or does not, when it is asked for without.
std::unique_ptr<Graph> GpuGraph::of(int device, gpuStream_t stream, const std::function<void()>& calls) {
  StreamCapture capture(stream);
  if (!capture.lasts()) return nullptr;
  try {
    calls();
  } catch (const Error&) { return nullptr; }
  const Description description = capture.end();
  gpuGraphExec_t graph = nullptr;
  if (!description || gpuGraphInstantiateWithFlags(&graph, description.get(), 0) != gpuSuccess) {
    forget_error();
    return nullptr;
  }
  return std::unique_ptr<Graph>(new GpuGraph(device, graph));
}

}  // namespace shardfft::SHARDFFT_GPU
