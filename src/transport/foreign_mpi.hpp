// What of the library sees <mpi.h>, as the rest of it knows it: compiled in, or loaded when the program runs.
#pragma once

#include <cstddef>
#include <string>

#include "shardfft/comm.hpp"
#include "transport/transport.hpp"

namespace shardfft {

struct MpiPart {
  const Transport* p2p = nullptr;
  const Transport* alltoallv = nullptr;
  const Transport* rma = nullptr;
  const Transport* node = nullptr;  ///< between nodes, as a part of a mixed one
  const Transport* device = nullptr;
  std::string (*library)() = nullptr;  ///< "Open MPI v4.1.4"
  /// The group of a communicator, by the address of its handle. Throws Error(invalid_argument) where the handles of
  /// this MPI have another size.
  Comm (*group)(const void* handle, std::size_t bytes) = nullptr;
  Comm (*start)() = nullptr;  ///< MPI_Init_thread; MPI_COMM_WORLD
  void (*end)() = nullptr;    ///< MPI_Finalize
  void (*abort)(int status) = nullptr;
};

/// nullptr: neither compiled in nor loaded.
[[nodiscard]] const MpiPart* mpi_part();
/// From now on mpi_part(); not where one is compiled in.
void use_mpi_part(const MpiPart& loaded);
[[nodiscard]] bool has_mpi_built_in();

/// What a plug-in exports under this name: a function that gives its part.
inline constexpr const char* mpi_plugin_entry = "mpi_part_of_shardfft";
using MpiPluginEntry = const MpiPart*();

/// The functions of the sources that include <mpi.h>.
[[nodiscard]] const MpiPart& own_mpi_part();

}  // namespace shardfft
