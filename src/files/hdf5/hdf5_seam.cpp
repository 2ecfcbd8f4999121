// Which HDF5 the program is linked with, if any.
#include <fmt/format.h>

#include "files/hdf5/hdf5_file.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

constinit const Hdf5* linked = nullptr;

}  // namespace

bool use_hdf5(const Hdf5* library) {
  linked = library;
  return true;
}

bool has_hdf5() { return linked != nullptr; }

const Hdf5& hdf5_for(const std::string& file) {
  if (linked) return *linked;
  throw Error(
      Status::unsupported,
      fmt::format("arrays in HDF5 files need HDF5, which this build has not; got '{}'; build with libhdf5-dev and "
                  "SHARDFFT_WITH_HDF5=ON and link shardfft::files, or store the array with numpy.save",
                  file));
}

}  // namespace shardfft::files
