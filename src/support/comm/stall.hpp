// A rank that waits long for others says so, and for whom. Nothing is ended.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Why a rank of the group is waited for.
struct Owed {
  int rank = 0;
  std::string what;  ///< "owes chunk 0 of exchange 1, 4096 bytes"
};

/// SHARDFFT_STALL_SECONDS: how long a rank waits in silence; 0: for ever. Throws Error(invalid_argument) for another
/// text than a number of seconds.
[[nodiscard]] std::chrono::nanoseconds stall_limit();

/// Who waits, by which transport, and how long in silence. Reads stall_limit().
class StallWatch {
 public:
  StallWatch(std::string_view transport, const Comm& comm)
      : transport_(transport), comm_(comm), limit_(stall_limit()) {}

  [[nodiscard]] std::chrono::nanoseconds limit() const { return limit_; }
  /// Names the ranks, a few of them. Returns false, and is silent, if there are none.
  bool say(const std::vector<Owed>& owed) const;
  /// `whom`: for whom this rank waits, and what to do.
  bool say(std::string_view whom) const;

 private:
  std::string_view transport_;
  Comm comm_;
  std::chrono::nanoseconds limit_;
};

/// One wait, which says once that it is long. Allocates nothing before.
class Stall {
 public:
  explicit Stall(const StallWatch& watch) : watch_(watch) {}

  /// `due`: what Backoff::pause() returned. `owing` returns what StallWatch::say() takes.
  template <class Owing>
  void look(bool due, const Owing& owing) {
    if (due && is_long()) said_ = watch_.say(owing());
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// A process that was stopped has not waited meanwhile: time between two looks counts up to a tenth of the limit.
  bool is_long() {
    const std::chrono::nanoseconds limit = watch_.limit();
    if (said_ || limit.count() == 0) return false;
    const auto now = Clock::now();
    if (looked_ != Clock::time_point{}) waited_ += std::min<std::chrono::nanoseconds>(now - looked_, limit / 10);
    looked_ = now;
    return waited_ >= limit;
  }

  const StallWatch& watch_;
  bool said_ = false;
  Clock::time_point looked_{};
  std::chrono::nanoseconds waited_{};
};

}  // namespace shardfft
