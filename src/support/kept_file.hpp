// What lies behind shardfft/programs/files.hpp: a folder that is held open while a file in it is replaced.
#pragma once

#include <filesystem>
#include <string>

#include "shardfft/programs/files.hpp"
#include "support/handle.hpp"

namespace shardfft {

void close_kept(int descriptor);
using Descriptor = Handle<int, close_kept, -1>;

/// A folder that is held open, and a name in it that was no symbolic link.
struct FilePlace {
  Descriptor folder{};
  std::string name{};
};

/// The place that `path` leads to. Symbolic links on the way must belong to root or to this process's user; others are
/// not followed. Throws FileTrouble.
[[nodiscard]] FilePlace place_of(const std::filesystem::path& path);

/// replace_kept(path) for a place that is held.
void replace_kept(const FilePlace& place, const std::string& text);

}  // namespace shardfft
