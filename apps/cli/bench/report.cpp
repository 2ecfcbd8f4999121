#include "bench/report.hpp"

#include <fmt/format.h>

#include "output/beyond_limit.hpp"
#include "output/link_times.hpp"
#include "output/table.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

Json json_of(const Loss& loss) {
  return {{"bound", loss.bound},
          {"encoded", loss.encoded},
          {"bits_per_real", loss.bits},
          {"bytes_before", loss.bytes_before},
          {"bytes_after", loss.bytes_after}};
}

Json json_of(const Limit& limit) {
  return {{"copy_s", limit.copy_s},
          {"arithmetic_s", limit.arithmetic_s},
          {"limit_s", limit.seconds()},
          {"copy_bytes_per_s", limit.copy_bytes_per_s},
          {"arithmetic_flops_per_s", limit.arithmetic_flops_per_s}};
}

void add_rows(Table& table, const std::string& name, const Problem& problem, const std::vector<RunCost>& runs) {
  const Spread total = total_spread(runs);
  const RunCost& last = runs.back();
  const StepReport sum = total_of(last);
  const auto row = [&](const std::string& label, const Spread& s, const StepReport& cost, const std::string& speed) {
    table.add({label, seconds_text(s.min), seconds_text(s.median), seconds_text(s.max), bytes_text(cost.bytes_memory),
               bytes_text(cost.bytes_shared), bytes_text(cost.bytes_network), fmt::format("{}", cost.messages), speed});
  };
  row(name, total, sum, fmt::format("{:.2f}", nominal_gflops(problem, total.median)));
  const std::vector<std::string> labels = distinct_labels(last.steps);
  for (std::size_t i = 0; i < labels.size(); ++i) row("  " + labels[i], step_spread(runs, i), last.steps[i], "");
}

std::string limit_text(const BenchResult& result) {
  if (!result.limit) return fmt::format("limit not measured: {}\n", result.no_limit);
  const Limit& limit = *result.limit;
  if (limit.arithmetic_s == 0)
    return fmt::format("limit {} (two passes at {:.1f} GB/s): forward {:.2f}, backward {:.2f} times the limit\n",
                       seconds_text(limit.seconds()), limit.copy_bytes_per_s / 1e9, result.times_limit(result.forward),
                       result.times_limit(result.backward));
  return fmt::format(
      "limit {} (two passes take {} at {:.1f} GB/s, arithmetic {} at {:.0f} Gflop/s): forward {:.2f}, backward {:.2f} "
      "times the limit\n",
      seconds_text(limit.seconds()), seconds_text(limit.copy_s), limit.copy_bytes_per_s / 1e9,
      seconds_text(limit.arithmetic_s), limit.arithmetic_flops_per_s / 1e9, result.times_limit(result.forward),
      result.times_limit(result.backward));
}

std::string busy_text(const BenchResult& result) {
  if (!result.limit) return {};
  return beyond_limit("forward", result.times_limit(result.forward)) +
         beyond_limit("backward", result.times_limit(result.backward));
}

// What the planner's model expected of one direction, for devices that were measured.
std::string model_text(const Json& said, const BenchResult& result) {
  if (said["model_steps"].empty()) return {};
  const double expected = said["model_s"].get<double>();
  return fmt::format("model {} expected: forward took {:.2f}, backward {:.2f} times as long\n", seconds_text(expected),
                     total_spread(result.forward).median / expected, total_spread(result.backward).median / expected);
}

std::string loss_text(const char* direction, const Loss& loss) {
  if (loss.bytes_before == 0) return {};
  return fmt::format(
      "{}: encoded exchanges of all ranks: {} instead of {}, {:.2f} bits per real number, error at most {:.2e}\n",
      direction, bytes_text(static_cast<Index>(loss.bytes_after)), bytes_text(static_cast<Index>(loss.bytes_before)),
      loss.bits, loss.bound);
}

}  // namespace

Json bench_record(const Plan& plan, const Json& said, const BenchWords& words, const Options& options,
                  const BenchResult& result) {
  const StepReport total = total_of(result.forward.back());
  const Problem& p = plan.problem();
  Json record{
      {"command", "bench"},
      {"version", SHARDFFT_VERSION},
      {"shape", std::vector<Index>(p.shape.begin(), p.shape.end())},
      {"kind", to_string(p.kind)},
      {"kinds", kind_words(p)},
      {"precision", to_string(p.precision)},
      {"axes", p.axes},
      {"modes", std::vector<Index>(p.modes.begin(), p.modes.end())},
      {"support", std::vector<Index>(p.support.begin(), p.support.end())},
      {"ranks", plan.comm().size()},
      {"threads", said["threads"]},
      {"threads_least", said["threads_least"]},
      {"nodes", plan.comm().nodes()},
      {"input", plan.input().describe()},
      {"output", plan.output().describe()},
      {"in_place", words.problem.in_place},
      {"iterations", words.iterations},
      {"device", options.device},
      {"arrays", options.device.empty()   ? "host"
                 : options.arrays.empty() ? "device"
                                          : options.arrays},
      {"recipe", said["recipe"]},
      {"notices", said["notices"]},
      {"forward_s", to_json(total_spread(result.forward))},
      {"backward_s", to_json(total_spread(result.backward))},
      {"model_s", said["model_s"]},
      {"phases_s", {{"forward", phases_json(result.forward)}, {"backward", phases_json(result.backward)}}},
      {"forward_gflops", nominal_gflops(p, total_spread(result.forward).median)},
      {"backward_gflops", nominal_gflops(p, total_spread(result.backward).median)},
      {"limit", result.limit ? json_of(*result.limit) : Json()},
      {"forward_times_limit", result.limit ? Json(result.times_limit(result.forward)) : Json()},
      {"backward_times_limit", result.limit ? Json(result.times_limit(result.backward)) : Json()},
      {"error_rel_l2", result.error()},
      {"error_forward", result.forward_verdict.error_rel_l2},
      {"error_backward", result.backward_verdict.error_rel_l2},
      {"error_bound", result.promised()},
      {"verify_limit", result.verify_limit()},
      {"loss", {{"forward", json_of(result.forward_loss)}, {"backward", json_of(result.backward_loss)}}},
      {"verified", result.right()},
      {"hash", hash_text(result.hash)},
      {"bytes_moved_memory", total.bytes_memory},
      {"bytes_stored_at_peers", total.bytes_shared},
      {"bytes_sent_network", total.bytes_network},
      {"bytes_link", total.bytes_link},
      {"link_s", {{"forward", link_json(result.forward.back())}, {"backward", link_json(result.backward.back())}}},
      {"messages_sent", total.messages},
      {"memory_peak_bytes", result.memory_peak}};
  if (!result.apply.empty()) {
    record["apply"] = {{"operator", words.apply},
                       {"seconds", to_json(total_spread(result.apply))},
                       {"phases_s", phases_json(result.apply)},
                       {"times_forward", total_spread(result.apply).median / total_spread(result.forward).median}};
    record["apply"].update(box_json(words.box, p.shape.dims()));
  }
  return record;
}

std::string bench_summary(const Plan& plan, const Json& said, const BenchResult& result) {
  Table table({"step", "min", "median", "max", "memory", "to peers", "network", "messages", "Gflop/s"});
  add_rows(table, "forward", plan.problem(), result.forward);
  add_rows(table, "backward", plan.problem(), result.backward);
  const std::string link = link_table({{"forward", &result.forward.back()}, {"backward", &result.backward.back()}});
  std::string apply;
  if (!result.apply.empty()) {
    add_rows(table, "apply", plan.problem(), result.apply);
    apply =
        fmt::format("apply takes {:.2f} times as long as forward; forward, then backward, takes {:.2f} times as long\n",
                    total_spread(result.apply).median / total_spread(result.forward).median,
                    1 + total_spread(result.backward).median / total_spread(result.forward).median);
  }
  return fmt::format(
      "{}, {} on {}, {}\ninput  {}\noutput {}\n{}{}{}{}{}{}error {:.2e} forward, {:.2e} backward {}: {}\nhash "
      "{}\n",
      to_string(plan.problem()), counted(plan.comm().size(), "rank"), counted(plan.comm().nodes(), "node"),
      threads_text(said), plan.input().describe(), plan.output().describe(), notices_text(said),
      table.text() + link + apply, limit_text(result) + busy_text(result), model_text(said, result),
      loss_text("forward", result.forward_loss), loss_text("backward", result.backward_loss),
      result.forward_verdict.error_rel_l2, result.backward_verdict.error_rel_l2,
      bounds_text(result.promised(), result.verify_limit()), result.right() ? "verified" : "WRONG",
      hash_text(result.hash));
}

std::string bench_brief(const BenchResult& result) {
  return fmt::format("forward {}, backward {}, error {:.2e}, {}\n", seconds_text(total_spread(result.forward).median),
                     seconds_text(total_spread(result.backward).median), result.error(),
                     result.right() ? "verified" : "WRONG");
}

}  // namespace shardfft::cli
