// MPI for programs that learn only when they run which one there is. Others include mpi.hpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Loads the part of the library that calls MPI, built for one MPI; that one must be in the process, where all can see
/// it. A second call does nothing. Throws Error(io_failed) for a file that cannot be loaded, Error(invalid_argument)
/// for one that is none, Error(unsupported) where an MPI is built in.
void load_mpi(const std::filesystem::path& plugin);

/// Loads one of the MPIs "openmpi" and "mpich" and the plug-in for it that lies beside this library. The MPI is looked
/// for where the system's loader looks, then in the virtual environment that holds this library. SHARDFFT_MPI, one of
/// the two words or the path of a library of one of them, counts for more than `of_launcher`. False: this library came
/// without plug-ins. Throws Error(unsupported) where the MPI or the plug-in for it is missing, Error(invalid_argument)
/// where SHARDFFT_MPI is neither.
[[nodiscard]] bool load_mpi_called(const std::string& of_launcher);

/// For programs that call no MPI themselves, with one loaded. MPI_Init_thread, and all ranks that were started;
/// MPI_Finalize, after the last group is gone; MPI_Abort.
[[nodiscard]] Comm start_mpi();
void end_mpi();
[[noreturn]] void abort_mpi(int status);

/// The MPI that is built in or loaded: "Open MPI v4.1.4"; empty: none.
[[nodiscard]] std::string mpi_library();

/// Collective over the communicator whose handle (an MPI_Comm of `bytes` bytes) lies there, as mpi(). Throws
/// Error(unsupported) without an MPI, Error(invalid_argument) for a handle of another one.
[[nodiscard]] Comm mpi_group(const void* handle, std::size_t bytes);

}  // namespace shardfft
