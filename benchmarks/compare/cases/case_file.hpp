// Case files: what a study measures, in TOML. docs/guide/benchmarking.md describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case_request.hpp"

namespace shardfft::compare {

/// A file of cases, with the settings that it wants where the command line says nothing.
struct CaseFile {
  std::vector<CaseRequest> requests{};
  std::optional<int> launches{}, iterations{}, warmup{}, plan_seconds{};
  std::optional<double> time_limit_s{};
};

/// Throws Error(io_failed) where it cannot be read, Error(invalid_argument) with file and line where it is no TOML, or
/// a key or word means nothing.
[[nodiscard]] CaseFile read_case_file(const std::string& path);

}  // namespace shardfft::compare
