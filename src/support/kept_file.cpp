#include "support/kept_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace shardfft {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* done, int why) {
  throw FileTrouble(fmt::format("cannot be {}: {}", done, std::strerror(why)), why);
}

/// The parts of a path, last one first; "" stands for none.
std::vector<std::string> parts_of(const fs::path& path) {
  std::vector<std::string> parts;
  for (const fs::path& part : path)
    if (!part.empty() && part != "/") parts.push_back(part.string());
  std::ranges::reverse(parts);
  return parts;
}

Descriptor beginning_of(const fs::path& path) {
  Descriptor folder(::open(path.is_absolute() ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail("reached", errno);
  return folder;
}

bool is_trusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

fs::path target_of(int folder, const std::string& link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t size = ::readlinkat(folder, link.c_str(), text.data(), text.size());
  if (size < 0) fail("reached", errno);
  return std::string(text.data(), static_cast<std::size_t>(size));
}

void require_regular(const struct stat& found) {
  if (S_ISDIR(found.st_mode)) throw FileTrouble("is a folder", EISDIR);
  if (!S_ISREG(found.st_mode)) throw FileTrouble("is a pipe or device, not a file", 0);
}

/// Reads the opened file, whatever has its name by now.
std::string text_of(const Descriptor& file, std::size_t most) {
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) fail("read", errno);
  require_regular(found);
  std::string text;
  std::vector<char> some(1 << 16);
  for (;;) {
    const ssize_t n = ::read(file.get(), some.data(), some.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", errno);
    if (n == 0) return text;
    text.append(some.data(), static_cast<std::size_t>(n));
    if (text.size() > most) throw FileTrouble(fmt::format("is larger than {} MiB", most >> 20), 0);
  }
}

/// What this process leaves out of the permissions of new files. To ask for it is to change it, for all threads: Linux
/// tells it.
mode_t left_out() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (unsigned mask = 0; std::sscanf(line.c_str(), "Umask: %o", &mask) == 1) return mask;
  return 077;
}

mode_t permissions_of(const FilePlace& place) {
  struct stat old{};
  if (::fstatat(place.folder.get(), place.name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return 0666 & ~left_out();
  require_regular(old);
  return old.st_mode & 0777;
}

std::string random_name(const std::string& name) {
  constexpr std::size_t most = 200;  // of 255 that a name may have
  std::random_device random;
  return fmt::format("{}.partial-{:08x}{:08x}", name.substr(0, most), random(), random());
}

/// A file that nobody had, and its name.
std::pair<Descriptor, std::string> made_in(int folder, const std::string& name) {
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    std::string own = random_name(name);
    Descriptor file(::openat(folder, own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file) return {std::move(file), std::move(own)};
    if (errno != EEXIST) fail("written", errno);
  }
  fail("written", EEXIST);
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("written", n < 0 ? errno : EIO);
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(file) != 0) fail("written", errno);
}

}  // namespace

void close_kept(int descriptor) { ::close(descriptor); }

FilePlace place_of(const fs::path& path) {
  constexpr int most_links = 40;  // as the system follows
  std::vector<std::string> parts = parts_of(path);
  FilePlace place{.folder = beginning_of(path)};
  for (int links = 0; !parts.empty();) {
    place.name = std::exchange(parts.back(), {});
    parts.pop_back();
    struct stat found{};
    if (::fstatat(place.folder.get(), place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode)) {
      if (!is_trusted(found.st_uid))
        throw FileTrouble(fmt::format("leads over '{}', a link of another user, which is not followed", place.name), 0);
      if (++links > most_links) fail("reached", ELOOP);
      const fs::path target = target_of(place.folder.get(), place.name);
      if (target.is_absolute()) place.folder = beginning_of(target);
      std::ranges::copy(parts_of(target), std::back_inserter(parts));
      place.name.assign(1, '.');  // gcc 12 warns of = "."
    } else if (!parts.empty()) {
      Descriptor next(::openat(place.folder.get(), place.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!next) fail("reached", errno);
      place.folder = std::move(next);
    }
  }
  if (place.name.empty()) place.name.assign(1, '.');
  return place;
}

std::optional<std::string> read_kept(const fs::path& path, std::size_t most) {
  try {
    const FilePlace place = place_of(path);
    const Descriptor file(
        ::openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) fail("read", errno);
    return text_of(file, most);
  } catch (const FileTrouble& e) {
    if (e.code == ENOENT || e.code == ENOTDIR) return std::nullopt;
    throw;
  }
}

std::string read_named(const fs::path& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY |
                                                 O_CLOEXEC));  // a pipe would wait here for a writer that never comes
  if (!file) fail("read", errno);
  return text_of(file, most);
}

void replace_kept(const FilePlace& place, const std::string& text) {
  const mode_t permissions = permissions_of(place);
  const int folder = place.folder.get();
  const auto [file, own] = made_in(folder, place.name);
  try {
    write_all(file.get(), text);
    (void)!::fchmod(file.get(), permissions);
    if (::renameat(folder, own.c_str(), folder, place.name.c_str()) != 0) fail("replaced", errno);
  } catch (...) {
    ::unlinkat(folder, own.c_str(), 0);
    throw;
  }
}

void replace_kept(const fs::path& path, const std::string& text) { replace_kept(place_of(path), text); }

}  // namespace shardfft
