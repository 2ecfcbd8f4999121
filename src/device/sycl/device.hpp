// One device of SYCL.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include <sycl/sycl.hpp>

#include "device/device.hpp"
#include "device/sycl/kernel_table.hpp"

namespace shardfft::on_sycl {

inline constexpr const char* space_name = "sycl";

/// Its queues are in order, and of the platform's default context, so that they work with memory that the caller
/// allocated with a queue of this context.
class SyclDevice final : public Device, public std::enable_shared_from_this<SyclDevice> {
 public:
  SyclDevice(int number, const sycl::device& device);

  [[nodiscard]] std::string_view space() const override { return space_name; }
  [[nodiscard]] int number() const override { return number_; }
  [[nodiscard]] DeviceFacts facts() const override;

  [[nodiscard]] std::byte* allocate(std::size_t bytes, const char* purpose) override;
  void free(std::byte* memory) noexcept override;
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes, const char* purpose) override;
  void free_pinned(std::byte* memory) noexcept override;
  /// False: no CPU device has the extension for it, so that nothing could test it.
  [[nodiscard]] bool pin(std::byte* memory, std::size_t bytes) override;
  void unpin(std::byte*) noexcept override {}

  [[nodiscard]] std::unique_ptr<Queue> make_queue() override;
  /// `native`: a sycl::queue.
  [[nodiscard]] std::unique_ptr<Queue> queue_of(void* native) override;
  [[nodiscard]] std::unique_ptr<Event> make_event(bool shareable) override;
  [[nodiscard]] std::unique_ptr<Event> make_timed_event() override;
  [[nodiscard]] std::unique_ptr<MoveList> make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) override;
  [[nodiscard]] std::unique_ptr<Fft> make_fft(const FftSpec& spec) override;

  [[nodiscard]] bool reaches(const Device& other) override { return &other == this; }
  [[nodiscard]] SharedName share(std::byte* memory) override;
  [[nodiscard]] std::byte* open_shared(const SharedName& name) override;
  void close_shared(std::byte*) noexcept override {}
  [[nodiscard]] std::unique_ptr<Event> open_event(const SharedName& name, const std::byte* memory) override;

  [[nodiscard]] const sycl::device& get() const { return device_; }
  [[nodiscard]] const sycl::context& context() const { return context_; }
  [[nodiscard]] KernelTable& kernels() { return kernels_; }
  [[nodiscard]] PointsTo points_to(const void* memory) const;
  /// Copies a table from the host, and waits for that.
  void fill(std::byte* memory, std::span<const std::byte> table);

 private:
  int number_;
  sycl::device device_;
  sycl::context context_;
  sycl::queue default_;     ///< where callers give none
  sycl::queue tables_;      ///< takes tables to the device
  sycl::queue transforms_;  ///< where oneMKL works, in the order of events
  KernelTable kernels_;
  std::mutex sizes_lock_{};
  std::map<const std::byte*, std::size_t> sizes_{};  ///< of memory that was allocated here
  std::atomic<std::size_t> used_{0};
};

}  // namespace shardfft::on_sycl
