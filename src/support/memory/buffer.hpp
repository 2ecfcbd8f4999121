// Owned, aligned memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace shardfft {

/// `bytes` of memory aligned to a page, or to 2 MiB and advised to use huge pages when it is large; not initialised.
/// Freed with std::free. Throws Error(out_of_memory) that names `purpose`.
[[nodiscard]] std::byte* allocate(std::size_t bytes, const char* purpose);

struct FreeMemory {
  void operator()(std::byte* p) const { std::free(p); }
};
using Memory = std::unique_ptr<std::byte, FreeMemory>;

}  // namespace shardfft
