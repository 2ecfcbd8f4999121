// Arrays in HDF5 files, named as "file.h5:/group/data". Their places are found here; what is contiguous is then read
// and written as any file is. HDF5 itself reads what is not.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/npy.hpp"
#include "shardfft/programs/whole_files.hpp"

namespace shardfft::files {

/// The two parts of "file.h5:/group/data".
struct Hdf5Name {
  std::string file{}, dataset{};
};
/// None where a path names a file as it is. "a.h5" alone is its dataset /data, as in DistArray.save() of Python.
[[nodiscard]] std::optional<Hdf5Name> hdf5_name(const std::string& path);

/// An open dataset.
struct Hdf5Dataset {
  virtual ~Hdf5Dataset() = default;
  /// Type, extents and first byte, if the file has the very bits of that type one after the other.
  [[nodiscard]] virtual NpyHeader header() const = 0;
  /// The elements of a box in C order, of the type that header() says: also of datasets that are chunked, compressed,
  /// elsewhere, of a type that is converted, or never written. Throws Error(io_failed).
  virtual void read(const Box& box, std::byte* to) const = 0;
  [[nodiscard]] virtual Chunks chunks() const = 0;
  /// Memory that HDF5 takes while it reads, about.
  [[nodiscard]] virtual Index library_bytes() const = 0;
  /// Files beside that of this name in which elements are: behind links, external and virtual ones.
  [[nodiscard]] virtual std::vector<std::string> other_files() const = 0;
};

/// HDF5, which programs are linked with or not.
struct Hdf5 {
  virtual ~Hdf5() = default;
  /// Throws Error(io_failed or unsupported) for what is no number (complex ones are compounds {r, i}, as h5py's) or is
  /// not there.
  [[nodiscard]] virtual std::unique_ptr<Hdf5Dataset> open(const Hdf5Name& name) const = 0;
  /// Makes the file `path`, for the time being not called `name.file`, with one dataset in C order, contiguous and
  /// without values; complex as above. Returns its first byte. Throws Error(io_failed).
  [[nodiscard]] virtual Index make(const std::string& path, const Hdf5Name& name, const Dtype& dtype,
                                   const Shape& shape) const = 0;
};
/// Called before main() by what is linked with HDF5.
bool use_hdf5(const Hdf5* library);
/// Throws Error(unsupported), which names `file`, where the program is not linked with HDF5.
[[nodiscard]] const Hdf5& hdf5_for(const std::string& file);

}  // namespace shardfft::files
