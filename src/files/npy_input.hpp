// A .npy file, or a dataset of an HDF5 file, of which each rank reads only its own boxes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <unistd.h>

#include "files/disk/direct_file.hpp"
#include "files/disk/unchanged.hpp"
#include "files/file_impl.hpp"
#include "files/hdf5/hdf5_file.hpp"
#include "files/npy.hpp"
#include "shardfft/comm.hpp"
#include "support/handle.hpp"

namespace shardfft::files {

using OpenFile = Handle<int, ::close, -1>;

class NpyInput final : public File::Impl {
 public:
  /// Collective: rank 0 reads the header for all, every rank opens the file. Throws Error(io_failed) for what is no
  /// such file or is cut off.
  NpyInput(const Comm& comm, const std::string& path);

  void read(const FilePart& part, std::byte* memory, Watcher& watcher) const override;
  [[nodiscard]] Index library_bytes() const override { return dataset_ ? dataset_->library_bytes() : 0; }
  [[nodiscard]] bool is_flat() const override { return !dataset_; }
  [[nodiscard]] Chunks chunks() const override { return dataset_ ? dataset_->chunks() : Chunks{}; }
  [[nodiscard]] std::string stamp() const override { return unchanged_.text(); }
  /// Looks at other files that have elements of it, too.
  void check_unchanged() const override { unchanged_.check(); }

 private:
  void check_size() const;
  void read_stretches(const FilePart& part, std::byte* memory, Watcher& watcher) const;
  void read_bytes(std::byte* to, std::size_t bytes, Index offset) const;
  const std::byte* read_direct(Index bytes, Index offset) const;

  std::string path_;
  OpenFile fd_{};
  std::unique_ptr<DirectFile> direct_{};
  UnchangedFiles unchanged_{};
  NpyHeader header_{};
  std::unique_ptr<Hdf5Dataset> dataset_{};  ///< of what HDF5 reads itself
};

}  // namespace shardfft::files
