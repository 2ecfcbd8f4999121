#include "planner/wisdom/json_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "support/handle.hpp"
#include "support/kept_file.hpp"
#include "support/text/json_text.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_bytes = 16 << 20;  // thousands of tunings

[[noreturn]] void fail(const fs::path& path, const std::string& what, const char* remedy = "repair it, move it away") {
  throw Error(Status::io_failed,
              fmt::format("{}: {}; {}, or name another place with SHARDFFT_WISDOM", path.string(), what, remedy));
}

[[noreturn]] void fail(const fs::path& path, const FileTrouble& trouble) {
  if (trouble.code == 0 || trouble.code == EISDIR) fail(path, trouble.what());
  const bool is_full = trouble.code == ENOSPC || trouble.code == EDQUOT;
  fail(path, trouble.what(), is_full ? "make room there" : "make its folder one that may be written");
}

// Not left to close(): a child that was forked meanwhile has the descriptor, too.
void unlock(int descriptor) {
  flock(descriptor, LOCK_UN);
  close(descriptor);
}
using Lock = Handle<int, unlock, -1>;

/// The lock is a file of its own, since the file itself is replaced. Nothing is ever written to it.
Lock locked(const FilePlace& place, const fs::path& path) {
  using namespace std::chrono_literals;
  const std::string name = place.name.substr(0, 250) + ".lock";
  const auto refused = [](int why) {
    return FileTrouble(fmt::format("cannot be locked: {}", std::strerror(why)), why);
  };
  Lock lock(openat(place.folder.get(), name.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                   0666));
  if (!lock && errno == ELOOP)
    throw FileTrouble("cannot be locked: its lock is a symbolic link, which is not followed", 0);
  if (!lock) throw refused(errno);
  struct stat found{};
  if (fstat(lock.get(), &found) != 0 || !S_ISREG(found.st_mode))
    throw FileTrouble("cannot be locked: its lock is not a regular file", 0);
  for (int tries = 0; flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw refused(errno);
    if (tries == 1000) fail(path, "another process has held its lock for five seconds", "end that process");
    std::this_thread::sleep_for(5ms);
  }
  return lock;
}

}  // namespace

json JsonFile::read() const {
  std::optional<std::string> text;
  try {
    text = read_kept(path, most_bytes);
  } catch (const FileTrouble& trouble) { fail(path, trouble.what()); }
  if (!text) return json::object();
  if (depth_of_json(*text) > deepest_json)
    fail(path, fmt::format("is damaged: lists and objects are nested more than {} deep", deepest_json));
  json all = parse_outside<json>(*text);
  if (all.is_discarded()) fail(path, "is damaged: not JSON from end to end");
  if (!all.is_object() || all.value("format", json()) != json(format))
    fail(path, fmt::format("is not in the format '{}'", format));
  if (!all.contains("entries") || !all["entries"].is_object()) fail(path, "is damaged: it has no entries");
  return std::move(all["entries"]);
}

void JsonFile::update(const std::function<void(json&)>& change) const {
  std::error_code ignored;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), ignored);
  try {
    const FilePlace place = place_of(path);  // of all links, so that they stay
    const Lock lock = locked(place, path);
    json entries = read();
    change(entries);
    replace_kept(place, json{{"format", format}, {"entries", std::move(entries)}}.dump(1, ' ', false,
                                                                                       json::error_handler_t::replace) +
                            '\n');
  } catch (const FileTrouble& trouble) { fail(path, trouble); }
}

std::string read_entries(const fs::path& path, const std::string& format) {
  return JsonFile{path, format}.read().dump(-1, ' ', false, json::error_handler_t::replace);
}

void update_entries(const fs::path& path, const std::string& format,
                    const std::function<std::string(const std::string&)>& change) {
  JsonFile{path, format}.update([&](json& entries) {
    entries = json::parse(change(entries.dump(-1, ' ', false, json::error_handler_t::replace)));
  });
}

}  // namespace shardfft
