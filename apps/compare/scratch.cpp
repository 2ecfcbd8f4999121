#include "scratch.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "shardfft/error.hpp"

namespace shardfft::compare {

namespace fs = std::filesystem;

Scratch::Scratch(const std::string& json) : path_(json.empty() ? "" : fs::absolute(json).string() + ".scratch") {
  std::error_code failed;
  if (json.empty()) {
    std::string name = (fs::temp_directory_path(failed) / "shardfft-compare-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  } else {
    fs::create_directory(path_, failed);
  }
  if (!fs::is_directory(path_))
    throw Error(Status::io_failed, fmt::format("compare needs a folder for plans; '{}' cannot be made: {}; name another place for --json",
                                               path_.string(), failed.message()));
  is_temporary_ = json.empty();
}

Scratch::~Scratch() {
  std::error_code ignored;
  is_temporary_ || is_done_ ? (void)fs::remove_all(path_, ignored)
                            : (void)fs::remove(path_, ignored);  // the latter: only where nothing is in it
}

}  // namespace shardfft::compare
