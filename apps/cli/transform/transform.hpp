// A transform of one file to another, for commands that are made of it.
#pragma once

#include <string>

#include "options/command_line.hpp"
#include "options/task.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// IN, in `order` ("C order"), and OUT.
void add_files(const Command& command, TransformWords& words, const std::string& order);
/// --quiet, --json, and how it is to be done.
void add_transform_outputs(const Command& command, TransformWords& words);

/// Collective. Returns the exit status.
[[nodiscard]] int transform(const Comm& comm, const TransformWords& words);

}  // namespace shardfft::cli
