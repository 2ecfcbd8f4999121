// Small files in folders that others may write, too: read and replaced without being led astray.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "support/handle.hpp"

namespace shardfft {

void close_kept(int descriptor);
using Descriptor = Handle<int, close_kept, -1>;

/// Why a file is not used, without its name: "is a folder", "cannot be read: Permission denied".
struct FileTrouble : std::runtime_error {
  FileTrouble(const std::string& what, int why) : std::runtime_error(what), code(why) {}
  int code;  ///< as errno; 0 when the file itself is the trouble
};

/// A folder that is held open, and a name in it that was no symbolic link.
struct Place {
  Descriptor folder{};
  std::string name{};
};

/// Where `path` leads. Symbolic links on the way must be root's or those of this process's user: another user's are not
/// followed. Throws FileTrouble.
[[nodiscard]] Place place_of(const std::filesystem::path& path);

/// The text of a file that is kept under a known name; empty when there is none. Regular files of at most `most` bytes
/// only. Throws FileTrouble.
[[nodiscard]] std::optional<std::string> read_kept(const std::filesystem::path& path, std::size_t most);
/// The same of a file that somebody named: all links are followed. Throws FileTrouble, also when there is none.
[[nodiscard]] std::string read_named(const std::filesystem::path& path, std::size_t most);

/// Whole or not at all: writes under a random name that nobody had, then gives it the name. Keeps the old one's
/// permissions. Throws FileTrouble.
void replace_kept(const Place& place, const std::string& text);

}  // namespace shardfft
