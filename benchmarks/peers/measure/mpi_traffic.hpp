// What a library hands to MPI for other ranks, counted at MPI's profiling interface: of libraries that cannot tell, the
// harness knows it all the same.
#pragma once

#include "shardfft/box.hpp"

namespace shardfft::peers {

struct Traffic {
  Index bytes = 0, messages = 0;  ///< messages that hold something, to other ranks than the sender
};

/// Traffic of this rank since the program began: sends of all kinds, also persistent ones, all-to-alls, puts and gets;
/// not what else collective calls send. Nothing without MPI, and for libraries that call it past the profiling
/// interface, as the Fortran bindings of some MPIs do. Source: MPI: A Message-Passing Interface Standard 3.1, section
/// 14.2.
[[nodiscard]] Traffic traffic_so_far();

}  // namespace shardfft::peers
