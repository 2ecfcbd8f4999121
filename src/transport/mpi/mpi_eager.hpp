// How long may a message be that MPI sends to another host without asking there first?
#pragma once

#include "shardfft/box.hpp"

namespace shardfft {

/// Bytes of the longest message that Open MPI sends over TCP at once; 0: other ways lead to other hosts, or nothing is
/// known of them. Of this process, which MPI has been initialised in.
///
/// Longer ones are announced, and sent once the receiver has asked for them. Its question waits behind what it sends
/// itself over the same connection, and where all ranks send to all others that is megabytes: a third of a cable's rate
/// is lost (docs/performance/lessons.md). Other libraries, and other networks, have nothing to gain from short
/// messages.
[[nodiscard]] Index tcp_eager_bytes();

}  // namespace shardfft
