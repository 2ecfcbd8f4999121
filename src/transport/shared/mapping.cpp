#include "transport/shared/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "shardfft/error.hpp"

namespace shardfft {

Mapping::Mapping(Index bytes, int fd, bool sparse, Index from)
    : bytes_((bytes + small_page - 1) / small_page * small_page), shared_(fd >= 0) {
  const auto fail = [&] {
    const int error = errno;
    if (reserved_) munmap(reserved_, static_cast<std::size_t>(reserved_bytes_));
    throw Error(Status::out_of_memory, fmt::format("cannot map {} bytes: {}; use more nodes or a smaller array", bytes_,
                                                   std::strerror(error)));
  };
  const Index slack = bytes_ >= huge_page ? huge_page : 0;
  reserved_bytes_ = bytes_ + slack;
  void* reserved = mmap(nullptr, static_cast<std::size_t>(reserved_bytes_), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) fail();
  reserved_ = reserved;
  const auto start = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t aligned = slack ? (start + huge_page - 1) / huge_page * huge_page : start;
  const int kind = (shared_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | (sparse ? MAP_NORESERVE : 0);
  void* data = mmap(reinterpret_cast<void*>(aligned), static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE,
                    kind | MAP_FIXED, fd, static_cast<off_t>(from));
  if (data == MAP_FAILED) fail();
  if (slack)
    madvise(data, static_cast<std::size_t>(bytes_), MADV_HUGEPAGE);  // a wish; it is no error when it is not granted
  data_ = static_cast<std::byte*>(data);
}

Mapping::~Mapping() {
  if (reserved_) munmap(reserved_, static_cast<std::size_t>(reserved_bytes_));
}

Mapping Mapping::part(Index from, Index bytes) const {
  Mapping its;
  its.data_ = data_ + from;
  its.bytes_ = bytes;
  its.shared_ = shared_;
  return its;
}

void Mapping::populate(Index from, Index bytes, bool huge) const {
  if (huge && bytes >= huge_page) take_huge_pages(from, bytes);
  populate(from, bytes);
}

void Mapping::populate(Index from, Index bytes) const {
#if defined(MADV_POPULATE_WRITE)
  if (madvise(data_ + from, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return;
#endif
  for (Index at = from; at < from + bytes; at += small_page) {  // a Linux before 5.14
    auto* page = reinterpret_cast<volatile unsigned char*>(data_ + at);
    *page = *page;
  }
}

// Touching one small page of each huge page fixes the memory's node. Then Linux collapses what is there, and the holes,
// into a huge page. This takes a third of the time that all small pages take, and copies nothing. If the system is so
// short of huge pages that it searches long, the rest stays small.
void Mapping::take_huge_pages(Index from, Index bytes) const {
#if defined(MADV_COLLAPSE)
  constexpr int collapse = MADV_COLLAPSE;
#else
  constexpr int collapse = 25;  // of Linux, which headers older than it do not name
#endif
  using Clock = std::chrono::steady_clock;
  constexpr Index piece = 8 * huge_page;
  constexpr std::chrono::milliseconds too_long{500};
  const Index begin = from / huge_page * huge_page,
              end = std::min((from + bytes + huge_page - 1) / huge_page, bytes_ / huge_page) * huge_page;
  for (Index at = begin; at < end; at += piece) {
    const Index here = std::min(piece, end - at);
    const auto start = Clock::now();
    for (Index page = at; page < at + here; page += huge_page) populate(page, small_page);
    madvise(data_ + at, static_cast<std::size_t>(here), collapse);
    if (Clock::now() - start > too_long) return;
  }
}

void Mapping::give_back(Index from, Index bytes) const {
  if (madvise(data_ + from, static_cast<std::size_t>(bytes), shared_ ? MADV_REMOVE : MADV_DONTNEED) != 0)
    std::memset(data_ + from, 0, static_cast<std::size_t>(bytes));
}

}  // namespace shardfft
