#include "support/memory/buffer.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <mutex>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

constexpr std::size_t page = 4096, huge_page = std::size_t{1} << 21;

std::size_t unit_of(std::size_t bytes) { return bytes >= 2 * huge_page ? huge_page : page; }

}  // namespace

std::size_t allocated_bytes(std::size_t bytes) noexcept {
  const std::size_t unit = unit_of(bytes);
  return (bytes + unit - 1) / unit * unit;
}

void release_freed_memory() noexcept {
#ifdef __GLIBC__
  // A first call that finds an allocator never used, as under sanitizers, sets it up: two threads at once crash.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  malloc_trim(0);
#endif
}

std::byte* allocate(std::size_t bytes, const char* purpose) {
  const std::size_t unit = unit_of(bytes), rounded = allocated_bytes(bytes);
  void* memory = rounded >= bytes ? std::aligned_alloc(unit, rounded == 0 ? unit : rounded) : nullptr;
  if (!memory)
    throw Error(
        Status::out_of_memory,
        fmt::format("{}: {} bytes are needed and the system has no such block; use more ranks or a smaller shape",
                    purpose, bytes));
  if (unit == huge_page)
    madvise(memory, rounded, MADV_HUGEPAGE);  // advice only: without huge pages it is a few percent slower
  return static_cast<std::byte*>(memory);
}

}  // namespace shardfft
