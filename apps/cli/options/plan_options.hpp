// Options that several commands share: what is asked, and how it is to be done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/command_line.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::cli {

/// How: every one may be left alone.
struct ChoiceWords {
  std::string ranks_grid, decomposition, transport, engine, intermediate;
  int threads = 0, chunks = 0, tile = 0, fuse = -1, split = -1, non_temporal = -1, huge_pages = -1;
  std::string effort;
  double tune_seconds = 0;
  bool no_wisdom = false;
  double tolerance = 0, tolerance_absolute = 0, tolerance_linf = 0;
  std::string guarantee, codec;
  bool encode_near = false;
  std::string device, arrays;
};
void add_choices(const Command& command, ChoiceWords& words);
/// --effort, --tune-seconds and --no-wisdom, for commands that run a plan.
void add_effort(const Command& command, ChoiceWords& words);
/// --device, and where it is not clear from the command, --arrays.
void add_device(const Command& command, ChoiceWords& words, bool arrays_too);
/// --tolerance and what goes with it.
void add_approximation(const Command& command, ChoiceWords& words);
/// Without layouts.
[[nodiscard]] Options to_options(const ChoiceWords& words);

/// What: for commands that make up their data.
struct ProblemWords {
  std::string shape, axes, kind = "c2c", precision = "f64", layout = "natural", input, output;
  bool in_place = false;
};
void add_problem(const Command& command, ProblemWords& words);
[[nodiscard]] Problem to_problem(const ProblemWords& words);
/// Choices and layouts.
[[nodiscard]] Options to_options(const ChoiceWords& choices, const ProblemWords& words, const Comm& comm);

/// Says that this rank's boxes lie one after the other, as files are read into memory; empty where no rank has several.
[[nodiscard]] std::vector<Placement> box_after_box(const LayoutSpec& spec, const Shape& shape, const Comm& comm);

/// --ranks N: threads of this process as ranks.
void add_ranks(const Command& command, int& ranks);
/// Calls `work` on `comm`, or with `ranks` > 0 on so many ranks that are threads; returns what the first rank returned.
/// Throws Error(invalid_argument) where a launcher started ranks already.
[[nodiscard]] int on_threads(const Comm& comm, int ranks, const std::function<int(const Comm&)>& work);

/// --json FILE
void add_json(const Command& command, std::string& file);

/// --trace FILE
void add_trace(const Command& command, std::string& file);

/// Threads of this rank for reading, writing and filling: as asked, or the cores of the node shared among its ranks.
[[nodiscard]] int helper_threads(const Comm& comm, int asked);

}  // namespace shardfft::cli
