// A folder for what libraries remember between launches.
#pragma once

#include <filesystem>
#include <string>

namespace shardfft::compare {

/// Beside the results file, so that the ranks of all nodes see it and --resume finds it; without a file, somewhere
/// temporary. Removed at the end, but kept where a comparison with a file was not done(). While it lives no other
/// comparison can have the same file.
class Scratch {
 public:
  /// `json`: the results file, or empty. Throws Error(io_failed), or invalid_argument where another comparison has it.
  explicit Scratch(const std::string& json);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void done() { is_done_ = true; }

 private:
  void lock(const std::string& json);

  std::filesystem::path path_;
  int lock_ = -1;
  bool is_temporary_ = false, is_done_ = false;
};

}  // namespace shardfft::compare
