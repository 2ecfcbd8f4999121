// The file that a peer leaves behind.
#pragma once

#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "peers/measure/checks.hpp"
#include "peers/measure/measure.hpp"

namespace shardfft::peers {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json to_json(const About& about);

/// One run that came to its end.
struct Outcome {
  Description description{};
  double plan_s = 0;
  Times times{};
  Index memory_peak_bytes = 0, huge_page_bytes = 0;
  int nodes = 1;  ///< that the ranks were on
  Findings findings{};
  std::vector<std::string> wrong_ways{};
  bool small_pages = false;  ///< wanted
  std::string recipe_json = "{}", plan_text{};
};
[[nodiscard]] Json record_of(const About& about, const Task& task, const Outcome& outcome);
/// One that did not: `status` is "unsupported" or "failed".
[[nodiscard]] Json record_without_times(const About& about, const Task& task, const std::string& status,
                                        const std::string& reason);

/// Writes `record` beside `file` and gives it its name when all of it is on the disk. Throws Error(io_failed).
void write_whole(const std::string& file, const Json& record);

}  // namespace shardfft::peers
