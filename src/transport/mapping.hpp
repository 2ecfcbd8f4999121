// A piece of address space that starts where a huge page may start.
#pragma once

#include <cstddef>
#include <utility>

#include "shardfft/box.hpp"

namespace shardfft {

inline constexpr Index huge_page = Index{2} << 20;
inline constexpr Index small_page = 4096;

/// Mapped memory, zero at first, aligned to huge_page; unmapped when destroyed.
class Mapping {
 public:
  Mapping() = default;
  /// `fd`: file to share, or -1 for memory of this process only. Throws Error(out_of_memory).
  Mapping(Index bytes, int fd);
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mapping();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Takes all its memory now, next to the core that runs this. What is in it stays.
  void populate() const;

 private:
  void swap(Mapping& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(reserved_, other.reserved_);
    std::swap(reserved_bytes_, other.reserved_bytes_);
  }

  std::byte* data_ = nullptr;
  Index bytes_ = 0;
  void* reserved_ = nullptr;
  Index reserved_bytes_ = 0;
};

}  // namespace shardfft
