// Queues of a GPU, and graphs of what they were asked for.
#pragma once

#include <functional>
#include <memory>

#include "device/device.hpp"
#include "device/gpu/check.hpp"
#include "support/handle.hpp"

namespace shardfft::SHARDFFT_GPU {

class GpuQueue final : public Queue {
 public:
  explicit GpuQueue(int device);
  /// The caller's stream, which stays the caller's.
  GpuQueue(int device, gpuStream_t stream) : device_(device), stream_(stream) {}
  GpuQueue(const GpuQueue&) = delete;
  GpuQueue& operator=(const GpuQueue&) = delete;
  ~GpuQueue() override;

  void copy(void* to, const void* from, std::size_t bytes) override;
  void copy_rows(const RowsCopy& rows) override;
  void zero(void* memory, std::size_t bytes) override;
  void move(const MoveList& list, const MoveBases& bases, double scale) override;
  void run(const DeviceTask& task) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>& calls) override;
  void launch(const Graph& graph) override;
  void synchronize() override;
  [[nodiscard]] bool idle() override;
  [[nodiscard]] void* native() const override { return stream_; }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] gpuStream_t stream() const { return stream_; }

 private:
  int device_;
  gpuStream_t stream_ = nullptr;
  bool owned_ = false;
};

class GpuGraph final : public Graph {
 public:
  /// A graph of the calls that `calls` makes on `stream`, a stream of `device`, which is current. nullptr if the vendor
  /// cannot capture or instantiate them. No stream is in capture when it returns or throws.
  [[nodiscard]] static std::unique_ptr<Graph> of(int device, gpuStream_t stream, const std::function<void()>& calls);
  GpuGraph(const GpuGraph&) = delete;
  GpuGraph& operator=(const GpuGraph&) = delete;
  ~GpuGraph() override {
    release_on(device_, [&] { graph_.reset(); });
  }
  [[nodiscard]] gpuGraphExec_t get() const { return graph_.get(); }

 private:
  static void destroy(gpuGraphExec_t graph) { ignore(gpuGraphExecDestroy(graph)); }
  GpuGraph(int device, gpuGraphExec_t graph) : device_(device), graph_(graph) {}

  int device_;
  Handle<gpuGraphExec_t, destroy> graph_;
};

}  // namespace shardfft::SHARDFFT_GPU
