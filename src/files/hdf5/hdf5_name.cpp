#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "files/hdf5/hdf5_file.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

bool ends_with_one_of(std::string path, std::span<const std::string_view> endings) {
  std::ranges::transform(path, path.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  while (path.ends_with('/')) path.pop_back();
  return std::ranges::any_of(endings, [&](std::string_view ending) { return path.ends_with(ending); });
}

constexpr std::array<std::string_view, 2> endings_of_hdf5{".h5", ".hdf5"};
/// Endings of formats that are built on HDF5.
constexpr std::array<std::string_view, 8> endings_on_hdf5{".nc",  ".nc4", ".cdf", ".mat",
                                                          ".hdf", ".he5", ".h5m", ".nxs"};
constexpr std::array<std::string_view, 34> endings_of_others{
    ".npz",  ".zarr", ".n5",   ".csv", ".tsv",    ".txt",  ".json",        ".yaml",    ".tif", ".tiff", ".png", ".jpg",
    ".jpeg", ".raw",  ".bin",  ".mrc", ".nii",    ".nrrd", ".fits",        ".fit",     ".vtk", ".vti",  ".vtr", ".xmf",
    ".xdmf", ".bp",   ".grib", ".pkl", ".pickle", ".pt",   ".safetensors", ".parquet", ".gz",  ".zip"};

bool ends_as_hdf5(const std::string& path) { return ends_with_one_of(path, endings_of_hdf5); }

}  // namespace

std::optional<Hdf5Name> hdf5_name(const std::string& path) {
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(path, ignored);
  for (std::size_t colon = path.find(':'); !is_file && colon != path.npos; colon = path.find(':', colon + 1)) {
    const std::string file = path.substr(0, colon), dataset = path.substr(colon + 1);
    const bool hdf5 = ends_as_hdf5(file) || ends_with_one_of(file, endings_on_hdf5);
    if (colon > 0 && (dataset.starts_with('/') || hdf5)) return Hdf5Name{file, dataset};
  }
  if (ends_as_hdf5(path)) return Hdf5Name{path, "/data"};
  return std::nullopt;
}

std::string file_of(const std::string& path) {
  const auto name = hdf5_name(path);
  return name ? name->file : path;
}

bool names_hdf5(const std::string& path) { return hdf5_name(path).has_value(); }

void check_output_name(const std::string& path, bool hdf5) {
  const auto name = hdf5_name(path);
  const std::string file = file_of(path);
  const bool strange = ends_with_one_of(file, endings_of_others) || ends_with_one_of(file, endings_on_hdf5) ||
                       (name && file.ends_with(".npy"));
  if (!strange && (hdf5 || !name)) return;
  throw Error(Status::invalid_argument,
              fmt::format("the output is written as {}; got '{}'; name {}, and convert it afterwards",
                          hdf5 ? "a .npy file, or HDF5 in a .h5 or .hdf5 file" : "a .npy file", path,
                          hdf5 ? "a file like out.npy or out.h5:/data" : "a file like out.npy"));
}

}  // namespace shardfft::files
