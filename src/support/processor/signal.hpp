// How threads of one process wait for each other.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

#include "support/comm/backoff.hpp"

namespace shardfft {

/// A number on which threads wait. They spin while that is quick, then sleep. They never yield: on a busy machine that
/// costs a thread its turn, and one that sleeps is back at once.
class Signal {
 public:
  explicit Signal(std::uint32_t value = 0) : value_(value) {}
  [[nodiscard]] std::uint32_t value() const { return value_.load(std::memory_order_acquire); }
  /// Nobody may wait.
  void set(std::uint32_t value) { value_.store(value, std::memory_order_relaxed); }
  void add_one() {
    value_.fetch_add(1);
    wake();
  }
  /// Wakes those that wait once it is 0.
  void take_one() {
    if (value_.fetch_sub(1) == 1) wake();
  }
  /// Waits until it is not `old`, and returns what it is then. Spins for `patience` first.
  std::uint32_t after(std::uint32_t old, std::chrono::microseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    do
      for (int i = 0; i < 16; ++i) {
        if (const std::uint32_t now = value(); now != old) return now;
        relax_processor();
      }
    while (std::chrono::steady_clock::now() < end);
    sleepers_.fetch_add(1);
    std::uint32_t now = old;
    while ((now = value_.load()) == old) syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, old, nullptr, nullptr, 0);
    sleepers_.fetch_sub(1);
    return now;
  }

 private:
  void wake() {
    if (sleepers_.load() > 0) syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  alignas(64) std::atomic<std::uint32_t> value_;
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace shardfft
