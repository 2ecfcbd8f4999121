// An in-order queue of SYCL.
#pragma once

#include <sycl/sycl.hpp>

#include "device/device.hpp"
#include "device/sycl/device.hpp"

namespace shardfft::on_sycl {

/// In order; with times where the device knows them by queues only.
[[nodiscard]] sycl::property_list queue_properties(const sycl::device& device);

class SyclQueue final : public Queue {
 public:
  /// `native`: where the caller's queue is; nullptr: the queue is this object's.
  SyclQueue(SyclDevice& device, sycl::queue queue, void* native)
      : device_(device), queue_(std::move(queue)), native_(native ? native : &queue_) {}
  SyclQueue(const SyclQueue&) = delete;
  SyclQueue& operator=(const SyclQueue&) = delete;

  void copy(void* to, const void* from, std::size_t bytes) override;
  void copy_rows(const RowsCopy& rows) override;
  void zero(void* memory, std::size_t bytes) override;
  void move(const MoveList& list, const MoveBases& bases, double scale) override;
  void run(const DeviceTask& task) override;
  void record(Event& event) override;
  void wait(const Event& event) override;
  /// None: nullptr.
  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>& calls) override;
  void launch(const Graph& graph) override;
  void synchronize() override;
  [[nodiscard]] bool idle() override;
  [[nodiscard]] void* native() const override { return native_; }

  [[nodiscard]] SyclDevice& device() const { return device_; }
  [[nodiscard]] sycl::queue& get() { return queue_; }

 private:
  /// Whether only the host knows this memory.
  [[nodiscard]] bool is_of_host(const void* memory) const;
  SyclDevice& device_;
  sycl::queue queue_;
  void* native_;
};

}  // namespace shardfft::on_sycl
