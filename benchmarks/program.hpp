// The commands of this folder.
#pragma once

#include "commands.hpp"

namespace shardfft::cli {

void add_compare(const Command& program, Action& chosen);
void add_report(const Command& program, Action& chosen);

}  // namespace shardfft::cli
