#include "transport/shared/segment_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shardfft/error.hpp"

namespace shardfft {
namespace {

[[noreturn]] void fail(Status status, const char* what, int error) {
  throw Error(status, fmt::format("shared memory: {}: {}; another transport (mpi_p2p) does without it", what,
                                  std::strerror(error)));
}

/// "/shardfft-", the process and 64 random bits.
std::array<char, 48> new_name() {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random) fail(Status::unsupported, "no random name", errno);
  std::array<char, 48> name{};
  fmt::format_to_n(name.data(), name.size() - 1, "/shardfft-{}-{:016x}", getpid(), random);
  return name;
}

Index free_bytes(int fd) {
  struct statvfs fs{};
  const char* limit = std::getenv("SHARDFFT_SHM_LIMIT");
  if (limit) return std::atoll(limit);
  return fstatvfs(fd, &fs) == 0 ? static_cast<Index>(fs.f_bavail) * static_cast<Index>(fs.f_frsize) : 0;
}

int allocate_pages(int fd, Index from, Index bytes) {
  int error = 0;
  do error = posix_fallocate(fd, from, bytes);
  while (error == EINTR);
  return error;
}

/// Whether the system refuses memory that it could not give to everybody at once; then a page that was not reserved may
/// be a SIGBUS.
bool overcommit_is_strict() {
  const File file(open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC));
  char mode = '0';
  return !file || read(file.get(), &mode, 1) != 1 || mode == '2';
}

int open_unnamed() {
#if defined(MFD_NOEXEC_SEAL)
  if (const int fd = memfd_create("shardfft", MFD_CLOEXEC | MFD_NOEXEC_SEAL); fd >= 0) return fd;
#endif
  return memfd_create("shardfft", MFD_CLOEXEC);
}

bool is_offered(const struct stat& found, const FileOffer& offer) {
  return static_cast<std::int64_t>(found.st_dev) == offer.device &&
         static_cast<std::int64_t>(found.st_ino) == offer.number;
}

}  // namespace

void close_descriptor(int descriptor) { close(descriptor); }

SegmentFile::SegmentFile(File file) : file_(std::move(file)) {
  struct stat own{};
  if (fstat(file_.get(), &own) != 0) fail(Status::unsupported, "cannot look at a segment", errno);
  offer_ = {.device = static_cast<std::int64_t>(own.st_dev),
            .number = static_cast<std::int64_t>(own.st_ino),
            .descriptor = file_.get(),
            .process = this_process()};
}

void require_unreserved_pages() {
  if (std::getenv("SHARDFFT_SHM_LIMIT"))
    throw Error(Status::unsupported, "shared memory: SHARDFFT_SHM_LIMIT is about /dev/shm; unset it");
  if (overcommit_is_strict())
    fail(Status::unsupported, "memory that is not reserved is not certain here (vm.overcommit_memory is 2)", ENOMEM);
}

SegmentFile SegmentFile::unnamed() {
  File file(open_unnamed());
  if (!file) fail(Status::unsupported, "cannot create a segment without a name", errno);
  return SegmentFile(std::move(file));
}

SegmentFile SegmentFile::named() {
  const auto name = new_name();
  File file(shm_open(name.data(), O_CREAT | O_EXCL | O_RDWR, 0600));
  if (!file) fail(Status::unsupported, "cannot create a segment", errno);
  try {
    SegmentFile made(std::move(file));
    made.offer_.name = name;
    return made;
  } catch (...) {
    shm_unlink(name.data());
    throw;
  }
}

SegmentFile::~SegmentFile() {
  if (file_ && offer_.name[0]) shm_unlink(offer_.name.data());
}

File opened(const FileOffer& offer) {
  if (offer.name[0]) {
    File file(shm_open(offer.name.data(), O_RDWR, 0));
    struct stat named{};
    if (!file || fstat(file.get(), &named) != 0 || !is_offered(named, offer))
      fail(Status::unsupported, "cannot open the segment of a rank that should be on this node", errno);
    return file;
  }
  // Its owner may be of another container, where the same numbers mean something else: nothing is opened that is not
  // the very file.
  std::array<char, 64> path{};
  fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/fd/{}", offer.process.pid, offer.descriptor);
  struct stat found{};
  if (stat(path.data(), &found) != 0)
    fail(Status::unsupported, "cannot see the segment of a rank that should be on this node", errno);
  if (!is_offered(found, offer))
    fail(Status::unsupported, "another process has the number of a rank that should be on this node", ENOENT);
  File file(open(path.data(), O_RDWR | O_CLOEXEC));
  if (!file || fstat(file.get(), &found) != 0 || !is_offered(found, offer))
    fail(Status::unsupported, "cannot open the segment of a rank that should be on this node", errno);
  return file;
}

void lengthen(const File& file, Index bytes) {
  if (ftruncate(file.get(), bytes) != 0) fail(Status::unsupported, "cannot make the segments as long as needed", errno);
}

void reserve(const File& file, Index from, Index bytes) {
  const int fd = file.get();
  const int error = bytes > free_bytes(fd) ? ENOSPC : allocate_pages(fd, from, bytes);
  if (!error) return;
  if (error != ENOSPC) fail(Status::unsupported, "cannot reserve memory", error);
  throw Error(Status::out_of_memory, fmt::format("shared memory: this rank needs {} bytes in /dev/shm, where {} are "
                                                 "free; enlarge it (mount -o remount,size=..., "
                                                 "docker --shm-size) or use another transport (mpi_p2p)",
                                                 bytes, free_bytes(fd)));
}

Index memory_of_machine() {
  struct sysinfo info{};
  if (sysinfo(&info) != 0) return 0;
  return static_cast<Index>(info.totalram + info.totalswap) * static_cast<Index>(info.mem_unit);
}

}  // namespace shardfft
