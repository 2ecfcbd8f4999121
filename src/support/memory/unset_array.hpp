// Room for what is written before it is read.
#pragma once

#include <cstddef>
#include <type_traits>

namespace shardfft {

/// A std::array<T, n> that starts uninitialised, T's default members too. Compilers set those with `rep stos` even for
/// two elements (8³: 1.5 µs, 1.4 without).
template <class T, std::size_t n>
  requires(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>)
class UnsetArray {
 public:
  [[nodiscard]] T* data() { return reinterpret_cast<T*>(memory_); }
  [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(memory_); }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  alignas(T) std::byte memory_[n * sizeof(T)];  // creates such objects by itself, as T are aggregates
};

}  // namespace shardfft
