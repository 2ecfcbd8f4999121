// How long something has been running, without the time in which its job was stopped.
#pragma once

#include <algorithm>
#include <chrono>

namespace shardfft::cli {

/// Told the time again and again. Where nobody told it for long, the process did not run either: a job that was stopped
/// (SIGSTOP, a suspended batch job, a laptop that slept) goes on where it was.
class RunningTime {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds longest_gap{
      1};  ///< that counts: of a watch that looks twenty times a second, far more than a busy machine delays it

  void start(Moment now) {
    last_ = now;
    so_far_ = Seconds(0);
  }
  /// Since start().
  Seconds at(Moment now) {
    so_far_ += std::min(Seconds(now - last_), longest_gap);
    last_ = now;
    return so_far_;
  }

 private:
  Moment last_{};
  Seconds so_far_{0};
};

}  // namespace shardfft::cli
