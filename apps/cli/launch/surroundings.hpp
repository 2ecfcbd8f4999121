// What the program finds around it: standard streams that may be closed or broken, and signals that end it.
#pragma once

#include <string>

namespace shardfft::cli {

/// First of all: no file gets the number of a standard stream that is closed, and what is said on a standard error that
/// takes nothing is said in vain, which is no error.
void settle_standard_streams();

/// First of all, too. Signals that end a program remove its partial files before they do. Broken pipes and limits of
/// file lengths become errors of the write that meets them. Signals that are ignored or handled already stay so.
void settle_signals();

/// What to say where standard output took nothing, with errno or a code like it.
[[nodiscard]] std::string lost_output(int error);
/// Throws Error(io_failed) where standard output does not take all of `text` at once.
void print_whole(const std::string& text);

}  // namespace shardfft::cli
