// Events of a GPU.
#pragma once

#include "device/device.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

enum class EventUse { plain, shareable, timed };

class GpuEvent final : public Event {
 public:
  GpuEvent(int device, EventUse kind);
  /// An event of another process, for work of `device`.
  GpuEvent(int device, const SharedName& name);
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;
  ~GpuEvent() override;

  [[nodiscard]] bool done() const override;
  void synchronize() const override;
  [[nodiscard]] double seconds_since(const Event& earlier) const override;
  [[nodiscard]] SharedName share() const override;
  [[nodiscard]] gpuEvent_t get() const { return event_; }

 private:
  int device_;
  bool shareable_;
  gpuEvent_t event_ = nullptr;
};

}  // namespace shardfft::SHARDFFT_GPU
