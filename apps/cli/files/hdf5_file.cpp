#include "files/hdf5_file.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "shardfft/error.hpp"

namespace shardfft::cli {
namespace {

/// An identifier of HDF5, given back at the end.
class H5 {
 public:
  H5(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~H5() {
    if (id_ >= 0) close_(id_);
  }
  H5(const H5&) = delete;
  H5& operator=(const H5&) = delete;
  operator hid_t() const { return id_; }
  [[nodiscard]] bool is() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::string quoted(const Hdf5Name& name) { return fmt::format("'{}:{}'", name.file, name.dataset); }

[[noreturn]] void refuse_hdf5(const Hdf5Name& name, const std::string& what) {
  throw Error(Status::unsupported, fmt::format("{}: {}", quoted(name), what));
}

/// The library prints what went wrong unless it is told not to; here one line of ours says it.
void be_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

bool is_swapped(hid_t type) {
  const H5T_order_t order = H5Tget_order(type);
  return order == (std::endian::native == std::endian::little ? H5T_ORDER_BE : H5T_ORDER_LE);
}

bool is_float(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  return H5Tget_class(type) == H5T_FLOAT && (size == 2 || size == 4 || size == 8) && H5Tget_precision(type) == 8 * size;
}

std::string member_name(hid_t type, unsigned i) {
  char* name = H5Tget_member_name(type, i);
  const std::string text = name ? name : "";
  H5free_memory(name);
  return text;
}

/// Two equal floats one after the other.
std::optional<Dtype> complex_of(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return {};
  const H5 real(H5Tget_member_type(type, 0), H5Tclose), imaginary(H5Tget_member_type(type, 1), H5Tclose);
  const std::string names = member_name(type, 0) + ' ' + member_name(type, 1);
  if (names != "r i" && names != "re im" && names != "real imag" && names != "real imaginary") return {};
  const std::size_t half = H5Tget_size(real);
  if (!is_float(real) || half < 4 || H5Tequal(real, imaginary) <= 0 || H5Tget_size(type) != 2 * half ||
      H5Tget_member_offset(type, 0) != 0 || H5Tget_member_offset(type, 1) != half)
    return {};
  return Dtype{'c', static_cast<int>(2 * half), is_swapped(real)};
}

Dtype dtype_of(hid_t type, const Hdf5Name& name) {
  const int size = static_cast<int>(H5Tget_size(type));
  if (is_float(type)) return {'f', size, is_swapped(type)};
  if (const auto complex = complex_of(type)) return *complex;
  const bool whole = H5Tget_class(type) == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8);
  if (whole) return {H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i', size, is_swapped(type)};
  if (H5Tget_class(type) == H5T_ENUM && size == 1) return {'b', 1, false};  // h5py's bool
  refuse_hdf5(name,
              "elements must be integers, floats of 2, 4 or 8 bytes, or compounds {r, i} of two equal floats; got "
              "others; store it with h5py as one of these");
}

std::string file_name_of(hid_t object) {
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(H5Fget_name(object, nullptr, 0), 0)), ' ');
  H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

Index place_of(hid_t dataset, const Hdf5Name& name) {
  const haddr_t at = H5Dget_offset(dataset);
  if (at == HADDR_UNDEF) refuse_hdf5(name, "nothing was ever written to it; write its elements first");
  return static_cast<Index>(at);
}

hid_t complex_type(hid_t real) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * H5Tget_size(real));
  H5Tinsert(type, "r", 0, real);
  H5Tinsert(type, "i", H5Tget_size(real), real);
  return type;
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(Hdf5Name name) : name_(std::move(name)) {
  be_quiet();
  file_ = H5Fopen(name_.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0)
    throw Error(
        Status::io_failed,
        fmt::format("the input '{}' cannot be read as HDF5; name an HDF5 file, or set HDF5_USE_FILE_LOCKING=FALSE "
                    "where its file system has no locks",
                    name_.file));
  dataset_ = H5Dopen2(file_, name_.dataset.c_str(), H5P_DEFAULT);
  if (dataset_ >= 0) return;
  H5Fclose(file_);
  throw Error(Status::io_failed, fmt::format("{} must be a dataset; there is none of this name; h5ls -r {} lists them",
                                             quoted(name_), name_.file));
}

Hdf5Dataset::~Hdf5Dataset() {
  H5Dclose(dataset_);
  H5Fclose(file_);
}

void Hdf5Dataset::read(const Box& box, std::byte* to) const {
  const std::vector<hsize_t> start(box.lo.begin(), box.lo.end());
  std::vector<hsize_t> count;
  for (int axis = 0; axis < box.dims(); ++axis) count.push_back(static_cast<hsize_t>(box.extent(axis)));
  const H5 type(H5Dget_type(dataset_), H5Tclose), all(H5Dget_space(dataset_), H5Sclose);
  const H5 here(H5Screate_simple(box.dims(), count.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(all, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  if (H5Dread(dataset_, type, here, all, H5P_DEFAULT, to) < 0)
    throw Error(Status::io_failed,
                fmt::format("{} cannot be read: HDF5 finds damage, or lacks the filter; store it with "
                            "gzip, or uncompressed",
                            quoted(name_)));
}

// Behind an external link it may be so in another file.
bool Hdf5Dataset::is_contiguous() const {
  const H5 made(H5Dget_create_plist(dataset_), H5Pclose);
  return H5Pget_layout(made) == H5D_CONTIGUOUS && H5Pget_external_count(made) == 0 &&
         file_name_of(dataset_) == file_name_of(file_);
}

NpyHeader hdf5_header(const Hdf5Name& name) {
  const Hdf5Dataset dataset(name);
  const H5 type(H5Dget_type(dataset.id()), H5Tclose), space(H5Dget_space(dataset.id()), H5Sclose);
  const int dims = H5Sget_simple_extent_ndims(space);
  if (dims < 0 || dims > max_dims)
    refuse_hdf5(name, fmt::format("arrays have at most {} dimensions; got {}", max_dims, dims));
  std::vector<hsize_t> extents(static_cast<std::size_t>(dims) + 1);
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  extents.resize(static_cast<std::size_t>(dims));
  const bool contiguous = dataset.is_contiguous();
  return {dtype_of(type, name), false, Shape(extents), contiguous ? place_of(dataset.id(), name) : 0, !contiguous};
}

Index make_hdf5(const std::string& path, const std::string& dataset_name, const Dtype& dtype, const Shape& shape) {
  be_quiet();
  const H5 file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  const H5 made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const H5 space(H5Screate_simple(shape.dims(), extents.data(), nullptr), H5Sclose);
  const bool complex = dtype.kind == 'c';
  const hid_t real = dtype.size == (complex ? 8 : 4) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  const H5 type(complex ? complex_type(real) : H5Tcopy(real), H5Tclose);
  const H5 dataset(H5Dcreate2(file, dataset_name.c_str(), type, space, link, made, H5P_DEFAULT), H5Dclose);
  if (!dataset.is())
    throw Error(Status::io_failed, fmt::format("the output '{}:{}' cannot be made as HDF5; name a dataset as /spectrum",
                                               path, dataset_name));
  return static_cast<Index>(H5Dget_offset(dataset));
}

}  // namespace shardfft::cli
