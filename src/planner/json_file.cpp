#include "planner/json_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shardfft/error.hpp"
#include "support/handle.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void close_fd(int fd) { close(fd); }
using File = Handle<int, close_fd, -1>;

[[noreturn]] void fail(const fs::path& path, const std::string& what, const char* remedy = "repair it, move it away") {
  throw Error(Status::io_failed, fmt::format("{}: {}; {}, or name another place with SHARDFFT_WISDOM", path.string(), what, remedy));
}

[[noreturn]] void fail_to(const char* what, const fs::path& path) {
  const int why = errno;
  fail(path, fmt::format("cannot be {}: {}", what, std::strerror(why)), why == ENOSPC || why == EDQUOT ? "make room there" : "make its folder one that may be written");
}

/// Where a chain of symbolic links ends, so that all of them stay; in a circle, some link of it, which cannot be read.
fs::path end_of_links(fs::path path) {
  constexpr int most = 40;  // as the system follows
  std::error_code ignored;
  for (int i = 0; i < most && fs::is_symlink(path, ignored); ++i) path = path.parent_path() / fs::read_symlink(path, ignored);
  return path;
}

/// The lock is a file of its own, since the file itself is replaced.
File locked(const fs::path& path) {
  using namespace std::chrono_literals;
  const std::string name = path.string() + ".lock";
  File lock(open(name.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (!lock) fail_to("locked", path);
  for (int tries = 0; flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail_to("locked", path);
    if (tries == 1000) fail(path, "another process has held its lock for five seconds", "end that process");
    std::this_thread::sleep_for(5ms);
  }
  return lock;
}

/// `path`: the file that people know, for errors.
void write_all(const fs::path& partial, const fs::path& path, const std::string& text) {
  const File out(open(partial.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666));
  if (!out) fail_to("written", path);
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::write(out.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_to("written", path);
    done += static_cast<std::size_t>(n);
  }
  if (fsync(out.get()) != 0) fail_to("written", path);
}

void replace(const fs::path& path, const std::string& text) {
  const fs::path partial = path.string() + fmt::format(".{}", getpid());
  std::error_code error;
  try {
    write_all(partial, path, text);
  } catch (...) {
    fs::remove(partial, error);
    throw;
  }
  fs::rename(partial, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(partial, ignored);
  fail(path, fmt::format("cannot be replaced: {}", error.message()));
}

}  // namespace

json JsonFile::read() const {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail(path, "is a folder");
  std::ifstream in(path);
  if (!in) {
    if (errno == ENOENT || errno == ENOTDIR) return json::object();
    fail(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) fail(path, "cannot be read");
  json all = json::parse(text, nullptr, false);
  if (all.is_discarded()) fail(path, "is damaged: not JSON from end to end");
  if (!all.is_object() || all.value("format", json()) != json(format)) fail(path, fmt::format("is not in the format '{}'", format));
  if (!all.contains("entries") || !all["entries"].is_object()) fail(path, "is damaged: it has no entries");
  return std::move(all["entries"]);
}

void JsonFile::update(const std::function<void(json&)>& change) const {
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  const fs::path target = end_of_links(path);
  const File lock = locked(target);
  json entries = read();
  change(entries);
  replace(target, json{{"format", format}, {"entries", std::move(entries)}}.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
}

}  // namespace shardfft
