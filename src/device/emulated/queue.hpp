// A queue of an emulated device: what it is asked for is added to its line of the scheduler.
#pragma once

#include <functional>

#include "device/emulated/device.hpp"

namespace shardfft::emulated {

class EmulatedQueue final : public Queue {
 public:
  EmulatedQueue(EmulatedDevice& device, LineRef line) : device_(device), line_(std::move(line)) {}

  void copy(void* to, const void* from, std::size_t bytes) override;
  void copy_rows(const RowsCopy& rows) override;
  void zero(void* memory, std::size_t bytes) override;
  void move(const MoveList& list, const MoveBases& bases, double scale) override;
  void run(const DeviceTask& task) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  void synchronize() override;
  void finish() noexcept override;
  [[nodiscard]] bool idle() override;
  [[nodiscard]] void* native() const override { return line_.get(); }

  [[nodiscard]] const EmulatedDevice& device() const { return device_; }
  void add(std::function<void()> run) { scheduler().add(line_, std::move(run)); }

 private:
  EmulatedDevice& device_;
  LineRef line_;
};

/// Throws Error(invalid_argument) for queues of other drivers.
[[nodiscard]] EmulatedQueue& emulated_queue(Queue& queue);

}  // namespace shardfft::emulated
