#include <algorithm>
#include <cctype>
#include <filesystem>

#include "files/hdf5_file.hpp"

namespace shardfft::cli {
namespace {

bool ends_as_hdf5(std::string path) {
  std::ranges::transform(path, path.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace

std::optional<Hdf5Name> hdf5_name(const std::string& path) {
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(path, ignored);
  for (std::size_t colon = path.find(':'); !is_file && colon != path.npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon), dataset = path.substr(colon + 1);
    if (colon > 0 && (dataset.starts_with('/') || ends_as_hdf5(file))) return Hdf5Name{file, dataset};
  }
  if (ends_as_hdf5(path)) return Hdf5Name{path, "/data"};
  return std::nullopt;
}

}  // namespace shardfft::cli
