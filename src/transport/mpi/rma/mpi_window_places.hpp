// What lies where in the windows of one-sided messages.
#pragma once

#include <mpi.h>

#include <vector>

#include "transport/transport.hpp"

namespace shardfft {

/// A slot of the traffic is a part of this rank's window, and a message of the largest size that it can have a part of
/// that; the window's owner never stores into it, so messages to oneself lie in private memory.
struct WindowPlaces {
  WindowPlaces(const Traffic& traffic, int me);

  Traffic private_part;  ///< messages to oneself, in inboxes of their own, and all that is sent
  std::vector<std::vector<Index>>
      in_at;  ///< by round and message: in the window; of those from oneself, in their inbox
  Index window_bytes = 0;
};

/// Collective. Where in the windows of the others this rank's messages go, by round and message out: every rank tells
/// each source once, a number for each message and its size, which must be what the source sends.
[[nodiscard]] std::vector<std::vector<Index>> tell_places(const Comm& group, MPI_Comm comm, const Traffic& traffic,
                                                          const WindowPlaces& mine);

}  // namespace shardfft
