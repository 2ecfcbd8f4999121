// In which order a rank serves the others.
#pragma once

#include <bit>

namespace shardfft {

/// The step, 1 to ranks - 1, in which rank `me` sends to `peer`, such that in every step each rank is sent to by one other: pairs that exchange where the number of
/// ranks is a power of two, else around the ring.
[[nodiscard]] inline int step_of(int me, int peer, int ranks) {
  return std::has_single_bit(static_cast<unsigned>(ranks)) ? me ^ peer : (peer - me + ranks) % ranks;
}

}  // namespace shardfft
