// Files that appear whole or not at all, for programs that write files beside arrays.
#pragma once

#include <string>

#include "shardfft/comm.hpp"
#include "shardfft/error.hpp"

namespace shardfft::files {

/// Is told the names of files that are not whole yet, so that a program can remove them at a signal. Any thread.
struct UnfinishedFiles {
  virtual ~UnfinishedFiles() = default;
  virtual bool begin(const std::string& path) = 0;  ///< false: it cannot be kept; then the file is not made
  virtual void end(const std::string& path) = 0;
};
/// From now on; it lives as long as the program. The library installs no handlers of signals itself.
void tell_unfinished(UnfinishedFiles* files);

/// The target of `path`: a link is followed, so that the file behind it is replaced, also if that file does not exist
/// yet. A circle of links stays as it is.
[[nodiscard]] std::string resolved(const std::string& path);

/// Collective: rank 0 alone writes `text` to `path`, whole or not at all; no other rank needs to see the folder. Throws
/// Error(io_failed) on every rank.
void write_whole(const Comm& comm, const std::string& path, const std::string& text);

/// Collective: makes and removes a file as File::create() would, of a length that figures seldom have. Throws what it
/// would; where `path` is none for a file it asks for `wanted`.
void probe(const Comm& comm, const std::string& path, const std::string& wanted);
/// Names the files that killed runs have left beside `path`; empty: none. `resumes`: but for what resumed runs go on
/// from.
[[nodiscard]] std::string left_beside(const std::string& path, bool resumes);

/// The file in which an array is: "a.h5" of "a.h5:/data".
[[nodiscard]] std::string file_of(const std::string& path);
/// Whether it is a dataset of HDF5.
[[nodiscard]] bool names_hdf5(const std::string& path);
/// Whether this program is linked with HDF5.
[[nodiscard]] bool has_hdf5();
/// Throws Error(invalid_argument) where the name of an output says another format than .npy, or HDF5 where `hdf5`.
void check_output_name(const std::string& path, bool hdf5);

/// What `work` returns; where it refuses what it was given, with the name of the file that it came from.
template <class Work>
auto about_file(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const Error& e) { throw Error(e.status(), "'" + path + "': " + e.what()); }
}

}  // namespace shardfft::files
