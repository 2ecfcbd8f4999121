// Arrays in HDF5 files, named as "file.h5:/group/data". Their places are found here; what is contiguous is then read
// and written as any file is. HDF5 itself reads what is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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

/// Type, extents and first byte of a dataset, if it is contiguous. Throws Error(io_failed or unsupported) for what is
/// no number (complex ones are compounds {r, i}, as h5py's), was never written, or is not there.
[[nodiscard]] NpyHeader hdf5_header(const Hdf5Name& name);

/// An open dataset, as for elements that do not lie one after the other in the file: chunked, perhaps compressed, or
/// elsewhere.
class Hdf5Dataset {
 public:
  explicit Hdf5Dataset(Hdf5Name name);  ///< throws as hdf5_header()
  ~Hdf5Dataset();
  Hdf5Dataset(const Hdf5Dataset&) = delete;
  Hdf5Dataset& operator=(const Hdf5Dataset&) = delete;

  /// The elements of a box in C order, of the type that hdf5_header() says. Throws Error(io_failed).
  void read(const Box& box, std::byte* to) const;
  [[nodiscard]] bool is_contiguous() const;                   ///< in the file of this name
  [[nodiscard]] std::int64_t id() const { return dataset_; }  ///< HDF5's

 private:
  Hdf5Name name_;
  std::int64_t file_ = -1, dataset_ = -1;  ///< identifiers of HDF5
};

/// Makes a file with one dataset in C order, contiguous and without values; complex as above. Returns its first byte.
[[nodiscard]] Index make_hdf5(const std::string& file, const std::string& dataset, const Dtype& dtype,
                              const Shape& shape);

}  // namespace shardfft::cli
