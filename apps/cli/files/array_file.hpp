// The array in a .npy file, of which each rank reads and writes only its own boxes.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "disk/direct_file.hpp"
#include "disk/partial_file.hpp"
#include "disk/unchanged.hpp"
#include "files/hdf5_file.hpp"
#include "files/npy.hpp"
#include "output/progress.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::cli {

/// What this rank has and wants of an array: its boxes lie in `memory` one after the other, in this order of axes.
struct FilePart {
  FilePart(const Layout& layout, int rank, Precision scalar, bool of_complex, int together)
      : FilePart(layout.global(), layout.order(), layout.boxes(rank), scalar, of_complex, together) {}
  FilePart(const Shape& all, std::vector<int> memory_order, std::vector<Box> own, Precision scalar, bool of_complex,
           int together)
      : global(all),
        order(std::move(memory_order)),
        boxes(std::move(own)),
        precision(scalar),
        complex(of_complex),
        threads(together) {}

  Shape global;
  std::vector<int> order;
  std::vector<Box> boxes;
  Precision precision;
  bool complex;
  int threads;                         ///< that read and write together
  Index piece_bytes = Index{4} << 20;  ///< of one read or write
  bool streamed = false;               ///< past the system's cache of files
  [[nodiscard]] Index count() const {
    return std::accumulate(boxes.begin(), boxes.end(), Index{0}, [](Index n, const Box& b) { return n + b.count(); });
  }
};

/// A .npy file, or a dataset of an HDF5 file (hdf5_file.hpp), open for reading.
class NpyInput {
 public:
  /// Collective: rank 0 reads the header for all, every rank opens the file. Throws Error(io_failed) for what is no
  /// such file or is cut off.
  NpyInput(const Comm& comm, const std::string& path);
  ~NpyInput();
  NpyInput(const NpyInput&) = delete;
  NpyInput& operator=(const NpyInput&) = delete;

  [[nodiscard]] const NpyHeader& header() const { return header_; }
  [[nodiscard]] std::vector<int> order()
      const;  ///< of the axes in the file, slowest first; a FilePart must have it, too
  /// Fills `memory` with the elements of this rank, converted to the part's type. Not collective.
  void read(const FilePart& part, std::byte* memory, Progress& progress) const;
  /// Memory that the library of the format takes while it reads.
  [[nodiscard]] Index library_bytes() const { return dataset_ ? dataset_->library_bytes() : 0; }
  /// Which file this is, and when it changed last.
  [[nodiscard]] std::string stamp() const { return unchanged_.text(); }
  /// Throws Error(io_failed) where the file, or another one that has elements of it, is not as it was when it was
  /// opened. Not collective.
  void check_unchanged() const { unchanged_.check(); }

 private:
  void check_size() const;
  void read_dataset(const FilePart& part, std::byte* memory, Progress& progress) const;
  void read_bytes(std::byte* to, std::size_t bytes, Index offset) const;
  const std::byte* read_direct(Index bytes, Index offset) const;

  std::string path_;
  int fd_ = -1;
  std::unique_ptr<DirectFile> direct_{};
  UnchangedFiles unchanged_{};
  NpyHeader header_{};
  std::unique_ptr<Hdf5Dataset> dataset_{};  ///< of what HDF5 reads itself
};

/// Writes the boxes of this rank, C order in the file and in memory, behind a header of `header_bytes`. Not collective.
void write_part(const PartialFile& file, Index header_bytes, const FilePart& part, const std::byte* memory,
                Progress& progress);

}  // namespace shardfft::cli
