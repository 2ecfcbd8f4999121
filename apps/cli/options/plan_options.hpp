// Options that several commands share: what is asked, and how it is to be done.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "options/command_line.hpp"
#include "shardfft/comm.hpp"
#include "shardfft/options.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::cli {

/// How: texts of what was given, by flags of the table of options; every one may be left alone.
struct ChoiceWords {
  std::map<std::string, std::string> texts{};
  bool no_wisdom = false;
};
/// The flags of a group, without some; of effort --no-wisdom, too.
void add_choices(const Command& command, ChoiceWords& words, OptionGroup group,
                 std::initializer_list<std::string_view> without = {});
/// Without layouts.
[[nodiscard]] Options to_options(const ChoiceWords& words);

/// What: for commands that make up their data.
struct ProblemWords {
  std::string shape, axes, modes, support, kind, kinds, precision = "f64", layout = "natural", input, output;
  bool in_place = false;
};
/// Returns --shape, which is required.
Option add_problem(const Command& command, ProblemWords& words);
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
