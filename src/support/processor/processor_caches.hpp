// The caches of a core, as Linux tells them.
#pragma once

#include <string>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

struct ProcessorCache {
  int level = 0;
  bool data_only = false;  ///< holds no instructions
  Index bytes = 0;         ///< of all of it, however many cores share it
};

/// Those that hold data, from the core outwards; none where the system does not tell. The C library's
/// sysconf(_SC_LEVEL3_CACHE_SIZE) is no substitute: glibc 2.36 multiplies AMD's third level by the cores that share it.
[[nodiscard]] std::vector<ProcessorCache> processor_caches(
    const std::string& folder = "/sys/devices/system/cpu/cpu0/cache");

/// Bytes of the one of that level; `otherwise` where there is none.
[[nodiscard]] Index cache_bytes(int level, Index otherwise);

}  // namespace shardfft
