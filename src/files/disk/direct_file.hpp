// Reading and writing large files without filling the system's cache with them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "shardfft/box.hpp"

namespace shardfft::files {

/// Offsets, lengths and addresses of direct reads and writes are multiples of it.
inline constexpr Index direct_alignment = 4096;

/// Shorter ones are faster through the system's cache.
inline constexpr Index least_direct = 16 * direct_alignment;

[[nodiscard]] constexpr Index down_to_direct(Index bytes) { return bytes / direct_alignment * direct_alignment; }
[[nodiscard]] constexpr Index up_to_direct(Index bytes) { return down_to_direct(bytes + direct_alignment - 1); }

/// Memory for direct reads and writes, kept for the next one. Its content is lost when it grows.
class DirectBuffer {
 public:
  [[nodiscard]] std::byte* room(Index bytes);

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte[], Free> memory_{};
  Index bytes_ = 0;
};

/// An open file, past the system's cache where its file system allows that. Elsewhere it goes through the cache, and
/// leaves nothing there. Functions return 0, or as errno; any thread.
class DirectFile {
 public:
  /// `fd` is open as `flags` say (O_RDONLY, O_RDWR), and stays the caller's. -1: no file.
  explicit DirectFile(int fd = -1, int flags = 0);
  ~DirectFile();
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  /// Reads `bytes` from `offset` on, which are multiples of the alignment like `to`. `end_of_file`: a file that ends
  /// after `least` of these bytes.
  [[nodiscard]] int read(std::byte* to, Index bytes, Index offset, Index least) const;
  /// Writes all of `data`. Ends that are not aligned, and what is short, go through the cache.
  [[nodiscard]] int write(std::span<const std::byte> data, Index offset) const;
  /// When much was written through the cache: waits until it is on the disk, and drops it there. Not two threads at
  /// once.
  [[nodiscard]] int settle() const;

  static constexpr int end_of_file = -1;

 private:
  [[nodiscard]] int used() const;
  [[nodiscard]] int write_direct(std::span<const std::byte> data, Index offset) const;
  [[nodiscard]] int write_cached(std::span<const std::byte> data, Index offset) const;

  int fd_, direct_ = -1;
  mutable std::atomic<bool> is_direct_{false};
  mutable std::atomic<Index> unsettled_{0};  ///< bytes written through the cache
};

/// Starts the way of written bytes to the disk, so that they leave the system's cache evenly.
void start_to_disk(int fd, Index offset, Index bytes);
/// Drops from the system's cache what of a file is on the disk.
void drop_from_cache(int fd);

}  // namespace shardfft::files
