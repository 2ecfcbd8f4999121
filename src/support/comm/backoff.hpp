// How a rank waits for another one that may run on the same core.
#pragma once

#include <sched.h>

#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace shardfft {

/// A moment of a loop that waits.
inline void relax_processor() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Lets the caller of `while (!done()) backoff.pause()` react within a microsecond when the wait is short and leave
/// the core to others when it is not.
class Backoff {
 public:
  /// `sleeps`: may sleep (50 us) after the first millisecond. Not where each call of done() also moves data.
  explicit Backoff(bool sleeps) : sleeps_(sleeps) {}

  /// Returns true about once per millisecond: time to ask whether the others are still alive.
  bool pause() {
    if (pauses_ < spins) {
      ++pauses_;
      relax_processor();
      return false;
    }
    const auto now = std::chrono::steady_clock::now();
    if (pauses_ == spins) {
      ++pauses_;
      last_ = now;
    }
    const bool due = now - last_ > std::chrono::milliseconds(1);
    if (due) last_ = now;
    long_ = long_ || due;
    if (long_ && sleeps_)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else
      sched_yield();
    return due;
  }

 private:
  static constexpr int spins = 60;  // 1 to 2 us

  bool sleeps_, long_ = false;
  int pauses_ = 0;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace shardfft
