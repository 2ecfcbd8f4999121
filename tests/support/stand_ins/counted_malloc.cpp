#include "support/stand_ins/counted_malloc.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<long> counted{0}, asked{0};
thread_local std::size_t too_large = std::numeric_limits<std::size_t>::max();

void note(std::size_t bytes) {
  if (!counting.load(std::memory_order_relaxed)) return;
  counted.fetch_add(1, std::memory_order_relaxed);
  asked.fetch_add(static_cast<long>(bytes), std::memory_order_relaxed);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  note(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t n, std::size_t bytes) {
  note(n * bytes);
  return __libc_calloc(n, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  note(bytes);
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return bytes >= too_large ? nullptr : __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}

}  // extern "C"

namespace shardfft::testing {

CountAllocations::CountAllocations() {
  counted = asked = 0;
  counting = true;
}
CountAllocations::~CountAllocations() { counting = false; }
long CountAllocations::count() const { return counted; }
long CountAllocations::bytes() const { return asked; }

FailLargeAllocations::FailLargeAllocations(std::size_t bytes) { too_large = bytes; }
FailLargeAllocations::~FailLargeAllocations() { too_large = std::numeric_limits<std::size_t>::max(); }

}  // namespace shardfft::testing
