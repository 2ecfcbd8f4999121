#include "files/disk/unchanged.hpp"

#include <optional>

#include <fmt/format.h>
#include <sys/stat.h>

#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

FileStamp stamp_of(const struct stat& status) {
  return {status.st_dev,          status.st_ino,         status.st_size,        status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}
std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return stamp_of(status);
}
std::optional<FileStamp> stamp_of(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return {};
  return stamp_of(status);
}

}  // namespace

void UnchangedFiles::add(const std::string& path, int fd) {
  if (const auto stamp = stamp_of(fd)) files_.push_back({path, fd, *stamp});
}

void UnchangedFiles::add(const std::string& path) {
  if (const auto stamp = stamp_of(path)) files_.push_back({path, -1, *stamp});
}

void UnchangedFiles::check() const {
  for (const File& file : files_) {
    const auto named = stamp_of(file.path), held = file.fd < 0 ? named : stamp_of(file.fd);
    if (held && (held->bytes != file.stamp.bytes))
      refuse(file.path, fmt::format("it had {} bytes and has {}", file.stamp.bytes, held->bytes));
    if (held && !held->has_content_of(file.stamp)) refuse(file.path, "it was written to");
    if (named && (named->device != file.stamp.device || named->inode != file.stamp.inode))
      refuse(file.path, "another file took its place");
    // Who writes to a file can set the time of that back, but not this one.
    if (named && *named != file.stamp) refuse(file.path, "it was written to, or its rights or names were changed");
  }
}

std::string UnchangedFiles::text() const {
  std::string all;
  for (const auto& [path, fd, s] : files_)
    all += fmt::format("{} {} {} {}.{:09} {}.{:09};", s.device, s.inode, s.bytes, s.seconds, s.nanoseconds,
                       s.changed_seconds, s.changed_nanoseconds);
  return all;
}

void UnchangedFiles::refuse(const std::string& path, const std::string& what) {
  throw Error(
      Status::io_failed,
      fmt::format("the input '{}' must stay as it is until the output is written; {}; run it again when nothing "
                  "else writes to it",
                  path, what));
}

}  // namespace shardfft::files
