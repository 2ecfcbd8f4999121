#include "files/disk/partial_file.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"

namespace shardfft::files {
namespace {

constexpr std::size_t random_letters = 16;

std::string random_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

/// What names of files beside `target` begin with: it, cut where names may not be that long, and the word.
std::string stem_beside(const std::string& target, const char* word) {
  const std::string ending = fmt::format(".{}-", word);
  const std::size_t name = target.rfind('/') + 1;  // 0 where there is none
  const std::string folder = target.substr(0, name);
  const long longest = ::pathconf(folder.empty() ? "." : folder.c_str(), _PC_NAME_MAX);
  const std::size_t room = longest > 0 ? static_cast<std::size_t>(longest) : NAME_MAX;
  return folder + target.substr(name, room - std::min(room, ending.size() + random_letters)) + ending;
}

/// Files that a run began beside `target` and neither finished nor removed.
std::vector<std::string> begun_beside(const std::string& target, bool resumes) {
  std::vector<std::string> found;
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error))
    for (const char* word : {"partial", "scratch", "resume"}) {
      if (resumes && word == std::string_view("resume")) continue;
      const std::string name = entry->path().filename().string(),
                        stem = std::filesystem::path(stem_beside(target, word)).filename().string();
      if (name.starts_with(stem) && name.size() == stem.size() + random_letters &&
          name.find_first_not_of("0123456789abcdef", stem.size()) == name.npos)
        found.push_back((folder / name).string());
    }
  std::ranges::sort(found);
  return found;
}

/// In a folder such as /tmp only the owner of a file may replace it.
bool is_kept_by_its_owner(const std::string& target, const struct stat& old) {
  struct stat folder{};
  const std::string name = target.substr(0, target.rfind('/') + 1);
  if (::stat(name.empty() ? "." : name.c_str(), &folder) != 0 || (folder.st_mode & S_ISVTX) == 0) return false;
  const uid_t me = ::geteuid();
  return me != 0 && me != old.st_uid && me != folder.st_uid;
}

/// Brings the names in the folder of `target` to the disk. Returns 0, or as errno. A folder that may not be read, or a
/// file system that cannot, has no such step.
int folder_to_disk(const std::string& target) {
  const std::string folder = target.substr(0, target.rfind('/') + 1);
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno == EACCES ? 0 : errno;
  const int why = ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP ? 0 : errno;
  ::close(fd);
  return why;
}

}  // namespace

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

std::string name_beside(const std::string& target, const char* word) {
  return stem_beside(target, word) + random_word();
}

// File systems that cannot promise it (NFS) say so and are taken as they are.
int take_room(int fd, Index bytes) {
  if (::ftruncate(fd, bytes) != 0) return errno;
  const bool refused =
      bytes > 0 && ::fallocate(fd, 0, 0, bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR;
  return refused ? errno : 0;
}

int write_all(int fd, std::span<const std::byte> data, Index offset) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
  return 0;
}

const char* remedy_of_room(int why) {
  return why == EFBIG ? "raise the limit of file lengths (ulimit -f, or the file system's)"
                      : "name a file system with more room";
}

PartialFile::PartialFile(const Comm& comm, const std::string& path, const std::string& header, Index bytes,
                         const std::string& wanted, const std::string& kept)
    : comm_(comm), partial_(kept), kept_(!kept.empty()) {
  const auto fill = [&](const std::string&) {
    grow(bytes);
    write(std::as_bytes(std::span(header)), 0);
  };
  open_on_all(path, fill, wanted);
}

PartialFile::PartialFile(const Comm& comm, const std::string& path, Index least, const Maker& maker,
                         const std::string& wanted, const std::string& kept)
    : comm_(comm), partial_(kept), kept_(!kept.empty()) {
  const auto fill = [&](const std::string& partial) {
    grow(least);  // what makes it may tell worse that there is no room
    maker(partial);
    struct stat made{};
    if (::fstat(fd_, &made) != 0) fail(fmt::format("cannot be looked at: {}", std::strerror(errno)));
    grow(made.st_size);
  };
  open_on_all(path, fill, wanted);
}

void PartialFile::open_on_all(const std::string& path, const Maker& fill, const std::string& wanted) {
  target_ = text_of_first(comm_, resolved(path));
  if (!kept_) partial_ = text_of_first(comm_, name_beside(target_, "partial"));
  try {
    if (path.empty()) fail(fmt::format("has no name; name {}", wanted));
    if (path == "-")
      fail(fmt::format("is no place for a file, which is not written in order; name {}, ./- where it is called so",
                       wanted));
    if (!kept_ && !unfinished_.begin(partial_)) fail("has too long a path; use a shorter one");
    collectively(comm_, [&] {
      if (comm_.rank() == 0) create(fill, wanted);
    });
    collectively(comm_, [&] {
      if (comm_.rank() != 0) open_existing();
      direct_ = std::make_unique<DirectFile>(fd_, O_RDWR);
    });
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

PartialFile::~PartialFile() {
  if (fd_ >= 0) ::close(fd_);
}

void PartialFile::create(const Maker& fill, const std::string& wanted) {
  struct stat old{};
  const bool replaces = ::stat(target_.c_str(), &old) == 0;
  if (!replaces && errno == ELOOP) fail("is a circle of links; name a file");
  if (!replaces && errno != ENOENT) fail(fmt::format("cannot be made: {}; name another place", std::strerror(errno)));
  if (replaces && !S_ISREG(old.st_mode)) {
    throw Error(Status::io_failed, fmt::format("the output must be a file; '{}' is {}; name {}", target_,
                                               S_ISDIR(old.st_mode) ? "a folder" : "a device or pipe", wanted));
  }
  if (replaces && is_kept_by_its_owner(target_, old))
    fail("cannot be replaced: it is another user's; name another place");
  if (replaces) mode_ = old.st_mode & 0777;
  if (kept_ && ::access(partial_.c_str(), F_OK) == 0) return open_existing();
  fd_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(fmt::format("cannot be made: {}; name a place where you may write", std::strerror(errno)));
  unfinished_.exists();
  fill(partial_);
}

// Now rather than an error after the transform.
void PartialFile::grow(Index bytes) const {
  if (const int why = take_room(fd_, bytes))
    fail(fmt::format("cannot grow to {} bytes: {}; {}", bytes, std::strerror(why), remedy_of_room(why)));
}

void PartialFile::open_existing() {
  fd_ = ::open(partial_.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0)
    fail(fmt::format("cannot be opened on every rank: {}; name a file system that all nodes share",
                     std::strerror(errno)));
  unfinished_.exists();
}

void PartialFile::write(std::span<const std::byte> data, Index offset, bool streamed) const {
  if (const int why = streamed ? direct_->write(data, offset) : write_all(fd_, data, offset))
    fail(fmt::format("cannot be written: {}; it needs more room or another place", std::strerror(why)));
}

void PartialFile::settle() const {
  if (const int why = direct_->settle())
    fail(fmt::format("cannot be brought to the disk: {}; check the file system", std::strerror(why)));
}

void PartialFile::to_disk() const {
  if (::fdatasync(fd_) != 0)
    fail(fmt::format("cannot be brought to the disk: {}; check the file system", std::strerror(errno)));
}

void PartialFile::commit() {
  collectively(comm_, [&] {
    if (::fsync(fd_) != 0)
      fail(fmt::format("cannot be brought to the disk: {}; check the file system", std::strerror(errno)));
  });
  collectively(comm_, [&] {
    if (comm_.rank() == 0 && mode_) (void)!::fchmod(fd_, *mode_);  // not before: ranks open it, too
    if (comm_.rank() == 0 && ::rename(partial_.c_str(), target_.c_str()) != 0)
      fail(fmt::format("cannot get its name: {}; check the folder's rights", std::strerror(errno)));
  });
  unfinished_.forget();
  ::close(fd_);
  fd_ = -1;
  collectively(comm_, [&] {
    if (comm_.rank() != 0) return;
    if (const int why = folder_to_disk(target_))
      fail(fmt::format("has its name, which cannot be brought to the disk: {}; check the file system",
                       std::strerror(why)));
  });
}

void PartialFile::fail(const std::string& what) const {
  throw Error(Status::io_failed, fmt::format("the output '{}' {}", target_, what));
}

void probe(const Comm& comm, const std::string& path, const std::string& wanted) {
  constexpr Index usual_bytes = 1 << 16;
  const PartialFile file(comm, path, "", usual_bytes, wanted);
}

std::string left_beside(const std::string& path, bool resumes) {
  const std::string target = resolved(path);
  const auto begun = begun_beside(target, resumes);
  if (begun.empty()) return {};
  const std::string more = begun.size() > 1 ? fmt::format(" (and {} more)", begun.size() - 1) : "";
  return fmt::format("'{}'{} is left of a run that was killed, unless another run is writing '{}' now; remove it",
                     printable(begun[0]), more, printable(target));
}

void write_whole(const Comm& comm, const std::string& path, const std::string& text) {
  collectively(comm, [&] {
    if (comm.rank() == 0) PartialFile(local(), path, text, static_cast<Index>(text.size())).commit();
  });
}

}  // namespace shardfft::files
