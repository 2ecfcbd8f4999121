// The commands of the program. Each adds itself to the parser and, when it is chosen, says what to do.
#pragma once

#include <functional>

#include "options/command_line.hpp"
#include "shardfft/comm.hpp"

namespace shardfft::cli {

/// Collective; returns the exit status.
using Action = std::function<int(const Comm&)>;

void add_transform(const Command& program, Action& chosen);
void add_bench(const Command& program, Action& chosen);
void add_convolve(const Command& program, Action& chosen);
void add_correlate(const Command& program, Action& chosen);
void add_deconvolve(const Command& program, Action& chosen);
void add_filter(const Command& program, Action& chosen);
void add_compare_files(const Command& program, Action& chosen);
void add_spectrum(const Command& program, Action& chosen);
void add_solve(const Command& program, Action& chosen);
void add_explain(const Command& program, Action& chosen);
void add_info(const Command& program, Action& chosen);
void add_predict(const Command& program, Action& chosen);
void add_navier_stokes(const Command& program, Action& chosen);
void add_tune(const Command& program, Action& chosen);
void add_wisdom(const Command& program, Action& chosen);
/// Those of benchmarks/, compare and report, where the program is built with them (SHARDFFT_BUILD_BENCHMARKS).
void add_benchmarks(const Command& program, Action& chosen);

}  // namespace shardfft::cli
