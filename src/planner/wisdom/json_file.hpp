// A JSON file that many processes read and write, and that no crash leaves half written.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace shardfft {

/// Files look like {"format": FORMAT, "entries": {key: entry, ...}}.
struct JsonFile {
  std::filesystem::path path{};
  std::string format{};  ///< "shardfft wisdom 1"; a file that says something else is foreign and is left alone

  /// The entries; an empty object when there is no file. Throws Error(io_failed) when it cannot be read, is damaged or
  /// foreign.
  [[nodiscard]] nlohmann::json read() const;
  /// Reads, changes and writes the entries while no other process does. The new file takes the place of the old one at
  /// once. Makes the folder. Throws Error(io_failed) as above, when the file cannot be written, or when another process
  /// holds it for seconds; then the old one stays as it is.
  void update(const std::function<void(nlohmann::json& entries)>& change) const;
};

}  // namespace shardfft
