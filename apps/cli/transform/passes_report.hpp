// What is said of a transform in passes.
#pragma once

#include <string>

#include "options/task.hpp"
#include "output/costs.hpp"
#include "shardfft/files.hpp"
#include "transform/parts_clock.hpp"

namespace shardfft::cli {

/// Before: how many passes, through how much of the disk.
[[nodiscard]] std::string passes_intent(const TransformWords& words, const files::PassesReport& report);
/// Afterwards: a row for each pass, and the hash.
[[nodiscard]] std::string passes_summary(const TransformWords& words, const files::PassesReport& report,
                                         const PartsClock& clock);
/// The same, for --json. `peak`: bytes of memory.
void add_passes(Json& record, const TransformWords& words, const files::PassesReport& report, Index peak);

}  // namespace shardfft::cli
