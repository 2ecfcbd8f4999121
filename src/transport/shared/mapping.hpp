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
  /// `fd`: file to share, or -1 for memory of this process only, `sparse` when most of it will never be used. `from`:
  /// where in the file, a multiple of huge_page. Throws Error(out_of_memory).
  Mapping(Index bytes, int fd, bool sparse = false, Index from = 0);
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Mapping();

  /// Whole pages of this mapping, which must outlive it.
  [[nodiscard]] Mapping part(Index from, Index bytes) const;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] Index bytes() const { return bytes_; }
  /// Takes the memory of a part (whole pages) now, next to the core that runs this: in huge pages where that is wanted
  /// and possible, and then also what lies beside it in the same ones. What is in it stays, and others may use it
  /// meanwhile. Linux gives huge pages to shared memory by itself only where an administrator asked for it
  /// (/sys/kernel/mm/transparent_hugepage/shmem_enabled); this way it does from 6.1 on.
  void populate(Index from, Index bytes, bool huge) const;
  /// Gives the memory of a part (whole pages) back. It reads as zeros from now on.
  void give_back(Index from, Index bytes) const;

 private:
  void populate(Index from, Index bytes) const;
  void take_huge_pages(Index from, Index bytes) const;
  void swap(Mapping& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(reserved_, other.reserved_);
    std::swap(reserved_bytes_, other.reserved_bytes_);
    std::swap(shared_, other.shared_);
  }

  std::byte* data_ = nullptr;
  Index bytes_ = 0;
  void* reserved_ = nullptr;
  Index reserved_bytes_ = 0;
  bool shared_ = false;
};

}  // namespace shardfft
