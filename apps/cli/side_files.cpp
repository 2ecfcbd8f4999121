#include "side_files.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardfft/error.hpp"
#include "support/agree.hpp"

namespace shardfft::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const NamedFile& file) { return !file.path.empty() && file.path != "-"; }

void check_place(const NamedFile& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Status::io_failed, fmt::format("{} must name a file that can be written; '{}' cannot: {}; name another place", file.name, file.path, why));
  };
  struct stat status {};
  const bool exists = ::stat(file.path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) refuse("it is a folder");
  const std::string folder = fs::path(file.path).parent_path().string();
  const std::string& place = exists ? file.path : folder.empty() ? "." : folder;
  if (::access(place.c_str(), exists ? W_OK : W_OK | X_OK) != 0) refuse(std::strerror(errno));
}

// A name of its own may lead to the same file; where neither exists yet, the names alone can tell.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  return fs::weakly_canonical(fs::absolute(a, ignored), ignored) == fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

void check_apart(const NamedFile& file, const NamedFile& other) {
  if (is_file(other) && same_file(file.path, other.path))
    throw Error(Status::invalid_argument, fmt::format("{} must name a file of its own; '{}' is {}, too; name another place", file.name, file.path, other.name));
}

}  // namespace

void check_side_files(const Comm& comm, const std::vector<NamedFile>& files, const std::vector<NamedFile>& others) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!is_file(files[i])) continue;
      check_place(files[i]);
      for (const NamedFile& other : others) check_apart(files[i], other);
      for (std::size_t j = 0; j < i; ++j) check_apart(files[i], files[j]);
    }
  });
}

}  // namespace shardfft::cli
