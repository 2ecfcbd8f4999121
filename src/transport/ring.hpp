// In which order a rank serves the others.
#pragma once

namespace shardfft {

/// The step, 1 to ranks - 1, in which rank `me` sends to `peer`, such that in every step each rank is sent to by one
/// other: around the ring. Not in pairs that exchange (XOR), though these exist where the number of ranks is a power of
/// two: data that goes both ways over one TCP connection carries the acknowledgements of the other direction, and both
/// wait in the same queue. It took twice as long.
[[nodiscard]] constexpr int step_of(int me, int peer, int ranks) { return (peer - me + ranks) % ranks; }
/// To whom a rank sends in a step, and from whom it receives then.
[[nodiscard]] constexpr int receiver_of_step(int me, int step, int ranks) { return (me + step) % ranks; }
[[nodiscard]] constexpr int sender_of_step(int me, int step, int ranks) { return (me - step + ranks) % ranks; }

}  // namespace shardfft
