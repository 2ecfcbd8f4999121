// A new file in C order, of which each rank writes only its own boxes: .npy, or one dataset of HDF5.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "files/disk/partial_file.hpp"
#include "files/file_impl.hpp"
#include "files/hdf5/hdf5_file.hpp"

namespace shardfft::files {

class NewFile final : public File::Impl {
 public:
  /// Collective. Throws Error(io_failed) on every rank, also where the HDF5 file is there already.
  NewFile(const Comm& comm, const std::string& path, const ArrayInfo& wanted);

  void write(const FilePart& part, const std::byte* memory, Watcher& watcher) const override;
  void commit() override;
  [[nodiscard]] bool is_flat() const override { return true; }
  [[nodiscard]] std::string path() const override { return file_of(name); }
  Index keep_at(const std::string& kept, Index start) override;
  void to_disk() const override { file_->to_disk(); }

 private:
  void make(const std::string& kept);
  void make_hdf5(const Hdf5Name& hdf5, const std::string& kept);

  Comm comm_;
  std::unique_ptr<PartialFile> file_{};
  Index start_ = 0;  ///< bytes before the first element
};

}  // namespace shardfft::files
