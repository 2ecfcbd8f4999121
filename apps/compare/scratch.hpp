// A folder for what libraries remember between launches.
#pragma once

#include <filesystem>
#include <string>

namespace shardfft::compare {

/// Beside the results file, so that the ranks of all nodes see it and --resume finds it; without a file, somewhere temporary. Removed at
/// the end, but kept where a comparison with a file was not done().
class Scratch {
 public:
  /// `json`: the results file, or empty. Throws Error(io_failed).
  explicit Scratch(const std::string& json);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void done() { is_done_ = true; }

 private:
  std::filesystem::path path_;
  bool is_temporary_ = false, is_done_ = false;
};

}  // namespace shardfft::compare
