// The commands of the program. Each adds itself to the parser and, when it is chosen, says what to do.
#pragma once

#include <functional>

#include "command_line.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// Collective; returns the exit status.
using Action = std::function<int(const Comm&)>;

void add_transform(const Command& program, Action& chosen);
void add_bench(const Command& program, Action& chosen);
void add_compare(const Command& program, Action& chosen);
void add_explain(const Command& program, Action& chosen);
void add_info(const Command& program, Action& chosen);
void add_tune(const Command& program, Action& chosen);
void add_wisdom(const Command& program, Action& chosen);
void add_report(const Command& program, Action& chosen);

}  // namespace shardfft::cli
