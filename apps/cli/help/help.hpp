// The manual page and completion, made from the table of commands that --help prints.
#pragma once

#include <string>

#include "options/command_line.hpp"

namespace shardfft::cli {

/// A page for man(1), in the macros of man(7).
[[nodiscard]] std::string manual_page(const CommandWords& program);
/// A script for bash and zsh: commands, their options, and file names for the rest.
[[nodiscard]] std::string completion_script(const CommandWords& program);

/// `help` and `completion`. Their text is written while words are parsed.
void add_help(const CommandLine& program, std::string& text);

}  // namespace shardfft::cli
