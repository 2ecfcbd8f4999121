#include "planner/wisdom/cache_files.hpp"

#include <cstdlib>
#include <string>

#include "support/text/text.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

bool wisdom_is_off() { return lower(variable("SHARDFFT_WISDOM")) == "off"; }

fs::path cache_folder() {
  const std::string own = variable("SHARDFFT_WISDOM");
  if (wisdom_is_off()) return {};
  if (fs::path(own).extension() == ".json") {
    const fs::path folder = fs::path(own).parent_path();
    return folder.empty() ? "." : folder;
  }
  if (!own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "shardfft";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "shardfft";
  return {};
}

fs::path wisdom_file() {
  const fs::path own = variable("SHARDFFT_WISDOM");
  if (own.extension() == ".json") return own;
  const fs::path folder = cache_folder();
  return folder.empty() ? fs::path() : folder / "wisdom.json";
}

fs::path machine_file() {
  const fs::path folder = cache_folder();
  return folder.empty() ? fs::path() : folder / "machine.json";
}

}  // namespace shardfft
