// In place of hdf5_file.cpp where HDF5 was not found.
#include <utility>

#include <fmt/format.h>

#include "files/hdf5_file.hpp"
#include "shardfft/error.hpp"

namespace shardfft::cli {

[[noreturn]] static void refuse_without_hdf5(const std::string& file) {
  throw Error(
      Status::unsupported,
      fmt::format("arrays in HDF5 files need HDF5, which this build has not; got '{}'; build with libhdf5-dev and "
                  "SHARDFFT_WITH_HDF5=ON, or store the array with numpy.save",
                  file));
}

struct Hdf5Dataset::Open {};
Hdf5Dataset::Hdf5Dataset(Hdf5Name name) : name_(std::move(name)) { refuse_without_hdf5(name_.file); }
Hdf5Dataset::~Hdf5Dataset() = default;
NpyHeader Hdf5Dataset::header() const { return {}; }
Index Hdf5Dataset::library_bytes() const { return 0; }
std::vector<std::string> Hdf5Dataset::other_files() const { return {}; }
void Hdf5Dataset::read(const Box&, std::byte*) const {}
NpyHeader hdf5_header(const Hdf5Name& name) { refuse_without_hdf5(name.file); }
Index make_hdf5(const std::string&, const Hdf5Name& name, const Dtype&, const Shape&) {
  refuse_without_hdf5(name.file);
}

}  // namespace shardfft::cli
