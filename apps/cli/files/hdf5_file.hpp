// Arrays in HDF5 files, named as "file.h5:/group/data". Their places are found here; what is contiguous is then read
// and written as any file is. HDF5 itself reads what is not.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/npy.hpp"

namespace shardfft::cli {

/// The two parts of "file.h5:/group/data".
struct Hdf5Name {
  std::string file{}, dataset{};
};
/// None where a path names a file as it is. "a.h5" alone is its dataset /data, as in DistArray.save() of Python.
[[nodiscard]] std::optional<Hdf5Name> hdf5_name(const std::string& path);
/// The file in which an array is.
[[nodiscard]] inline std::string file_of(const std::string& path) {
  const auto name = hdf5_name(path);
  return name ? name->file : path;
}

/// Type, extents and first byte of a dataset, if a file has the very bits of that type one after the other. Throws
/// Error(io_failed or unsupported) for what is no number (complex ones are compounds {r, i}, as h5py's) or is not
/// there.
[[nodiscard]] NpyHeader hdf5_header(const Hdf5Name& name);

/// An open dataset, as for elements that do not lie one after the other in the file: chunked, perhaps compressed,
/// elsewhere, of a type that is converted, or never written.
class Hdf5Dataset {
 public:
  explicit Hdf5Dataset(Hdf5Name name);  ///< throws as hdf5_header()
  ~Hdf5Dataset();
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;

  /// The elements of a box in C order, of the type that hdf5_header() says. Throws Error(io_failed).
  void read(const Box& box, std::byte* to) const;
  [[nodiscard]] NpyHeader header() const;
  /// Memory that HDF5 takes while it reads, about.
  [[nodiscard]] Index library_bytes() const;
  /// Files beside that of this name in which elements are: behind links, external and virtual ones.
  [[nodiscard]] std::vector<std::string> other_files() const;

 private:
  struct Open;  // identifiers of HDF5
  Hdf5Name name_;
  std::unique_ptr<Open> open_{};
};

/// Makes the file `path`, for the time being not called `name.file`, with one dataset in C order, contiguous and
/// without values; complex as above. Returns its first byte. Throws Error(io_failed).
[[nodiscard]] Index make_hdf5(const std::string& path, const Hdf5Name& name, const Dtype& dtype, const Shape& shape);

/// Throws Error(invalid_argument) where the name of an output says another format than .npy, or HDF5 where `hdf5`.
void check_output_name(const std::string& path, bool hdf5);

}  // namespace shardfft::cli
