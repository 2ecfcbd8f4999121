#include "scratch.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::compare {

namespace fs = std::filesystem;

namespace {

// What lies there is started from or trusted: no link, and nobody else's.
bool is_own_folder(const fs::path& path) {
  struct stat found{};
  return ::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

Scratch::Scratch(const std::string& json) : path_(json.empty() ? "" : fs::absolute(json).string() + ".scratch") {
  std::error_code failed;
  if (json.empty()) {
    std::string name = (fs::temp_directory_path(failed) / "shardfft-compare-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  } else {
    if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) failed.assign(errno, std::generic_category());
  }
  if (!is_own_folder(path_))
    throw Error(Status::io_failed,
                fmt::format("compare needs a folder for plans; '{}' cannot be made: {}; name another place for --json",
                            path_.string(), failed ? failed.message() : "what is there is not a folder of this user"));
  is_temporary_ = json.empty();
  if (!json.empty()) lock(json);
}

/// The folder itself is locked: the lock ends with the process, however that ends, and leaves no file. Where a file
/// system knows no locks there is none.
void Scratch::lock(const std::string& json) {
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(lock_);
  throw Error(Status::invalid_argument, fmt::format("--json must name a file that no other comparison writes; '{}' is "
                                                    "being written by one; wait for its end, or name another file",
                                                    json));
}

Scratch::~Scratch() {
  std::error_code ignored;
  is_temporary_ || is_done_ ? (void)fs::remove_all(path_, ignored)
                            : (void)fs::remove(path_, ignored);  // the latter: only where nothing is in it
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace shardfft::compare
