#include "files/hdf5/hdf5_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "files/disk/direct_file.hpp"
#include "files/hdf5/hdf5_handle.hpp"
#include "files/hdf5/hdf5_trouble.hpp"
#include "files/hdf5/hdf5_types.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

[[noreturn]] void refuse_hdf5(const Hdf5Name& name, const std::string& what) {
  throw Error(Status::unsupported, fmt::format("{}: {}", quoted(name), what));
}

std::string file_name_of(hid_t object) {
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(H5Fget_name(object, nullptr, 0), 0)), ' ');
  H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

/// Extents that arrays may have. A damaged file may say anything.
Shape extents_of(hid_t space, Index element_bytes, const Hdf5Name& name) {
  if (H5Sget_simple_extent_type(space) == H5S_NULL)
    refuse_hdf5(name, "an array must have elements; it is a dataset without any (h5py.Empty); store an array");
  const int dims = H5Sget_simple_extent_ndims(space);
  if (dims < 0 || dims > max_dims)
    refuse_hdf5(
        name, fmt::format("arrays have at most {} dimensions; got {}; merge some with numpy.reshape", max_dims, dims));
  std::vector<hsize_t> extents(static_cast<std::size_t>(dims) + 1), most(extents);
  H5Sget_simple_extent_dims(space, extents.data(), most.data());
  extents.resize(static_cast<std::size_t>(dims));
  auto room = static_cast<std::uint64_t>(INT64_MAX) / static_cast<std::uint64_t>(element_bytes);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > most[axis])
      throw Error(Status::io_failed,
                  fmt::format("{}: an extent must be at most its maximum; got {}, of {}, along axis {}; the file is "
                              "damaged, copy or write it again",
                              quoted(name), extents[axis], most[axis], axis));
    if (extents[axis] > room)
      throw Error(Status::io_failed, fmt::format("{}: the array must have fewer than 2^63 bytes; got {} along axis {}; "
                                                 "the file is damaged, copy or write it again",
                                                 quoted(name), extents[axis], axis));
    if (extents[axis] > 0) room /= extents[axis];
  }
  return Shape(extents);
}

template <class Get>
std::string text_of(Get&& get) {
  std::string text(1 << 12, '\0');
  if (get(text.data(), text.size()) < 0) return {};
  text.resize(std::strlen(text.c_str()));
  return text;
}

class Dataset final : public Hdf5Dataset {
 public:
  explicit Dataset(Hdf5Name name);
  [[nodiscard]] NpyHeader header() const override;
  void read(const Box& box, std::byte* to) const override;
  [[nodiscard]] Chunks chunks() const override;
  [[nodiscard]] Index library_bytes() const override;
  [[nodiscard]] std::vector<std::string> other_files() const override;

 private:
  [[noreturn]] void refuse_damage(const std::string& what) const;
  void check_chunks() const;
  [[nodiscard]] std::vector<hsize_t> chunk_extents() const;

  Hdf5Name name_;
  H5 file_{}, dataset_{}, made_{};
  Hdf5Numbers numbers_{};
  std::size_t element_bytes_ = 0;  ///< in the file
  Shape shape_{};
};

Dataset::Dataset(Hdf5Name name) : name_(std::move(name)) {
  settle_hdf5();
  file_ = H5(H5Fopen(name_.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file_.is()) refuse_file(name_);
  dataset_ = H5(H5Dopen2(file_, name_.dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset_.is()) refuse_dataset(file_, name_);
  const H5 type(H5Dget_type(dataset_), H5Tclose), space(H5Dget_space(dataset_), H5Sclose);
  numbers_ = about_file(name_.file + ':' + name_.dataset, [&] { return numbers_of(type); });
  element_bytes_ = H5Tget_size(type);
  // Such numbers have gaps. In chunks that are smaller HDF5 copies past their end.
  if (constexpr std::size_t most = 64; element_bytes_ > most)
    refuse_damage(fmt::format("an element must have at most {} bytes; it has {}", most, element_bytes_));
  shape_ = extents_of(space, static_cast<Index>(std::max(numbers_.dtype.size, int{1})), name_);
  made_ = H5(H5Dget_create_plist(dataset_), H5Pclose);
  if (H5Pget_layout(made_) == H5D_CHUNKED) check_chunks();
}

std::vector<hsize_t> Dataset::chunk_extents() const {
  std::vector<hsize_t> extents(static_cast<std::size_t>(shape_.dims()) + 1);
  const int dims = H5Pget_chunk(made_, static_cast<int>(extents.size()), extents.data());
  extents.resize(static_cast<std::size_t>(std::clamp(dims, 0, shape_.dims())));
  return extents;
}

void Dataset::refuse_damage(const std::string& what) const {
  throw Error(Status::io_failed,
              fmt::format("{}: {}; the file is damaged, copy or write it again", quoted(name_), what));
}

// HDF5 copies past the end of a chunk if the header gives larger extents or elements than chunks have. Then there are
// more chunks than such extents leave room for, or, without filters, chunks have other sizes.
void Dataset::check_chunks() const {
#if H5_VERSION_GE(1, 10, 5)
  const H5 all(H5Dget_space(dataset_), H5Sclose);
  hsize_t chunks = 0;
  if (H5Dget_num_chunks(dataset_, all, &chunks) < 0) return;  // reading says why
  const std::vector<hsize_t> extents = chunk_extents();
  double most = 1;
  auto bytes = static_cast<double>(chunks) * static_cast<double>(element_bytes_);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto n = static_cast<hsize_t>(shape_[static_cast<int>(axis)]), extent = std::max<hsize_t>(extents[axis], 1);
    most *= static_cast<double>(n / extent + (n % extent > 0 ? 1 : 0));
    bytes *= static_cast<double>(extent);
  }
  if (static_cast<double>(chunks) > most)
    refuse_damage(fmt::format("the array must have at most {:.0f} chunks of these extents; it has {}", most, chunks));
  const auto stored = static_cast<double>(H5Dget_storage_size(dataset_));
  if (H5Pget_nfilters(made_) == 0 && stored != bytes)
    refuse_damage(
        fmt::format("{} chunks without filters must have {:.0f} bytes; they have {:.0f}", chunks, bytes, stored));
#endif
}

void Dataset::read(const Box& box, std::byte* to) const {
  const std::vector<hsize_t> start(box.lo.begin(), box.lo.end());
  std::vector<hsize_t> count;
  for (int axis = 0; axis < box.dims(); ++axis) count.push_back(static_cast<hsize_t>(box.extent(axis)));
  const H5 all(H5Dget_space(dataset_), H5Sclose);
  const H5 here(H5Screate_simple(box.dims(), count.data(), nullptr), H5Sclose);
  H5Sselect_hyperslab(all, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  // A dataset may say that what was never written has no value; then HDF5 leaves these elements alone.
  std::memset(to, 0, static_cast<std::size_t>(box.count() * numbers_.dtype.size));
  if (H5Dread(dataset_, numbers_.memory, here, all, H5P_DEFAULT, to) >= 0) return;
  const std::string reason = hdf5_reason("filter '");  // before any other call
  refuse_elements(name_, reason, other_files());
}

// Behind an external link the elements may lie in another file. Those that were never written lie nowhere.
NpyHeader Dataset::header() const {
  const haddr_t at = H5Dget_offset(dataset_);
  const bool lies_here = H5Pget_layout(made_) == H5D_CONTIGUOUS && H5Pget_external_count(made_) == 0 &&
                         file_name_of(dataset_) == file_name_of(file_) && at != HADDR_UNDEF && at <= INT64_MAX;
  const bool raw = lies_here && numbers_.as_stored &&
                   H5Dget_storage_size(dataset_) >= static_cast<hsize_t>(product(shape_) * numbers_.dtype.size);
  return {numbers_.dtype, false, shape_, raw ? static_cast<Index>(at) : 0, !raw};
}

// Filters take longer than the disk. What has none is copied from the system's cache if it is read again.
Chunks Dataset::chunks() const {
  if (H5Pget_layout(made_) != H5D_CHUNKED) return {};
  Chunks found{.extents = Coord::filled(shape_.dims(), 1), .cost = H5Pget_nfilters(made_) > 0 ? 4 : 0.25};
  int axis = 0;
  for (const hsize_t extent : chunk_extents())
    found.extents[axis++] = static_cast<Index>(std::clamp<hsize_t>(extent, 1, INT32_MAX));
  return found;
}

// A chunk is read, and its filters make others of it, in memory that they double until it is enough. Types are
// converted in two buffers.
Index Dataset::library_bytes() const {
  constexpr Index converted = 2 << 20;
  Index bytes = numbers_.as_stored ? 0 : converted;
  if (H5Pget_layout(made_) != H5D_CHUNKED) return bytes;
  Index chunk_bytes = numbers_.dtype.size;
  for (const hsize_t extent : chunk_extents()) chunk_bytes *= static_cast<Index>(extent);
  const H5 access(H5Dget_access_plist(dataset_), H5Pclose);
  std::size_t slots = 0, cache = 0;
  double preempt = 0;
  if (H5Pget_chunk_cache(access, &slots, &cache, &preempt) >= 0) bytes += static_cast<Index>(cache);
  return bytes + (H5Pget_nfilters(made_) > 0 ? 4 : 1) * chunk_bytes;
}

std::vector<std::string> Dataset::other_files() const {
  std::vector<std::string> files;
  const std::string own = file_name_of(dataset_);
  if (own != file_name_of(file_)) files.push_back(own);
  for (int i = 0; i < H5Pget_external_count(made_); ++i) {
    off_t offset = 0;
    hsize_t bytes = 0;
    files.push_back(beside(own, text_of([&](char* text, std::size_t room) {
                             return H5Pget_external(made_, static_cast<unsigned>(i), room, text, &offset, &bytes);
                           })));
  }
  std::size_t sources = 0;
  if (H5Pget_layout(made_) == H5D_VIRTUAL) H5Pget_virtual_count(made_, &sources);
  for (std::size_t i = 0; i < sources; ++i)
    files.push_back(beside(
        own, text_of([&](char* text, std::size_t room) { return H5Pget_virtual_filename(made_, i, text, room); })));
  return files;
}

struct LinkedHdf5 final : Hdf5 {
  [[nodiscard]] std::unique_ptr<Hdf5Dataset> open(const Hdf5Name& name) const override {
    return std::make_unique<Dataset>(name);
  }
  [[nodiscard]] Index make(const std::string& path, const Hdf5Name& name, const Dtype& dtype,
                           const Shape& shape) const override;
};

Index LinkedHdf5::make(const std::string& path, const Hdf5Name& name, const Dtype& dtype, const Shape& shape) const {
  settle_hdf5();
  const H5 access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_alignment(access, direct_alignment, direct_alignment);  // of what is as long
  H5 file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  if (!file.is()) refuse_new_file(name, path);
  const H5 made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), link(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(link, 1);
  H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const H5 space(H5Screate_simple(shape.dims(), extents.data(), nullptr), H5Sclose);
  const H5 type = type_for(dtype);
  H5 dataset(H5Dcreate2(file, name.dataset.c_str(), type, space, link, made, H5P_DEFAULT), H5Dclose);
  if (!dataset.is()) refuse_new_file(name, path);
  const haddr_t at = H5Dget_offset(dataset);
  if (!dataset.close() || !file.close()) refuse_new_file(name, path);
  return at == HADDR_UNDEF ? 0 : static_cast<Index>(at);
}

const LinkedHdf5 linked_hdf5;
[[maybe_unused]] const bool is_used = use_hdf5(&linked_hdf5);

}  // namespace
}  // namespace shardfft::files
