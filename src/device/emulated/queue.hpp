// A queue of an emulated device: what it is asked for is added to its line of the scheduler.
#pragma once

#include <functional>

#include <fmt/format.h>

#include "device/emulated/device.hpp"
#include "shardfft/error.hpp"

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
  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>& calls) override;
  void launch(const Graph& graph) override;
  void synchronize() override;
  void finish() noexcept override;
  [[nodiscard]] bool idle() override;
  [[nodiscard]] void* native() const override { return line_.get(); }

  [[nodiscard]] const EmulatedDevice& device() const { return device_; }
  void add(std::function<void()> run, bool launches = true) { scheduler().add(line_, std::move(run), launches); }

 private:
  EmulatedDevice& device_;
  LineRef line_;
};

/// The queue, event, list or graph as this driver's; throws Error(invalid_argument) for one of another driver.
template <class Wanted, class Given>
[[nodiscard]] Wanted& of_this_driver(Given& given, const char* what) {
  if (auto* wanted = dynamic_cast<Wanted*>(&given)) return *wanted;
  throw Error(
      Status::invalid_argument,
      fmt::format("a queue of an emulated device takes {} of emulated devices; got one of another driver", what));
}

/// Throws Error(invalid_argument) for queues of other drivers.
[[nodiscard]] EmulatedQueue& emulated_queue(Queue& queue);

}  // namespace shardfft::emulated
