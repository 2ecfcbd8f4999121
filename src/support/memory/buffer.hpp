// Owned, aligned memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace shardfft {

/// `bytes` of memory aligned to a page, or to 2 MiB and advised to use huge pages when it is large; not initialised.
/// Freed with std::free. Throws Error(out_of_memory) that names `purpose`.
[[nodiscard]] std::byte* allocate(std::size_t bytes, const char* purpose);

/// Bytes that allocate() takes for so many.
[[nodiscard]] std::size_t allocated_bytes(std::size_t bytes) noexcept;

/// Gives the system back what the C library keeps of freed memory.
void release_freed_memory() noexcept;

struct FreeMemory {
  void operator()(std::byte* p) const { std::free(p); }
};
using Memory = std::unique_ptr<std::byte, FreeMemory>;

}  // namespace shardfft
