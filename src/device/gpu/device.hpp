// One GPU.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "device/device.hpp"
#include "device/gpu/names.hpp"

namespace shardfft::SHARDFFT_GPU {

class GpuDevice final : public Device, public std::enable_shared_from_this<GpuDevice> {
 public:
  explicit GpuDevice(int number) : number_(number) {}

  [[nodiscard]] std::string_view space() const override { return space_name; }
  [[nodiscard]] int number() const override { return number_; }
  [[nodiscard]] DeviceFacts facts() const override;

  [[nodiscard]] std::byte* allocate(std::size_t bytes, const char* purpose) override;
  void free(std::byte* memory) noexcept override;
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes, const char* purpose) override;
  void free_pinned(std::byte* memory) noexcept override;
  [[nodiscard]] bool pin(std::byte* memory, std::size_t bytes) override;
  void unpin(std::byte* memory) noexcept override;

  [[nodiscard]] std::unique_ptr<Queue> make_queue() override;
  [[nodiscard]] std::unique_ptr<Queue> queue_of(void* native) override;
  [[nodiscard]] std::unique_ptr<Event> make_event(bool shareable) override;
  [[nodiscard]] std::unique_ptr<Event> make_timed_event() override;
  [[nodiscard]] std::unique_ptr<MoveList> make_moves(const MoveSpec& spec, std::span<const BoxMove> boxes) override;
  [[nodiscard]] std::unique_ptr<Fft> make_fft(const FftSpec& spec) override;

  [[nodiscard]] bool reaches(const Device& other) override;
  [[nodiscard]] SharedName share(std::byte* memory) override;
  [[nodiscard]] std::byte* open_shared(const SharedName& name) override;
  void close_shared(std::byte* memory) noexcept override;
  [[nodiscard]] std::unique_ptr<Event> open_event(const SharedName& name, const std::byte* memory) override;

  /// A copy in memory of the device, for every queue to read.
  [[nodiscard]] DeviceMemory table(std::span<const std::byte> bytes, const char* purpose);

 private:
  /// Asks the vendor, and switches it on.
  [[nodiscard]] bool reach(int other) const;

  int number_;
  mutable std::once_flag asked_{};
  mutable DeviceFacts facts_{};  ///< those that stay
  std::mutex tables_lock_{};
  std::unique_ptr<Queue> tables_{};  ///< takes tables to the device: a plan may have thousands of them, and a queue for
                                     ///< each would take longer than the copies
  std::mutex reached_lock_{};
  std::map<int, bool> reached_{};  ///< what was found, by the number of the other device
};

}  // namespace shardfft::SHARDFFT_GPU
