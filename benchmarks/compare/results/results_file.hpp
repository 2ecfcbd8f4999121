// Keeps results in a file: whole or not at all, after every launch.
#pragma once

#include <string>

#include "results.hpp"

namespace shardfft::compare {

/// Throws Error(io_failed) where it cannot be read and Error(invalid_argument) where it is no results file of this
/// version; `option` is what named it.
[[nodiscard]] Results read_results(const std::string& option, const std::string& path);

/// Replaces the file at once, so that there is always a whole one. Throws Error(io_failed).
void write_results(const std::string& path, const Results& results);

/// Throws Error(mismatch) that names the first difference, where measuring more would mix what cannot be compared: the
/// settings, the machine, the version, fewer launches than are there.
void require_resumable(const Results& before, const Results& now);

}  // namespace shardfft::compare
