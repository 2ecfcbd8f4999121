#include "output/side_files.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/surroundings.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const NamedFile& file) { return !file.path.empty() && (file.path != "-" || file.name != "--json"); }

[[noreturn]] void refuse(const NamedFile& file, const std::string& why) {
  throw Error(Status::io_failed,
              fmt::format("{} must name a file that can be written; '{}' cannot: {}; name another place", file.name,
                          file.path, why));
}

bool is_stream(const NamedFile& file) {
  struct stat status{};
  if (::stat(file.path.c_str(), &status) != 0) return false;
  if (S_ISDIR(status.st_mode)) refuse(file, "it is a folder");
  return !S_ISREG(status.st_mode);
}

/// A reader of a pipe may begin a little later than its writer; one that never comes must not hold the program up.
int opened(const NamedFile& file) {
  using namespace std::chrono_literals;
  int fd = -1;
  for (int i = 0; i < 200; ++i) {
    fd = ::open(file.path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0 || errno != ENXIO) break;
    std::this_thread::sleep_for(10ms);
  }
  if (fd < 0) refuse(file, errno == ENXIO ? "nobody reads from the pipe" : std::strerror(errno));
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

/// Pipes and devices by their paths: a reader that saw one closed would take that for the end.
std::map<std::string, int>& streams() {
  static std::map<std::string, int> open;
  return open;
}

bool opens_stream(const NamedFile& file) {
  if (!is_stream(file)) return false;
  if (!streams().contains(file.path)) streams()[file.path] = opened(file);
  return true;
}

void check_place(const NamedFile& file) {
  if (opens_stream(file)) return;
  try {
    probe_output(local(), file.path, "a file");
  } catch (const Error& e) { throw Error(e.status(), fmt::format("{}: {}", file.name, e.what())); }
}

void write_all(const NamedFile& file, int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) refuse(file, std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// A name of its own may lead to the same file; where neither exists yet, the names alone can tell.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::equivalent(a, b, ignored)) return true;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(files::resolved(path), ignored), ignored);
  };
  return place(a) == place(b);
}

void check_apart(const NamedFile& file, const NamedFile& other) {
  if (is_file(other) && same_file(file.path, other.path))
    throw Error(Status::invalid_argument,
                fmt::format("{} must name a file of its own; '{}' is {}, too; name another place", file.name, file.path,
                            other.name));
}

}  // namespace

void check_side_files(const Comm& comm, const std::vector<NamedFile>& files, const std::vector<NamedFile>& others) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!is_file(files[i])) continue;
      for (const NamedFile& other : others) check_apart(files[i], other);
      for (std::size_t j = 0; j < i; ++j) check_apart(files[i], files[j]);
      check_place(files[i]);
    }
  });
}

void probe_output(const Comm& comm, const std::string& path, const std::string& wanted, bool resumes) {
  const std::string left = comm.rank() == 0 ? files::left_beside(path, resumes) : "";
  if (!left.empty()) fmt::print(stderr, "shardfft: {}\n", left);
  files::probe(comm, path, wanted);
}

void write_side_file(const NamedFile& file, const std::string& text) {
  if (!is_file(file)) return print_whole(text);
  if (!opens_stream(file)) return files::write_whole(local(), file.path, text);
  const auto stream = streams().find(file.path);
  write_all(file, stream->second, text);
  ::close(stream->second);
  streams().erase(stream);
}

}  // namespace shardfft::cli
