// Ranks that are processes of one machine: one POSIX shared-memory segment per rank.
//
// The pages are reserved before they are used, so that a full /dev/shm is an error here and not a SIGBUS later; and the names are removed as soon as all have
// mapped the segments, so that nothing is left behind however the program ends.
//
// For tests: SHARDFFT_SHM_LIMIT=BYTES is the space that one rank finds in /dev/shm.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shardfft/error.hpp"
#include "support/agree.hpp"
#include "support/handle.hpp"
#include "support/process.hpp"
#include "transport/direct.hpp"
#include "transport/mapping.hpp"
#include "transport/registered.hpp"

namespace shardfft {
namespace {

void close_fd(int fd) { close(fd); }
using File = Handle<int, close_fd, -1>;

/// What a rank tells the others about its segment.
struct Offer {
  std::array<char, 48> name{};
  Index bytes = 0;
  ProcessId process{};
};

[[noreturn]] void fail(Status status, const char* what, int error) {
  throw Error(status, fmt::format("shared memory: {}: {}; another transport (mpi_p2p) does without it", what, std::strerror(error)));
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

/// Makes the file `bytes` long with all its pages present, on the memory next to this core.
void reserve(int fd, Index bytes) {
  const bool limited = std::getenv("SHARDFFT_SHM_LIMIT") && bytes > free_bytes(fd);
  int error = limited ? ENOSPC : 0;
  while (!error && (error = posix_fallocate(fd, 0, bytes)) == EINTR) error = 0;
  if (!error) return;
  const Index available = free_bytes(fd);
  if (ftruncate(fd, 0) != 0) error = errno;  // gives back what was reserved, before other ranks look
  if (error != ENOSPC) fail(Status::unsupported, "cannot reserve memory", error);
  throw Error(Status::out_of_memory,
              fmt::format("shared memory: this rank needs {} bytes in /dev/shm, where {} are free; enlarge it (mount -o remount,size=..., "
                          "docker --shm-size) or use another transport (mpi_p2p)",
                          bytes, available));
}

/// A named file in shared memory; the name goes when this does, or before.
class NamedFile {
 public:
  explicit NamedFile(Index bytes) : name_(new_name()), file_(shm_open(name_.data(), O_CREAT | O_EXCL | O_RDWR, 0600)) {
    if (!file_) fail(Status::unsupported, "cannot create a segment", errno);
    try {
      reserve(file_.get(), bytes);
    } catch (...) {
      remove_name();
      throw;
    }
  }
  NamedFile(const NamedFile&) = delete;
  ~NamedFile() { remove_name(); }

  void remove_name() {
    if (name_[0]) shm_unlink(name_.data());
    name_[0] = '\0';
  }
  [[nodiscard]] const std::array<char, 48>& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  std::array<char, 48> name_;
  File file_;
};

Mapping map_segment(const Offer& offer) {
  const File file(shm_open(offer.name.data(), O_RDWR, 0));
  if (!file) fail(Status::unsupported, "cannot open the segment of a rank that should be on this node", errno);
  return Mapping(offer.bytes, file.get());
}

class SharedSegments final : public Segments {
 public:
  SharedSegments(std::vector<Mapping> segments, const std::vector<Offer>& offers) : segments_(std::move(segments)) {
    // A process that cannot be seen now (its numbers are those of another container) is not watched.
    for (const Offer& offer : offers) processes_.push_back(is_alive(offer.process) ? offer.process : ProcessId{});
  }
  std::byte* of(int rank) const override { return segments_[static_cast<std::size_t>(rank)].data(); }
  std::string what_ended(int rank) const override {
    const ProcessId& process = processes_[static_cast<std::size_t>(rank)];
    return process.pid == 0 || is_alive(process) ? std::string() : fmt::format("its process {} has ended", process.pid);
  }

 private:
  std::vector<Mapping> segments_;
  std::vector<ProcessId> processes_;
};

std::unique_ptr<Segments> make_segments(const Comm& comm, Index bytes) {
  std::unique_ptr<NamedFile> mine;
  Offer offer;
  collectively(comm, [&] {
    mine = std::make_unique<NamedFile>(bytes);
    offer = {mine->name(), bytes, this_process()};
  });
  std::vector<Offer> offers(static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(&offer, 1)), std::as_writable_bytes(std::span(offers)));
  std::vector<Mapping> segments(offers.size());
  collectively(comm, [&] {
    for (std::size_t r = 0; r < offers.size(); ++r)
      segments[r] = static_cast<int>(r) == comm.rank() ? Mapping(bytes, mine->descriptor()) : map_segment(offers[r]);
  });
  return std::make_unique<SharedSegments>(std::move(segments), offers);
}

struct SharedMemory final : Transport {
  std::string_view name() const override { return "shared_memory"; }
  std::string refuses(const Comm& comm) const override {
    if (comm.kind() == "threads" || comm.kind() == "local" || comm.kind() == "dry_run")
      return fmt::format("serves ranks that are processes, but the group is of kind {}", comm.kind());
    if (comm.nodes() > 1) return fmt::format("serves ranks of one node, but the group is on {} nodes", comm.nodes());
    return {};
  }
  std::unique_ptr<Channel> open(const Comm& comm, const Traffic& traffic) const override { return open_direct(name(), comm, traffic, make_segments); }
};

}  // namespace

const Transport& shared_memory_transport() {
  static const SharedMemory transport;
  return transport;
}

}  // namespace shardfft
