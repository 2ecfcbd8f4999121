// Files that are not whole yet.
#pragma once

#include <string>

namespace shardfft::files {

/// The name of such a file, of which the program is told (tell_unfinished()). The file goes with the object, unless
/// that forgets it.
class Unfinished {
 public:
  Unfinished() = default;
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  /// Before the file is made; false: its name cannot be kept.
  [[nodiscard]] bool begin(const std::string& path);
  void exists() { exists_ = true; }
  void forget();

 private:
  std::string path_{};  ///< empty: none
  bool exists_ = false;
};

}  // namespace shardfft::files
