// The commands of the program. Each adds itself to the parser and, when it is chosen, says what to do.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// Collective; returns the exit status.
using Action = std::function<int(const Comm&)>;

void add_transform(CLI::App& program, Action& chosen);
void add_bench(CLI::App& program, Action& chosen);
void add_compare(CLI::App& program, Action& chosen);
void add_explain(CLI::App& program, Action& chosen);
void add_info(CLI::App& program, Action& chosen);
void add_tune(CLI::App& program, Action& chosen);
void add_wisdom(CLI::App& program, Action& chosen);
void add_report(CLI::App& program, Action& chosen);

}  // namespace shardfft::cli
