#include "transform/passes_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/table.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* what_was_verified =
    "each tile of each pass, by random probes; errors of the passes add up; scratch files gave back what they got";

std::string axes_text(const files::PassReport& pass) {
  if (pass.axes.empty()) return "no axis";
  return fmt::format("axes {}{}", fmt::join(pass.axes, " "),
                     pass.does == "apply"      ? ", the operator, back"
                     : pass.does == "backward" ? " back"
                                               : "");
}

Json pass_json(const files::PassReport& pass) {
  const Json seconds{{"total", pass.total},
                     {"reading", pass.reading},
                     {"transforming", pass.transforming},
                     {"verifying", pass.verifying},
                     {"writing", pass.writing}};
  return {{"does", pass.does},
          {"axes", pass.axes},
          {"tiles", pass.tiles},
          {"tile", std::vector<Index>(pass.tile.begin(), pass.tile.end())},
          {"seconds", seconds}};
}

}  // namespace

std::string passes_intent(const TransformWords& words, const files::PassesReport& report) {
  std::string passes;
  Index tiles = 0;
  for (const files::PassReport& pass : report.passes) tiles += pass.tiles;
  const std::string place = words.scratch.empty() ? "beside " + words.out : "in " + words.scratch;
  const std::string resumed = report.tiles_done_before > 0
                                  ? fmt::format("; {} of {} were done by a run that was killed",
                                                report.tiles_done_before, counted(tiles, "tile"))
                                  : "";
  for (const files::PassReport& pass : report.passes)
    passes += fmt::format("{}{} in {} of {}", passes.empty() ? "" : ", then ", axes_text(pass),
                          counted(pass.tiles, "tile"), to_string(pass.tile));
  const auto bytes = [](Index n) { return bytes_text(static_cast<double>(n)); };
  return paragraph(
      "passes    ",
      fmt::format("{}, because the arrays do not fit into {} per rank: {}; all ranks read {} and write {}{}{}",
                  report.passes.size(), bytes(report.memory_bytes), passes, bytes(report.bytes_read),
                  bytes(report.bytes_written),
                  report.scratch_bytes > 0
                      ? fmt::format(", {} of each in scratch files {}", bytes(report.scratch_bytes), printable(place))
                      : "",
                  resumed));
}

std::string passes_summary(const TransformWords& words, const files::PassesReport& report, const PartsClock& clock) {
  Table table({"pass", "tiles", "time", "reading", "transforming", "writing"});
  for (const files::PassReport& pass : report.passes)
    table.add({axes_text(pass), fmt::format("{}", pass.tiles), seconds_text(pass.total), seconds_text(pass.reading),
               seconds_text(pass.transforming), seconds_text(pass.writing)});
  std::string text = table.text();
  if (words.verify)
    text += fmt::format("error {:.2e} (relative L2, at most {:.2e}): verified, {}\n", report.verdict.error_rel_l2,
                        report.verdict.bound, what_was_verified);
  for (const auto& [name, seconds] : clock.parts())
    if (name == "planning" || name == "finishing" || name == "other")
      text += fmt::format("{} {}, ", name, seconds_text(seconds));
  return text + fmt::format("total {}\nhash {}\n", seconds_text(clock.total()), hash_text(report.hash));
}

void add_passes(Json& record, const TransformWords& words, const files::PassesReport& report, Index peak) {
  record["passes"] = Json::array();
  for (const files::PassReport& pass : report.passes) record["passes"].push_back(pass_json(pass));
  record["memory_bytes"] = report.memory_bytes;
  record["bytes_read"] = report.bytes_read;
  record["bytes_written"] = report.bytes_written;
  record["bytes_scratch"] = report.scratch_bytes;
  record["tiles_done_before"] = report.tiles_done_before;
  record["calls"] = report.calls;
  if (words.verify) record["error_rel_l2"] = report.verdict.error_rel_l2, record["verify_limit"] = report.verdict.bound;
  record["hash"] = hash_text(report.hash);
  record["memory_peak_bytes"] = peak;
}

}  // namespace shardfft::cli
