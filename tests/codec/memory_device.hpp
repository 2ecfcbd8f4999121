// The least device: host memory of exactly the length asked for, so that sanitizers see what is read or written
// outside, and a queue that does at once what it is asked for.
#pragma once

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "device/device.hpp"
#include "device/kernels/codec/codec_passes.hpp"
#include "device/kernels/launch.hpp"

namespace shardfft::testing {

[[noreturn]] inline void not_here() { throw std::logic_error("the tests' device cannot do that"); }

// All is done at once.
class MemoryEvent final : public Event {
 public:
  [[nodiscard]] bool done() const override { return true; }
  void synchronize() const override {}
  [[nodiscard]] double seconds_since(const Event&) const override { not_here(); }
  [[nodiscard]] SharedName share() const override { not_here(); }
};

class MemoryQueue : public Queue {
 public:
  void copy(void* to, const void* from, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void copy_rows(const RowsCopy&) override { not_here(); }
  void zero(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }
  void move(const MoveList&, const MoveBases&, double) override { not_here(); }
  void run(const DeviceTask& task) override {
    std::visit([](const auto& t) { kernels::passes(t, [](const auto& kernel) { run_on_host(kernel); }); }, task);
  }
  void record(Event&) override {}
  void wait(const Event&) override {}
  [[nodiscard]] std::unique_ptr<Graph> capture(const std::function<void()>&) override { return nullptr; }
  void launch(const Graph&) override { not_here(); }
  void synchronize() override {}
  [[nodiscard]] bool idle() override { return true; }
  [[nodiscard]] void* native() const override { return nullptr; }
};

class MemoryDevice final : public Device {
 public:
  [[nodiscard]] std::string_view space() const override { return "memory"; }
  [[nodiscard]] int number() const override { return 0; }
  [[nodiscard]] DeviceFacts facts() const override { return {}; }
  [[nodiscard]] std::byte* allocate(std::size_t bytes, const char*) override {
    void* memory = nullptr;
    if (posix_memalign(&memory, 256, bytes) != 0) throw std::bad_alloc();
    std::memset(memory, 0xA5, bytes);
    return static_cast<std::byte*>(memory);
  }
  void free(std::byte* memory) noexcept override { std::free(memory); }
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes, const char* purpose) override {
    return allocate(bytes, purpose);
  }
  void free_pinned(std::byte* memory) noexcept override { std::free(memory); }
  [[nodiscard]] bool pin(std::byte*, std::size_t) override { return false; }
  void unpin(std::byte*) noexcept override {}
  [[nodiscard]] std::unique_ptr<Queue> make_queue() override { return std::make_unique<MemoryQueue>(); }
  [[nodiscard]] std::unique_ptr<Queue> queue_of(void*) override { not_here(); }
  [[nodiscard]] std::unique_ptr<Event> make_event(bool) override { return std::make_unique<MemoryEvent>(); }
  [[nodiscard]] std::unique_ptr<Event> make_timed_event() override { not_here(); }
  [[nodiscard]] std::unique_ptr<MoveList> make_moves(const MoveSpec&, std::span<const BoxMove>) override { not_here(); }
  [[nodiscard]] std::unique_ptr<Fft> make_fft(const FftSpec&) override { not_here(); }
  [[nodiscard]] bool reaches(const Device&) override { return true; }
  [[nodiscard]] SharedName share(std::byte*) override { not_here(); }
  [[nodiscard]] std::byte* open_shared(const SharedName&) override { not_here(); }
  void close_shared(std::byte*) noexcept override {}
  [[nodiscard]] std::unique_ptr<Event> open_event(const SharedName&, const std::byte*) override { not_here(); }
};

}  // namespace shardfft::testing
