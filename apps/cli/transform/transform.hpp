// A transform of one file to another, for commands that are made of it.
#pragma once

#include <string>

#include "options/command_line.hpp"
#include "options/task.hpp"
#include "shardfft/comm.hpp"
#include "transform/in_memory.hpp"

namespace shardfft::cli {

/// IN, in `order` ("C order"), and OUT.
void add_files(const Command& command, TransformWords& words, const std::string& order);
/// --memory, --scratch and, for commands that write, --resume.
void add_memory(const Command& command, TransformWords& words, bool writes);
/// Collective: what this rank may take, in all and as asked.
[[nodiscard]] Room room_of(const Comm& comm, const TransformWords& words);
/// Folders of --scratch.
[[nodiscard]] std::vector<std::string> scratch_folders(const TransformWords& words);
/// --quiet, --json, and how it is to be done.
void add_transform_outputs(const Command& command, TransformWords& words);

/// Collective. Returns the exit status.
[[nodiscard]] int transform(const Comm& comm, const TransformWords& words);

}  // namespace shardfft::cli
