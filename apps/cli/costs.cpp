#include "costs.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "side_files.hpp"
#include "support/agree.hpp"

namespace shardfft::cli {
namespace {

/// The numbers of a StepReport, ready to travel.
struct Numbers {
  double seconds = 0;
  Index bytes_memory = 0, bytes_network = 0, bytes_shared = 0, messages = 0, bytes_link = 0;
};

Numbers numbers_of(const StepReport& s) { return {s.seconds, s.bytes_memory, s.bytes_network, s.bytes_shared, s.messages, s.bytes_link}; }

void add_bytes(StepReport& to, const Numbers& n) {
  to.bytes_memory += n.bytes_memory;
  to.bytes_network += n.bytes_network;
  to.bytes_shared += n.bytes_shared;
  to.messages += n.messages;
  to.bytes_link += n.bytes_link;
}

}  // namespace

RunCost cost_over_ranks(const Comm& comm, double seconds, const std::vector<StepReport>& steps) {
  const auto rows = static_cast<std::size_t>(all_max(comm, static_cast<Index>(steps.size()))) + 1;
  std::vector<Numbers> mine(rows), all(rows * static_cast<std::size_t>(comm.size()));
  mine[0].seconds = seconds;
  std::transform(steps.begin(), steps.end(), mine.begin() + 1, numbers_of);
  comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  RunCost cost;
  for (const StepReport& s : steps) cost.steps.push_back({.label = s.label});
  cost.steps.resize(rows - 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t row = i % rows;
    if (row == 0) {
      cost.seconds = std::max(cost.seconds, all[i].seconds);
    } else {
      StepReport& step = cost.steps[row - 1];
      step.seconds = std::max(step.seconds, all[i].seconds);
      add_bytes(step, all[i]);
    }
  }
  return cost;
}

Spread spread(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  const double median = seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return {seconds.front(), median, seconds.back()};
}

Spread total_spread(const std::vector<RunCost>& runs) {
  std::vector<double> seconds;
  for (const RunCost& run : runs) seconds.push_back(run.seconds);
  return spread(std::move(seconds));
}

Spread step_spread(const std::vector<RunCost>& runs, std::size_t i) {
  std::vector<double> seconds;
  for (const RunCost& run : runs) seconds.push_back(run.steps[i].seconds);
  return spread(std::move(seconds));
}

Json to_json(const Spread& s) { return {{"min", s.min}, {"median", s.median}, {"max", s.max}}; }

std::vector<std::string> distinct_labels(const std::vector<StepReport>& steps) {
  std::map<std::string, int> seen;
  std::vector<std::string> labels;
  for (const StepReport& s : steps) {
    const int times = ++seen[s.label];
    labels.push_back(times == 1 ? s.label : fmt::format("{} ({})", s.label, times));
  }
  return labels;
}

Json phases_json(const std::vector<RunCost>& runs) {
  Json phases = Json::object();
  if (runs.empty()) return phases;
  const std::vector<std::string> labels = distinct_labels(runs.front().steps);
  for (std::size_t i = 0; i < labels.size(); ++i) phases[labels[i]] = to_json(step_spread(runs, i));
  return phases;
}

StepReport total_of(const RunCost& run) {
  StepReport total{.label = "total", .seconds = run.seconds};
  for (const StepReport& s : run.steps) add_bytes(total, numbers_of(s));
  return total;
}

Index peak_memory(const Comm& comm) {
  std::ifstream status("/proc/self/status");
  Index kib = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> kib;
  }
  return all_max(comm, 1024 * kib);
}

double nominal_flops(const Problem& problem) {
  double n = 1, all = 1;
  for (const Index extent : problem.shape) all *= static_cast<double>(extent);
  if (problem.axes.empty()) n = all;
  for (const int axis : problem.axes) n *= static_cast<double>(problem.shape[axis < 0 ? axis + problem.shape.dims() : axis]);
  return (problem.kind == c2c ? 5 : 2.5) * all * std::log2(n);
}

double nominal_gflops(const Problem& problem, double seconds) { return seconds > 0 ? nominal_flops(problem) / seconds / 1e9 : 0; }

std::string bounds_text(double promised, double verify_limit) {
  return fmt::format("(relative L2, by random probes; this run promises at most {:.2e}{})", promised, verify_limit > promised ? fmt::format(", verifying allows {:.2e}", verify_limit) : "");
}

Json description_of(const Plan& plan) { return Json::parse(plan.describe_json()); }

std::string notices_text(const Json& description) {
  std::string text;
  for (const Json& notice : description["notices"]) text += fmt::format("notice: {}\n", notice.get<std::string>());
  return text;
}

void write_json(const Comm& comm, const std::string& file, const Json& record) {
  collectively(comm, [&] {
    if (comm.rank() != 0 || file.empty()) return;
    // Names need not be UTF-8, and JSON must be.
    write_side_file({"--json", file}, record.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  });
}

}  // namespace shardfft::cli
