#include "partial_file.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardfft/error.hpp"
#include "support/agree.hpp"

namespace shardfft::cli {
namespace {

constexpr int deadly[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

/// Path of the partial file, for the signal handler; empty when there is none.
std::array<char, 4096> doomed{};
std::atomic<bool> is_doomed{false};

void remove_and_die(int signal) {
  if (is_doomed.load()) ::unlink(doomed.data());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void remove_on_signals(const std::string& path) {
  std::strncpy(doomed.data(), path.c_str(), doomed.size() - 1);
  is_doomed = true;
  static const int at_exit [[maybe_unused]] = std::atexit([] { if (is_doomed.load()) ::unlink(doomed.data()); });  // OpenMP ends programs so
  for (const int signal : deadly) {
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup stays nohup
  }
}

std::string random_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

/// Where `path` leads: a link is followed, so that the file behind it is replaced and not the link, also where there is none yet. A circle of links stays as it is.
std::string resolved(const std::string& path) {
  constexpr int most_links = 40;  // as Linux
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, ignored); ++links) {
    if (links == most_links) return path;
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  const auto existing = fs::canonical(target, ignored);
  return ignored ? target.string() : existing.string();
}

/// Collective: the text of rank 0 on every rank.
std::string shared_text(const Comm& comm, std::string text) {
  auto size = static_cast<std::uint64_t>(text.size());
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(size);
  comm.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace

PartialFile::PartialFile(const Comm& comm, const std::string& path, const std::string& header, Index bytes, const std::string& wanted) : comm_(comm) {
  target_ = shared_text(comm, resolved(path));
  partial_ = shared_text(comm, fmt::format("{}.partial-{}", target_, random_word()));
  try {
    if (path.empty()) fail(fmt::format("has no name; name {}", wanted));
    if (partial_.size() >= doomed.size()) fail(fmt::format("the path must have fewer than {} bytes; use a shorter one", doomed.size()));
    remove_on_signals(partial_);
    collectively(comm, [&] {
      if (comm.rank() == 0) create(header, bytes, wanted);
    });
    collectively(comm, [&] {
      if (comm.rank() != 0) open_existing();
    });
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    if (fd_ >= 0) ::unlink(partial_.c_str());
    is_doomed = false;
    throw;
  }
}

PartialFile::~PartialFile() {
  if (fd_ >= 0) ::close(fd_);
  if (is_doomed.exchange(false)) ::unlink(partial_.c_str());
}

void PartialFile::create(const std::string& header, Index bytes, const std::string& wanted) {
  struct stat old {};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (!replaces && errno == ELOOP) fail("is a circle of links; name a file");
  if (replaces && !S_ISREG(old.st_mode)) {
    throw Error(Status::io_failed, fmt::format("the output must be a file; '{}' is {}; name {}", target_,
                                               S_ISDIR(old.st_mode) ? "a folder" : "a device or pipe", wanted));
  }
  fd_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(fmt::format("cannot be made: {}; name a place where you may write", std::strerror(errno)));
  if (replaces) (void)!::fchmod(fd_, old.st_mode & 0777);
  if (::ftruncate(fd_, bytes) != 0)
    fail(fmt::format("cannot grow to {} bytes: {}; {}", bytes, std::strerror(errno), errno == EFBIG ? "raise the limit of file lengths (ulimit -f, or the file system's)" : "name a file system with more room"));
  // Room now rather than an error after the transform; file systems that cannot promise it (NFS) say so and are taken as they are.
  if (::fallocate(fd_, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR) {
    fail(fmt::format("cannot get {} bytes: {}; name a file system with more room", bytes, std::strerror(errno)));
  }
  write(std::as_bytes(std::span(header)), 0);
}

void PartialFile::open_existing() {
  fd_ = ::open(partial_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) fail(fmt::format("cannot be opened on every rank: {}; name a file system that all nodes share", std::strerror(errno)));
}

void PartialFile::write(std::span<const std::byte> data, Index offset) const {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd_, data.data(), data.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      fail(fmt::format("cannot be written: {}; it needs more room or another place", n < 0 ? std::strerror(errno) : "no progress"));
    data = data.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
}

void PartialFile::commit() {
  collectively(comm_, [&] {
    if (::fsync(fd_) != 0) fail(fmt::format("cannot be brought to the disk: {}; check the file system", std::strerror(errno)));
  });
  collectively(comm_, [&] {
    if (comm_.rank() == 0 && ::rename(partial_.c_str(), target_.c_str()) != 0)
      fail(fmt::format("cannot get its name: {}; check the folder's rights", std::strerror(errno)));
  });
  is_doomed = false;
  ::close(fd_);
  fd_ = -1;
}

void PartialFile::fail(const std::string& what) const { throw Error(Status::io_failed, fmt::format("the output '{}' {}", target_, what)); }

void write_whole(const Comm& comm, const std::string& path, const std::string& text) {
  collectively(comm, [&] {
    if (comm.rank() == 0) PartialFile(local(), path, text, static_cast<Index>(text.size())).commit();
  });
}

}  // namespace shardfft::cli
