#include "transform/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/words.hpp"
#include "output/link_times.hpp"
#include "output/table.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

std::vector<std::string> cells(const std::string& name, double seconds, const std::string& waiting,
                               const StepReport& s) {
  return {name,
          seconds_text(seconds),
          waiting,
          bytes_text(s.bytes_memory),
          bytes_text(s.bytes_shared),
          bytes_text(s.bytes_network),
          fmt::format("{}", s.messages)};
}

/// All parts add up to the total, and the steps of the transform to its part.
std::string times_table(const PartsClock& clock, const RunCost& cost) {
  Table table({"step", "time", "waiting", "memory", "to peers", "network", "messages"});
  const std::vector<std::string> labels = distinct_labels(cost.steps);
  const StepReport sum = total_of(cost);
  const std::string waiting = seconds_text(cost.waiting());
  for (const auto& [name, seconds] : clock.parts()) {
    if (name != "transforming") {
      table.add({name, seconds_text(seconds)});
      continue;
    }
    table.add(cells(name, seconds, waiting, sum));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const StepReport& s = cost.steps[i];
      table.add(cells("  " + labels[i], s.seconds, waits(s) ? seconds_text(s.seconds) : "", s));
    }
    table.add({"  around the steps", seconds_text(cost.rest())});
  }
  table.add(cells("total", clock.total(), waiting, sum));
  return table.text() + link_table({{"transforming", &cost}});
}

}  // namespace

Json heading_record(const TransformWords& words, const files::ArrayInfo& input, const Task& task, const Comm& comm,
                    const Json& said, const PartsClock& clock) {
  Json record{{"command", words.command},
              {"version", SHARDFFT_VERSION},
              {"in", words.in},
              {"out", words.out},
              {"dtype", to_string(input.type)},
              {"shape", std::vector<Index>(task.in.begin(), task.in.end())},
              {"shape_out", std::vector<Index>(task.out.begin(), task.out.end())},
              {"kind", to_string(task.kind)},
              {"kinds", kind_words(task.problem)},
              {"apply", words.apply},
              {"direction", task.direction == Direction::forward ? "forward" : "backward"},
              {"axes", task.problem.axes},
              {"precision", to_string(task.problem.precision)},
              {"ranks", comm.size()},
              {"nodes", comm.nodes()},
              {"threads", said["threads"]},
              {"threads_least", said["threads_least"]},
              {"recipe", said["recipe"]},
              {"notices", said["notices"]}};
  if (!words.apply.empty()) record.update(box_json(words.box, task.in.dims()));
  if (words.notes) record["filter"] = words.notes(task.in.dims()).second;
  for (const auto& [name, seconds] : clock.parts()) record["seconds"][name] = seconds;
  record["seconds"]["total"] = clock.total();
  return record;
}

std::string heading(const TransformWords& words, const files::ArrayInfo& input, const Task& task, const Comm& comm,
                    const Json& said) {
  return fmt::format("{}: {} {} to {}: {}, {} {}, axes {}, {} on {}, {}\n{}", printable(words.in), to_string(task.in),
                     to_string(input.type), printable(words.out), to_string(task.out), to_string(task.kind),
                     to_string(task.problem.precision), fmt::join(task.problem.axes, " "), counted(comm.size(), "rank"),
                     counted(comm.nodes(), "node"), threads_text(said), notices_text(said)) +
         (words.notes ? words.notes(task.in.dims()).first : "");
}

Json transform_record(const TransformWords& words, const files::ArrayInfo& input, const Task& task, const Comm& comm,
                      const Json& said, const PartsClock& clock, const TransformOutcome& outcome, Index peak) {
  const StepReport total = total_of(outcome.cost);
  Json record = heading_record(words, input, task, comm, said, clock);
  record["waiting_s"] = outcome.cost.waiting();
  record["phases_s"] = phases_json({outcome.cost});
  record["modes"] = said["modes"];
  record["support"] = said["support"];
  record["error_bound"] = outcome.promised;
  if (outcome.verified)
    record["error_rel_l2"] = outcome.verdict.error_rel_l2, record["verify_limit"] = outcome.verdict.bound;
  record["hash"] = hash_text(outcome.hash);
  record["bytes_moved_memory"] = total.bytes_memory;
  record["bytes_stored_at_peers"] = total.bytes_shared;
  record["bytes_sent_network"] = total.bytes_network;
  record["messages_sent"] = total.messages;
  record["memory_peak_bytes"] = peak;
  record["steps"] = steps_json(outcome.cost);
  return record;
}

std::string transform_summary(const TransformWords& words, const files::ArrayInfo& input, const Task& task,
                              const Comm& comm, const Json& said, const PartsClock& clock,
                              const TransformOutcome& outcome) {
  std::string text = heading(words, input, task, comm, said) + times_table(clock, outcome.cost);
  if (outcome.verified)
    text += fmt::format("error {:.2e} {}: verified\n", outcome.verdict.error_rel_l2,
                        bounds_text(outcome.promised, outcome.verdict.bound));
  return text + fmt::format("hash {}\n", hash_text(outcome.hash));
}

}  // namespace shardfft::cli
