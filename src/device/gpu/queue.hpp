// OutOfCoreBuffers of a GPU.
#pragma once

#include "device/device.hpp"
#include "device/gpu/names.hpp"

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

}  // namespace shardfft::SHARDFFT_GPU
