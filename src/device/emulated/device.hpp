// A device in host memory, for tests of all that runs on devices where there is none: strict about memory, adversarial
// about time (see scheduler.hpp).
//
// SHARDFFT_EMULATED_DEVICES: how many there are (4). SHARDFFT_EMULATED_BYTES: memory of each (1 GiB).
// SHARDFFT_EMULATED_REACH: 0 when no device reaches another's memory. SHARDFFT_EMULATED_SEED: of the order of work.
// SHARDFFT_EMULATED_GRAPHS: 0 when no queue is captured.
#pragma once

#include <array>
#include <atomic>
#include <mutex>

#include "device/device.hpp"
#include "device/emulated/scheduler.hpp"

namespace shardfft::emulated {

inline constexpr int most_devices = 64;

class EmulatedDevice final : public Device {
 public:
  explicit EmulatedDevice(int number);

  [[nodiscard]] std::string_view space() const override { return "emulated"; }
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

  [[nodiscard]] const LineRef& default_line() const { return default_line_; }

  [[nodiscard]] bool reaches(const Device& other) override;
  [[nodiscard]] SharedName share(std::byte* memory) override;
  [[nodiscard]] std::byte* open_shared(const SharedName& name) override;
  void close_shared(std::byte*) noexcept override {}
  [[nodiscard]] std::unique_ptr<Event> open_event(const SharedName& name, const std::byte* memory) override;

  /// Whose memory [memory, memory + bytes) is, as far as this device may use it.
  enum class Owner { host, pinned, device };
  /// Throws Error(device_failed) for what a GPU would fail at: memory that was freed, that ends too early, of a device
  /// that was not asked for with reaches(), nullptr.
  [[nodiscard]] Owner owner_of(const std::byte* memory, std::size_t bytes, const char* use) const;
  /// owner_of(), but throws Error(device_failed) if the owner is not the one at the time of the request.
  void check_still(Owner before, const std::byte* memory, std::size_t bytes, const char* use) const;
  /// Throws as owner_of(), and for host memory that is not pinned.
  void check(const std::byte* memory, std::size_t bytes, const char* use) const;

 private:
  int number_;
  LineRef default_line_;
  std::mutex allocating_{};
  std::array<std::atomic<bool>, most_devices> reached_{};
};

[[nodiscard]] std::unique_ptr<Queue> queue_on(EmulatedDevice& device, LineRef line);
[[nodiscard]] std::unique_ptr<Event> event_of(const EmulatedDevice& device, bool timed);
[[nodiscard]] std::unique_ptr<MoveList> move_list(const MoveSpec& spec, std::span<const BoxMove> boxes);
[[nodiscard]] std::unique_ptr<Fft> fft_of(const FftSpec& spec);

}  // namespace shardfft::emulated
