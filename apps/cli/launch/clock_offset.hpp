// One clock for all nodes.
#pragma once

#include <cstdint>
#include <span>

#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// One exchange of clock readings, in nanoseconds, as one rank saw it: its own clock before and after.
struct Ping {
  std::int64_t before = 0, after = 0;
};

/// What must be added to the clock of `other` to get that of `first`: nobody was through an exchange before everybody
/// had begun it, so each of them bounds the offset from both sides; the middle of what all of them leave, at most half
/// the fastest exchange from the truth. Both in the same order, at least one.
[[nodiscard]] std::int64_t offset_between(std::span<const Ping> first, std::span<const Ping> other);

/// Collective: what must be added to this rank's clock (std::chrono::steady_clock) to get that of rank 0. Ranks of a
/// node share a clock and get the same.
[[nodiscard]] std::int64_t clock_offset(const Comm& comm);

}  // namespace shardfft::cli
