#include "files/new_file.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "files/file_runs.hpp"
#include "files/npy.hpp"
#include "files/pieces.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {
namespace {

/// Data of files of so many bytes begin where direct writes may.
constexpr Index large_file = Index{16} << 20;

}  // namespace

NewFile::NewFile(const Comm& comm, const std::string& path, const ArrayInfo& wanted)
    : Impl(path, {wanted.shape, wanted.type, c_order(wanted.shape.dims())}), comm_(comm) {
  make("");
}

void NewFile::make(const std::string& kept) {
  file_.reset();
  if (const auto hdf5 = hdf5_name(name)) return make_hdf5(*hdf5, kept);
  const Index bytes = product(info.shape) * info.type.size;
  const std::string header = npy_header(info.type, info.shape, bytes < large_file ? 64 : direct_alignment);
  start_ = static_cast<Index>(header.size());
  file_ = std::make_unique<PartialFile>(comm_, name, header, start_ + bytes, "a .npy file", kept);
}

void NewFile::make_hdf5(const Hdf5Name& hdf5, const std::string& kept) {
  collectively(comm_, [&] {
    if (comm_.rank() == 0 && std::filesystem::exists(hdf5.file))
      throw Error(Status::io_failed, fmt::format("the output of HDF5 must be a new file; '{}' is there already; name "
                                                 "another one, or move it away",
                                                 hdf5.file));
  });
  start_ = 0;
  const auto maker = [&](const std::string& path) {
    start_ = hdf5_for(hdf5.file).make(path, hdf5, info.type, info.shape);
  };
  file_ = std::make_unique<PartialFile>(comm_, hdf5.file, product(info.shape) * info.type.size, maker, "an HDF5 file",
                                        kept);
  start_ = all_max(comm_, start_);
}

Index NewFile::keep_at(const std::string& kept, Index start) {
  make(kept);
  if (start > 0) start_ = start;
  return start_;
}

void NewFile::write(const FilePart& part, const std::byte* memory, Watcher& watcher) const {
  require_order(part, *this);
  const Index size = info.type.size;
  for_each_piece(part, size, watcher, [&](Index in_file, Index in_memory, Index count) {
    file_->write({memory + in_memory * size, static_cast<std::size_t>(count * size)}, start_ + in_file * size,
                 part.streamed);
  });
  if (part.streamed) file_->settle();
}

void NewFile::commit() { file_->commit(); }

}  // namespace shardfft::files
