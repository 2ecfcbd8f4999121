// What is said of a transform in passes.
#pragma once

#include <string>

#include "passes/run.hpp"
#include "transform/parts_clock.hpp"

namespace shardfft::cli {

/// Before: how many passes, through how much of the disk. `done`: tiles that a run before has done.
[[nodiscard]] std::string passes_intent(const TransformWords& words, const PassesPlan& plan, Index done);
/// Afterwards: a row for each pass, and the hash.
[[nodiscard]] std::string passes_summary(const PassesPlan& plan, const PartsClock& clock, const PassesOutcome& outcome);
/// The same, for --json. `peak`: bytes of memory.
void add_passes(Json& record, const PassesPlan& plan, const PassesOutcome& outcome, Index done, Index peak);

}  // namespace shardfft::cli
