// Types of HDF5 as numbers. For the files that see hdf5.h.
#pragma once

#include "files/hdf5/hdf5_handle.hpp"
#include "files/npy.hpp"

namespace shardfft::files {

/// The numbers in a dataset.
struct Hdf5Numbers {
  Dtype dtype{};           ///< of the elements that are read
  H5 memory{};             ///< the same type for H5Dread()
  bool as_stored = false;  ///< a file has these very bits
};

/// The numbers that h5py reads from a type of a file: the narrowest of NumPy's types that holds its values and has at
/// least its size. Throws Error(unsupported) if none does, and for types without numbers.
[[nodiscard]] Hdf5Numbers numbers_of(hid_t type);

/// The type of float32, float64, complex64 and complex128 in new files, of this machine's byte order.
[[nodiscard]] H5 type_for(const Dtype& dtype);

}  // namespace shardfft::files
