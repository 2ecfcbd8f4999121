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

/// Memory that all processes of this machine can still have: the least of what the machine has available, with swap,
/// and what the limits of this process's control groups leave (version 1 and 2, with all groups around it). The page
/// cache counts as available. `root`: the folder that holds /proc and /sys.
[[nodiscard]] MemoryRoom room_on_node(const std::string& root = "");
/// Memory that RLIMIT_AS and RLIMIT_DATA leave to this process.
[[nodiscard]] MemoryRoom room_of_process(const std::string& root = "");
/// Whether to look for room where the rank that needs most needs `largest` bytes: it takes as long as a small plan.
[[nodiscard]] bool is_worth_looking(const Comm& comm, Index largest);

}  // namespace shardfft
