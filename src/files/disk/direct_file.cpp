#include "files/disk/direct_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "files/disk/partial_file.hpp"

namespace shardfft::files {
namespace {

/// Bytes that may wait in the system's cache to be written.
constexpr Index most_unsettled = Index{64} << 20;

/// Opens the file behind `fd` once more; -1 where its file system does not let it past the cache.
int open_direct(int fd, int flags) {
#ifdef O_DIRECT
  return fd < 0 ? -1 : ::open(fmt::format("/proc/self/fd/{}", fd).c_str(), flags | O_DIRECT | O_CLOEXEC);
#else
  return -1;
#endif
}

}  // namespace

void DirectBuffer::Free::operator()(std::byte* memory) const { std::free(memory); }

std::byte* DirectBuffer::room(Index bytes) {
  if (bytes > bytes_) {
    memory_.reset();
    bytes_ = 0;
    memory_.reset(
        static_cast<std::byte*>(std::aligned_alloc(direct_alignment, static_cast<std::size_t>(up_to_direct(bytes)))));
    if (!memory_) throw std::bad_alloc();
    bytes_ = bytes;
  }
  return memory_.get();
}

DirectFile::DirectFile(int fd, int flags) : fd_(fd), direct_(open_direct(fd, flags)), is_direct_(direct_ >= 0) {}

DirectFile::~DirectFile() {
  if (direct_ >= 0) ::close(direct_);
}

int DirectFile::used() const { return is_direct_.load(std::memory_order_relaxed) ? direct_ : fd_; }

// A file system may refuse direct access only when it is used (EINVAL).
int DirectFile::read(std::byte* to, Index bytes, Index offset, Index least) const {
  for (Index done = 0; done < least;) {
    const int fd = used();
    const ssize_t n = ::pread(fd, to + done, static_cast<std::size_t>(bytes - done), offset + done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EINVAL && fd == direct_) {
      is_direct_ = false;
      continue;
    }
    if (n <= 0) return n < 0 ? errno : end_of_file;
    done += n;
  }
  if (!is_direct_) (void)::posix_fadvise(fd_, offset, bytes, POSIX_FADV_DONTNEED);
  return 0;
}

int DirectFile::write(std::span<const std::byte> data, Index offset) const {
  const Index end = offset + static_cast<Index>(data.size());
  const Index first = up_to_direct(offset), last = down_to_direct(end);
  if (!is_direct_ || last - first < least_direct) return write_cached(data, offset);
  const auto before = static_cast<std::size_t>(first - offset), inside = static_cast<std::size_t>(last - first);
  if (const int why = write_cached(data.first(before), offset)) return why;
  if (const int why = write_direct(data.subspan(before, inside), first)) return why;
  return write_cached(data.subspan(before + inside), last);
}

int DirectFile::write_direct(std::span<const std::byte> data, Index offset) const {
  thread_local DirectBuffer buffer;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data.data()) % direct_alignment == 0;
  std::byte* const copy = aligned ? nullptr : buffer.room(static_cast<Index>(data.size()));
  if (!aligned) std::memcpy(copy, data.data(), data.size());
  const int why = write_all(direct_, aligned ? data : std::span<const std::byte>(copy, data.size()), offset);
  if (why != EINVAL) return why;
  is_direct_ = false;
  return write_cached(data, offset);
}

int DirectFile::write_cached(std::span<const std::byte> data, Index offset) const {
  if (data.empty()) return 0;
  const int why = write_all(fd_, data, offset);
  const auto bytes = static_cast<Index>(data.size());
  if (bytes >= least_direct) start_to_disk(fd_, offset, bytes);
  unsettled_.fetch_add(bytes, std::memory_order_relaxed);
  return why;
}

int DirectFile::settle() const {
  if (unsettled_ < most_unsettled) return 0;
  unsettled_ = 0;
  if (::fdatasync(fd_) != 0) return errno;
  drop_from_cache(fd_);
  return 0;
}

void start_to_disk(int fd, Index offset, Index bytes) {
#ifdef SYNC_FILE_RANGE_WRITE
  (void)::sync_file_range(fd, offset, bytes, SYNC_FILE_RANGE_WRITE);
#endif
}

void drop_from_cache(int fd) { (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); }

}  // namespace shardfft::files
