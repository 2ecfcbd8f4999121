// --trace: when each rank did what, in Chrome's trace format, which Perfetto and others show.
#pragma once

#include <string>

#include "shardfft/plan.hpp"

namespace shardfft::cli {

/// Collective. Rank 0 writes what all ranks have recorded; nothing for an empty name. Each rank is a process with a row
/// for its steps and waits and one for the exchanges in flight; times are microseconds since the first span, on the
/// clock of rank 0. Throws Error(io_failed) on every rank.
void write_trace(const Plan& plan, const std::string& path);

}  // namespace shardfft::cli
