// Loads MPI's part of the library.
#include <dlfcn.h>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "shardfft/mpi_plugin.hpp"
#include "transport/foreign_mpi.hpp"

namespace shardfft {

void load_mpi(const std::filesystem::path& plugin) {
  if (has_mpi_built_in())
    throw Error(Status::unsupported,
                fmt::format("this library was built with {}, and loads no other; leave the call out", mpi_library()));
  if (mpi_part()) return;
  void* opened = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open: its transports live in it
  if (!opened)
    throw Error(Status::io_failed,
                fmt::format("cannot load {} ({}); load its MPI before, for all to see", plugin.string(), dlerror()));
  auto* entry = reinterpret_cast<MpiPluginEntry*>(dlsym(opened, mpi_plugin_entry));
  if (!entry)
    throw Error(Status::invalid_argument,
                fmt::format("{} is no plug-in of shardfft: it has no {}; give shardfft_mpi_*.so of this version",
                            plugin.string(), mpi_plugin_entry));
  use_mpi_part(*entry());
}

std::string mpi_library() {
  const MpiPart* mpi = mpi_part();
  return mpi ? mpi->library() : std::string();
}

Comm mpi_group(const void* handle, std::size_t bytes) {
  const MpiPart* mpi = mpi_part();
  if (!mpi)
    throw Error(Status::unsupported,
                "there is no MPI in this build of shardfft, and none was loaded; build it where mpicc is found");
  return mpi->group(handle, bytes);
}

}  // namespace shardfft
