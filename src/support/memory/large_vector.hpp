// Vectors of numbers that may be many: in huge pages then, and not set to zero before they are written. They begin with
// a cache line.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "support/memory/buffer.hpp"

namespace shardfft {

template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n * sizeof(T) >= large)
      return reinterpret_cast<T*>(shardfft::allocate(n * sizeof(T), "tables of the transform"));
    return static_cast<T*>(::operator new(n * sizeof(T), line));
  }
  void deallocate(T* p, std::size_t n) {
    if (n * sizeof(T) >= large)
      FreeMemory()(reinterpret_cast<std::byte*>(p));
    else
      ::operator delete(p, line);
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    if constexpr (sizeof...(Args) == 0)
      ::new (static_cast<void*>(p)) U;
    else
      ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

 private:
  static constexpr std::align_val_t line{64};
  static constexpr std::size_t large = std::size_t{4} << 20;
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace shardfft
