// The machine that the program runs on, as the operating system tells it.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::cli {

struct MachineFacts {
  std::string system{}, cpu{}, simd{};
  int cores = 0;                                    ///< that this process may use
  std::vector<std::string> caches{};                ///< "L1d 32K", "L2 1024K", of one core
  Index memory = 0, memory_available = 0;           ///< bytes
  Index shared_memory = 0, shared_memory_free = 0;  ///< bytes of /dev/shm; 0 when there is none
};
[[nodiscard]] MachineFacts look_at_machine();

}  // namespace shardfft::cli
