// Small files that others may write, too, such as results and settings: read and replaced without being led astray, and
// JSON that may come from anywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace shardfft {

/// Why a file is not used, without its name: "is a folder", "cannot be read: Permission denied".
struct FileTrouble : std::runtime_error {
  FileTrouble(const std::string& what, int why) : std::runtime_error(what), code(why) {}
  int code;  ///< as errno; 0 when the file itself is the trouble
};

/// The text of a file that is kept under a known name; empty when there is none. Regular files of at most `most` bytes
/// only. Throws FileTrouble.
[[nodiscard]] std::optional<std::string> read_kept(const std::filesystem::path& path, std::size_t most);
/// Reads a file that somebody named: all links are followed. Throws FileTrouble, also when there is none.
[[nodiscard]] std::string read_named(const std::filesystem::path& path, std::size_t most);

/// Whole or not at all: writes under a random name that nobody had, then gives it the name. Keeps the old one's
/// permissions. Symbolic links on the way are followed where they are root's or this user's. Throws FileTrouble.
void replace_kept(const std::filesystem::path& path, const std::string& text);

/// The entries of a JSON file that many processes read and write, {"format": FORMAT, "entries": {KEY: ENTRY, ...}}, as
/// the text of one object; an empty one when there is no file. Throws Error(io_failed) when it cannot be read, is
/// damaged or says another format.
[[nodiscard]] std::string read_entries(const std::filesystem::path& path, const std::string& format);
/// Reads, changes and writes them while no other process does; a crash leaves the old file or the new one. Makes the
/// folder. Throws Error(io_failed) as above, when the file cannot be written, or when another process holds it for
/// seconds.
void update_entries(const std::filesystem::path& path, const std::string& format,
                    const std::function<std::string(const std::string& entries)>& change);

/// How deep lists and objects lie in each other. Copies and prints of JSON call themselves for each level.
[[nodiscard]] inline int depth_of_json(std::string_view text) {
  int depth = 0, deepest = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1U : 0U;
    else if (text[i] == '[' || text[i] == '{')
      deepest = std::max(deepest, ++depth);
    else if (text[i] == ']' || text[i] == '}')
      --depth;
  }
  return deepest;
}

constexpr int deepest_json = 64;  ///< what shardfft writes has a dozen levels

/// `Json::parse`; what is no JSON, or is nested deeper than that, is discarded.
template <class Json>
[[nodiscard]] Json parse_outside(std::string_view text) {
  return depth_of_json(text) > deepest_json ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace shardfft
