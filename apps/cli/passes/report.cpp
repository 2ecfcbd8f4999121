#include "passes/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/table.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

constexpr const char* what_was_verified =
    "each tile of each pass, by random probes; errors of the passes add up; scratch files gave back what they got";

Json pass_json(const Pass& pass, const PassTimes& times) {
  const Json seconds{{"total", times.total},
                     {"reading", times.reading},
                     {"transforming", times.transforming},
                     {"verifying", times.verifying},
                     {"writing", times.writing}};
  const Shape tile = pass.tile_in(0).shape();
  return {{"axes", pass.axes},
          {"tiles", pass.tiles()},
          {"tile", std::vector<Index>(tile.begin(), tile.end())},
          {"seconds", seconds}};
}

}  // namespace

std::string passes_intent(const TransformWords& words, const PassesPlan& plan, Index done) {
  std::string passes;
  Index tiles = 0;
  for (const Pass& pass : plan.passes) tiles += pass.tiles();
  const std::string place = words.scratch.empty() ? "beside " + words.out : "in " + words.scratch;
  const std::string resumed =
      done > 0 ? fmt::format("; {} of {} were done by a run that was killed", done, counted(tiles, "tile")) : "";
  for (const Pass& pass : plan.passes)
    passes += fmt::format("{}axes {} in {} of {}", passes.empty() ? "" : ", then ", fmt::join(pass.axes, " "),
                          counted(pass.tiles(), "tile"), to_string(pass.tile_in(0).shape()));
  return paragraph(
      "passes    ",
      fmt::format("{}, because the arrays do not fit into {} per rank: {}; all ranks read {} and write {}{}{}",
                  plan.passes.size(), bytes_text(static_cast<double>(plan.bytes)), passes, bytes_text(plan.moved.read),
                  bytes_text(plan.moved.written),
                  plan.scratch_bytes > 0
                      ? fmt::format(", {} of each in scratch files {}",
                                    bytes_text(static_cast<double>(plan.scratch_bytes)), printable(place))
                      : "",
                  resumed));
}

std::string passes_summary(const PassesPlan& plan, const PartsClock& clock, const PassesOutcome& outcome) {
  Table table({"pass", "tiles", "time", "reading", "transforming", "writing"});
  for (std::size_t i = 0; i < plan.passes.size(); ++i) {
    const PassTimes& t = outcome.passes[i];
    table.add({fmt::format("axes {}", fmt::join(plan.passes[i].axes, " ")), fmt::format("{}", plan.passes[i].tiles()),
               seconds_text(t.total), seconds_text(t.reading), seconds_text(t.transforming), seconds_text(t.writing)});
  }
  std::string text = table.text();
  if (plan.verifies)
    text += fmt::format("error {:.2e} (relative L2, at most {:.2e}): verified, {}\n", outcome.verdict.error_rel_l2,
                        outcome.verdict.bound, what_was_verified);
  for (const auto& [name, seconds] : clock.parts())
    if (name == "planning" || name == "finishing" || name == "other")
      text += fmt::format("{} {}, ", name, seconds_text(seconds));
  return text + fmt::format("total {}\nhash {}\n", seconds_text(clock.total()), hash_text(outcome.hash));
}

void add_passes(Json& record, const PassesPlan& plan, const PassesOutcome& outcome, Index done, Index peak) {
  record["passes"] = Json::array();
  for (std::size_t i = 0; i < plan.passes.size(); ++i)
    record["passes"].push_back(pass_json(plan.passes[i], outcome.passes[i]));
  record["memory_bytes"] = plan.bytes;
  record["bytes_read"] = static_cast<Index>(plan.moved.read);
  record["bytes_written"] = static_cast<Index>(plan.moved.written);
  record["bytes_scratch"] = plan.scratch_bytes;
  record["tiles_done_before"] = done;
  record["calls"] = static_cast<Index>(plan.moved.calls);
  if (plan.verifies)
    record["error_rel_l2"] = outcome.verdict.error_rel_l2, record["verify_limit"] = outcome.verdict.bound;
  record["hash"] = hash_text(outcome.hash);
  record["memory_peak_bytes"] = peak;
}

}  // namespace shardfft::cli
