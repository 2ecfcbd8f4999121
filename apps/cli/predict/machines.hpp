// Machine files and published results of docs/machines, which are part of the program.
#pragma once

#include <span>
#include <string>

#include "shardfft/programs/predict.hpp"

namespace shardfft::cli {

struct SharedText {
  const char* name = nullptr;  ///< of the file, without its ending
  const char* text = nullptr;
};
[[nodiscard]] std::span<const SharedText> shared_texts();

/// A name of docs/machines, or a file. Empty: this machine. Throws Error(invalid_argument).
[[nodiscard]] Cluster find_machine(const std::string& word);
/// The text of docs/machines/published.json.
[[nodiscard]] std::string published_results();

}  // namespace shardfft::cli
