// What the command line and case files ask for, as lists of words, and the cases that follow.
#pragma once

#include <string>
#include <vector>

#include "case.hpp"

namespace shardfft::compare {

/// Every combination of these is a case.
struct CaseWords {
  std::vector<std::string> shapes{}, kinds{"c2c"}, precisions{"f64"}, layouts{"natural"}, ranks{};
  std::vector<std::string> grids{""};
  std::vector<std::string> axes{""};  ///< of a field, "0,1"; "": all
  std::vector<Index> batches{1};
  std::vector<int> nodes{1};
  bool ranks_per_node = false;  ///< `ranks` counts those of each node
  std::string study{};
  int iterations = 0;  ///< 0: those of the settings
  /// What the words are called where they were written, for messages: "--" on the command line, "" in a file.
  std::string mark = "--";
};

/// The cases, shapes slowest and ranks fastest, each once. Throws Error(invalid_argument) for a word that means
/// nothing, with the rule and the remedy.
[[nodiscard]] std::vector<Case> expand(const CaseWords& words);

/// "64" is 64x64x64, "64^1" has one dimension.
[[nodiscard]] Shape parse_shape(const std::string& option, const std::string& text);

/// Words between commas; none of them empty. Throws Error(invalid_argument).
[[nodiscard]] std::vector<std::string> split_list(const std::string& option, const std::string& text);

}  // namespace shardfft::compare
