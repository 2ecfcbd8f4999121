// Loads MPI's part of the library.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "shardfft/mpi_plugin.hpp"
#include "support/vendor_library.hpp"
#include "transport/foreign_mpi.hpp"

namespace shardfft {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> plugins_in(const fs::path& folder) {
  constexpr std::string_view begin = "shardfft_mpi_";
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, unreadable)) {
    const std::string name = file.path().stem().string();
    if (name.starts_with(begin) && file.path().extension() == ".so") names.push_back(name.substr(begin.size()));
  }
  std::ranges::sort(names);
  return names;
}

/// Opens the library with global symbols, for plug-ins name no MPI. Returns nullptr on failure; `why` says more.
void* open_for_all(const std::string& library, std::string& why) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  const char* said = opened ? nullptr : dlerror();
  if (!opened) why += (why.empty() ? "" : "; ") + std::string(said ? said : library);
  return opened;
}

/// Debian calls MPICH's library by another name than MPICH does. In a virtual environment MPICH lies in lib/, the
/// package with this library in lib/pythonX.Y/site-packages/; Open MPI's launcher says by itself where it is.
void open_library_of(const std::string& mpi, const fs::path& own_folder) {
  std::vector<std::string> names{mpi == "openmpi" ? "libmpi.so.40" : mpi == "abi" ? "libmpi_abi.so.1" : "libmpi.so.12"};
  const fs::path packages = own_folder.parent_path();
  if (packages.filename() == "site-packages")
    names.push_back((packages.parent_path().parent_path() / names.front()).string());
  if (mpi == "mpich") names.emplace_back("libmpich.so.12");
  std::string why;
  for (const std::string& name : names)
    if (open_for_all(name, why)) return;
  throw Error(Status::unsupported,
              fmt::format("ranks of a launcher of {0} need {1}; the loader says: {2}; install {0}, "
                          "or put the folder of its library into LD_LIBRARY_PATH",
                          mpi, fmt::join(names, " or "), why));
}

struct ChosenMpi {
  std::string name;      ///< "openmpi", "mpich", or "abi": any that has the ABI of MPI 5
  bool is_open = false;  ///< its library
};

/// An MPI of version 5 may have two libraries. Only the one with the standard's ABI gives its version.
bool has_standard_abi(void* library) {
  auto* version = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, "MPI_Abi_get_version"));
  int major = 0, minor = 0;
  return version && version(&major, &minor) == 0 && major > 0;
}

/// SHARDFFT_MPI says which one, or names the library, where the launcher's variables mislead.
ChosenMpi choose_mpi(const std::string& of_launcher) {
  const char* variable = std::getenv("SHARDFFT_MPI");
  const std::string value = variable ? variable : "";
  if (value.empty()) return {of_launcher};
  if (value == "openmpi" || value == "mpich" || value == "abi") return {value};
  std::string why;
  if (value.find('/') == std::string::npos) {
    why = "this is neither";
  } else if (void* opened = open_for_all(value, why)) {
    if (has_standard_abi(opened)) return {"abi", true};
    if (dlsym(opened, "ompi_mpi_comm_self")) return {"openmpi", true};
    if (dlsym(opened, "MPI_Init")) return {"mpich", true};
    why = "it has no MPI_Init";
  }
  throw Error(Status::invalid_argument,
              fmt::format("SHARDFFT_MPI is openmpi, mpich, abi, or the path of a library of one of them; got '{}': {}; "
                          "unset it to take the MPI of the launcher",
                          value, why));
}

const MpiPart& present() {
  if (const MpiPart* mpi = mpi_part()) return *mpi;
  throw Error(Status::unsupported,
              "there is no MPI in this build of shardfft, and none was loaded; build it where mpicc is found");
}

}  // namespace

bool load_mpi_called(const std::string& of_launcher) {
  if (mpi_part()) return true;
  const fs::path folder = own_folder();
  const std::vector<std::string> there = plugins_in(folder);
  if (there.empty()) return false;
  const auto has = [&](std::string_view plugin) { return std::ranges::find(there, plugin) != there.end(); };
  auto [name, is_open] = choose_mpi(of_launcher);
  if (!is_open && !has(name) && has("abi")) name = "abi";
  if (!has(name))
    throw Error(Status::unsupported,
                fmt::format("ranks of a launcher of {0} need shardfft's part for {0}; this shardfft was built for {1}; "
                            "use the launcher of {1}, or build shardfft where mpicc is that of {0}",
                            name, fmt::join(there, " and ")));
  if (!is_open) open_library_of(name, folder);
  load_mpi(folder / fmt::format("shardfft_mpi_{}.so", name));
  return true;
}

Comm start_mpi() { return present().start(); }
void end_mpi() { present().end(); }
void abort_mpi(int status) {
  present().abort(status);
  std::_Exit(status);
}

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

Comm mpi_group(const void* handle, std::size_t bytes) { return present().group(handle, bytes); }

}  // namespace shardfft
