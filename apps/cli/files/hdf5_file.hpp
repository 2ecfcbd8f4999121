// Arrays in HDF5 files, named as "file.h5:/group/data". Their places are found here; what is contiguous is then read
// and written as any file is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "files/npy.hpp"

namespace shardfft::cli {

/// The two parts of "file.h5:/group/data".
struct Hdf5Name {
  std::string file{}, dataset{};
};
/// None where a path names a file as it is.
[[nodiscard]] inline std::optional<Hdf5Name> hdf5_name(const std::string& path) {
  const std::size_t colon = path.find(":/");
  std::error_code ignored;
  if (colon == path.npos || colon == 0 || std::filesystem::exists(path, ignored)) return std::nullopt;
  return Hdf5Name{path.substr(0, colon), path.substr(colon + 1)};
}
/// The file in which an array is.
[[nodiscard]] inline std::string file_of(const std::string& path) {
  const auto name = hdf5_name(path);
  return name ? name->file : path;
}

/// Type, extents and first byte of a contiguous dataset. Throws Error(io_failed or unsupported) for what is no number
/// (complex ones are compounds {r, i}, as h5py's), has no place of its own in the file, or is not there.
[[nodiscard]] NpyHeader hdf5_header(const Hdf5Name& name);

/// Makes a file with one dataset in C order, contiguous and without values; complex as above. Returns its first byte.
[[nodiscard]] Index make_hdf5(const std::string& file, const std::string& dataset, const Dtype& dtype,
                              const Shape& shape);

}  // namespace shardfft::cli
