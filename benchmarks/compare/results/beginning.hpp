// What a comparison begins with: an empty record of this machine, or what a file holds already.
#pragma once

#include "compare/cases/inputs.hpp"
#include "machine.hpp"
#include "results.hpp"

namespace shardfft::compare {

/// Measures the copy bandwidth of the machine if a new file is begun. With --resume and a file that is there, its
/// results, with the settings of now. Throws Error(invalid_argument) for a file that is there without --resume, which
/// is not overwritten, and what read_results and require_resumable throw.
[[nodiscard]] Results begin_results(const CompareWords& words, const Settings& settings,
                                    const cli::MachineFacts& facts);

}  // namespace shardfft::compare
