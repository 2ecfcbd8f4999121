// Whether another process of this machine still runs.
#pragma once

#include <cstdint>

namespace shardfft {

/// A process, told apart from a later one with the same number by when it started.
struct ProcessId {
  std::int64_t pid = 0;
  std::int64_t start_time = 0;  ///< clock ticks since boot
  std::int64_t numbering = 0;   ///< its name space of process numbers; 0: not known
};

[[nodiscard]] ProcessId this_process();
/// False when it ended, also when nobody has reaped it yet. Does not allocate.
[[nodiscard]] bool is_alive(const ProcessId& process);
/// Whether `me`, this process, can know that of `other`, which runs now or did a moment ago: not if its numbers are
/// those of another container. Looks only where the name spaces do not tell.
[[nodiscard]] bool can_see(const ProcessId& me, const ProcessId& other);

}  // namespace shardfft
