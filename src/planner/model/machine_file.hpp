// The machine as it was measured, kept between runs.
#pragma once

#include "planner/model/machine.hpp"
#include "shardfft/programs/wisdom.hpp"  // forget_machine

namespace shardfft {

/// Replaces what an earlier run measured on this host (same processor, same number of cores, same version of shardfft).
/// A file that cannot be used is one notice, once, and changes nothing.
void load_measured(Machine& machine, const Comm& comm);
/// Keeps it. Returns why it could not be written, or nothing.
[[nodiscard]] std::string keep_measured(const Machine& machine, const Comm& comm);
/// "host, processor, version"
[[nodiscard]] std::string machine_key();

}  // namespace shardfft
