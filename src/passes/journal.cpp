#include "passes/journal.hpp"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/disk/partial_file.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::files {
namespace {

constexpr const char* notes_file = "journal";
constexpr const char* records_stem = "tiles";

/// FNV-1a, for a name.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

std::string line_of(const TileRecord& r) {
  return fmt::format("{} {} {:016x} {:016x} {:a} {:a} .\n", r.pass, r.tile, r.hash_in, r.hash_out, r.error, r.bound);
}

/// False for a line that a kill has cut.
bool parse_line(const std::string& line, TileRecord& r) {
  int end = 0;
  const int fields = std::sscanf(line.c_str(), "%" SCNd64 " %" SCNd64 " %" SCNx64 " %" SCNx64 " %la %la .%n", &r.pass,
                                 &r.tile, &r.hash_in, &r.hash_out, &r.error, &r.bound, &end);
  return fields == 6 && end == static_cast<int>(line.size());
}

std::string text_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that only this user can write to, and that is no link to another place.
int make_own_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return errno;
  if (!S_ISDIR(found.st_mode)) return ENOTDIR;
  return found.st_uid == ::geteuid() && (found.st_mode & 022) == 0 ? 0 : EACCES;
}

void remove_files(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    std::filesystem::remove(entry.path(), ignored);
}

}  // namespace

Journal::Journal(const Comm& comm, const std::string& target, const Json& identity) : comm_(comm), identity_(identity) {
  target_ = text_of_first(comm, resolved(target));
  const std::size_t slash = target_.rfind('/') + 1;
  name_ = text_of_first(comm, fmt::format("{}.resume-{:016x}", target_.substr(slash), hash_of(identity.dump())));
  folder_ = target_.substr(0, slash) + name_;
  std::string found;
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    take_folder();
    read_records();
    for (const TileRecord& r : done_) found += line_of(r);
  });
  noted_ = Json::parse(text_of_first(comm, noted_.dump()));
  std::istringstream lines(text_of_first(comm, found));
  done_.clear();
  for (std::string line; std::getline(lines, line);)
    if (TileRecord r; parse_line(line, r)) done_.push_back(r);
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
  if (lock_ < 0) return;
  remove_all();
  ::close(lock_);
}

// The lock ends with the process, however that ends.
void Journal::take_folder() {
  if (const int why = make_own_folder(folder_)) fail("cannot be made", why);
  const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) fail("cannot be opened", errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    fail("is in use by another run", EBUSY);
  }
  lock_ = fd;
  const Json noted = Json::parse(text_in(path(notes_file)), nullptr, false);
  const bool mine = noted.is_object() && noted.contains("notes") && noted.value("identity", Json()) == identity_;
  noted_ = mine ? noted["notes"] : Json();
  if (!mine) start_anew();
}

void Journal::read_records() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (!entry.path().filename().string().starts_with(records_stem)) continue;
    std::istringstream lines(text_in(entry.path().string()));
    for (std::string line; std::getline(lines, line);)
      if (TileRecord r; parse_line(line, r)) done_.push_back(r);
  }
}

void Journal::start_anew() {
  noted_ = Json();
  done_.clear();
  if (lock_ >= 0) remove_files(folder_);
}

void Journal::adopt_folder(const std::string& folder) {
  if (lock_ < 0) return;
  if (const int why = make_own_folder(folder))
    fail(fmt::format("needs the folder '{}', which cannot be made", folder), why);
  others_.push_back(folder);
  if (!goes_on()) remove_files(folder);
}

void Journal::remove_all() {
  std::error_code ignored;
  others_.push_back(folder_);
  for (const std::string& folder : others_) std::filesystem::remove_all(folder, ignored);
}

void Journal::begin(const Json& notes) {
  collectively(comm_, [&] {
    const std::string records = name_beside(path(records_stem), std::to_string(comm_.rank()).c_str());
    fd_ = ::open(records.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd_ < 0) fail("cannot be written to", errno);
  });
  collectively(comm_, [&] {
    const Json text{{"identity", identity_}, {"notes", notes}};
    if (comm_.rank() == 0 && !goes_on()) write_whole(local(), path(notes_file), text.dump());
  });
}

void Journal::add(const TileRecord& record) {
  const std::string line = line_of(record);
  const ssize_t n = ::write(fd_, line.data(), line.size());
  if (n != static_cast<ssize_t>(line.size())) fail("cannot be written to", n < 0 ? errno : ENOSPC);
  if (::fdatasync(fd_) != 0) fail("cannot be written to", errno);
}

void Journal::fail(const std::string& what, int why) const {
  throw Error(Status::io_failed,
              fmt::format("the folder '{}' of --resume {}: {}; name another OUT, or leave out --resume", folder_, what,
                          std::strerror(why)));
}

}  // namespace shardfft::files
