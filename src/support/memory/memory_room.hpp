// How much memory there is to be had: asked before an array is read, so that what cannot fit is refused at once.
#pragma once

#include <string>

#include "shardfft/box.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/programs/machine.hpp"  // MemoryNeed, why_no_room

namespace shardfft {

/// Bytes that can still be taken, and what limits them: "memory.max of the control group /job".
struct MemoryRoom {
  Index bytes = 0;
  std::string limit{};
};

/// Of all processes of this machine together: the least of what the machine has available, with swap, and what the
/// limits of the control groups (version 1 and 2) of this process leave, its own and those around it. Memory of the
/// page cache can be had. `root`: where /proc and /sys are looked for.
[[nodiscard]] MemoryRoom room_on_node(const std::string& root = "");
/// Of this process: what RLIMIT_AS and RLIMIT_DATA leave.
[[nodiscard]] MemoryRoom room_of_process(const std::string& root = "");

}  // namespace shardfft
