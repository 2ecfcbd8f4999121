// Whether another process of this machine still runs.
#pragma once

#include <cstdint>

namespace shardfft {

/// A process, told apart from a later one with the same number by when it started.
struct ProcessId {
  std::int64_t pid = 0;
  std::int64_t start_time = 0;  ///< clock ticks since boot
};

[[nodiscard]] ProcessId this_process();
/// False when it ended, also when nobody has reaped it yet. Does not allocate.
[[nodiscard]] bool is_alive(const ProcessId& process);

}  // namespace shardfft
