#include "output/link_times.hpp"

#include <algorithm>

#include "output/table.hpp"

namespace shardfft::cli {
namespace {

bool goes_through_a_device(const StepReport& step) { return step.bytes_link > 0; }

std::vector<std::string> cells(const std::string& name, const StepReport& step, double network) {
  return {name,
          bytes_text(step.bytes_link),
          seconds_text(step.seconds_to_device),
          seconds_text(step.seconds_kernels),
          seconds_text(step.seconds_from_device),
          seconds_text(step.seconds_staging),
          seconds_text(network)};
}

}  // namespace

Json link_json(const StepReport& step) {
  return {{"to_device", step.seconds_to_device},
          {"kernels", step.seconds_kernels},
          {"from_device", step.seconds_from_device},
          {"staging", step.seconds_staging}};
}

Json link_json(const RunCost& run) {
  Json all = Json::object();
  const std::vector<std::string> labels = distinct_labels(run.steps);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (goes_through_a_device(run.steps[i])) all[labels[i]] = link_json(run.steps[i]);
  return all;
}

Json steps_json(const RunCost& run) {
  Json list = Json::array();
  const std::vector<std::string> labels = distinct_labels(run.steps);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const StepReport& step = run.steps[i];
    list.push_back({{"label", labels[i]},
                    {"seconds", step.seconds},
                    {"bytes_memory", step.bytes_memory},
                    {"bytes_shared", step.bytes_shared},
                    {"bytes_network", step.bytes_network},
                    {"bytes_link", step.bytes_link},
                    {"link_s", link_json(step)},
                    {"messages", step.messages}});
  }
  return list;
}

std::string link_table(const std::vector<std::pair<std::string, const RunCost*>>& runs) {
  Table table({"through the device", "link", "to device", "kernels", "from device", "staging", "exchanges"});
  bool any = false;
  for (const auto& [name, run] : runs) {
    table.add(cells(name, total_of(*run), run->waiting()));
    const std::vector<std::string> labels = distinct_labels(run->steps);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const StepReport& step = run->steps[i];
      if (!goes_through_a_device(step) && !waits(step)) continue;
      any = any || goes_through_a_device(step);
      table.add(cells("  " + labels[i], step, waits(step) ? step.seconds : 0));
    }
  }
  return any ? table.text() : std::string();
}

}  // namespace shardfft::cli
