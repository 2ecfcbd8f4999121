// Why HDF5 does not give what was asked for. For the files that see hdf5.h.
#pragma once

#include <string>
#include <vector>

#include "files/hdf5/hdf5_file.hpp"
#include "files/hdf5/hdf5_handle.hpp"

namespace shardfft::files {

/// A path in a file is relative to the folder of that file.
[[nodiscard]] std::string beside(const std::string& file, const std::string& path);

/// "'file.h5:/data'", as in messages.
[[nodiscard]] std::string quoted(const Hdf5Name& name);

// Each throws Error(io_failed) with HDF5's reason: no other call may come between the one that failed and this.

[[noreturn]] void refuse_file(const Hdf5Name& name);
/// Looks which part of the path fails, and whether it is absent, a link, a group, or of a newer format.
[[noreturn]] void refuse_dataset(hid_t file, const Hdf5Name& name);
/// `reason`: hdf5_reason("filter '"). `others`: files beside that of this name in which elements are.
[[noreturn]] void refuse_elements(const Hdf5Name& name, const std::string& reason,
                                  const std::vector<std::string>& others);
/// `path`: what the file is called for the time being, which users never asked for.
[[noreturn]] void refuse_new_file(const Hdf5Name& name, const std::string& path);

}  // namespace shardfft::files
