#include "output/costs.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "output/side_files.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/text.hpp"

namespace shardfft::cli {
namespace {

/// The numbers of a StepReport, ready to travel.
struct Numbers {
  double seconds = 0;
  Index bytes_memory = 0, bytes_network = 0, bytes_shared = 0, messages = 0, bytes_link = 0;
  double to_device = 0, kernels = 0, from_device = 0, staging = 0;
};

Numbers numbers_of(const StepReport& s) {
  return {s.seconds,    s.bytes_memory,      s.bytes_network,   s.bytes_shared,        s.messages,
          s.bytes_link, s.seconds_to_device, s.seconds_kernels, s.seconds_from_device, s.seconds_staging};
}

void add_bytes(StepReport& to, const Numbers& n) {
  to.bytes_memory += n.bytes_memory;
  to.bytes_network += n.bytes_network;
  to.bytes_shared += n.bytes_shared;
  to.messages += n.messages;
  to.bytes_link += n.bytes_link;
}

void add_link_seconds(StepReport& to, const Numbers& n) {
  to.seconds_to_device += n.to_device;
  to.seconds_kernels += n.kernels;
  to.seconds_from_device += n.from_device;
  to.seconds_staging += n.staging;
}

}  // namespace

RunCost cost_over_ranks(const Comm& comm, double seconds, const std::vector<StepReport>& steps) {
  const auto rows = static_cast<std::size_t>(all_max(comm, static_cast<Index>(steps.size()))) + 1;
  std::vector<Numbers> mine(rows), all(rows * static_cast<std::size_t>(comm.size()));
  mine[0].seconds = seconds;
  std::transform(steps.begin(), steps.end(), mine.begin() + 1, numbers_of);
  comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  RunCost cost;
  for (const StepReport& s : steps) cost.steps.emplace_back().label = s.label;
  cost.steps.resize(rows - 1);
  std::size_t slowest = 0;  // its first row
  for (std::size_t rank = 0; rank < all.size(); rank += rows) {
    if (all[rank].seconds > all[slowest].seconds) slowest = rank;
    for (std::size_t i = 1; i < rows; ++i) add_bytes(cost.steps[i - 1], all[rank + i]);
  }
  cost.seconds = all[slowest].seconds;
  for (std::size_t i = 1; i < rows; ++i) {
    cost.steps[i - 1].seconds = all[slowest + i].seconds;
    add_link_seconds(cost.steps[i - 1], all[slowest + i]);
  }
  return cost;
}

bool waits(const StepReport& step) { return step.label.starts_with("exchange"); }

double RunCost::waiting() const {
  double all = 0;
  for (const StepReport& s : steps) all += waits(s) ? s.seconds : 0;
  return all;
}

double RunCost::rest() const {
  double all = seconds;
  for (const StepReport& s : steps) all -= s.seconds;
  return std::max(all, 0.0);
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
  StepReport total;
  total.label = "total";
  total.seconds = run.seconds;
  for (const StepReport& s : run.steps) {
    add_bytes(total, numbers_of(s));
    add_link_seconds(total, numbers_of(s));
  }
  return total;
}

// Ranks that reach each other's arrays have mapped them.
void require_room(const Plan& plan, Index arrays, const std::string& remedy) {
  const Index beside = static_cast<Index>(plan.workspace_bytes()) + description_of(plan)["shared_bytes"].get<Index>();
  const bool alone = plan.comm().size() == 1;
  const MemoryNeed need{.own = alone ? arrays : 0, .mapped = beside + (alone ? 0 : arrays)};
  if (const std::string why = why_no_room(plan.comm(), need); !why.empty())
    throw Error(Status::out_of_memory,
                fmt::format("there is no room for arrays of {} and {} beside them on a rank: {}; {}", gigabytes(arrays),
                            gigabytes(beside), why, remedy));
}

// What several processes have is counted in parts, as it is shared now: the system keeps no peak of that.
Index peak_memory(const Comm& comm) {
  const auto kib_of = [](const char* file, const char* key) {
    std::ifstream in(file);
    Index kib = 0;
    for (std::string word; in >> word;)
      if (word == key) in >> kib;
    return kib;
  };
  const char *status = "/proc/self/status", *rollup = "/proc/self/smaps_rollup";
  const Index peak = kib_of(status, "VmHWM:"), share = kib_of(rollup, "Pss:");
  const Index counted_elsewhere = share > 0 ? std::max<Index>(kib_of(rollup, "Rss:") - share, 0) : 0;
  return all_max(comm, 1024 * std::max(peak - counted_elsewhere, share));
}

double nominal_flops(const Problem& problem) {
  double n = 1, all = 1;
  for (const Index extent : problem.shape) all *= static_cast<double>(extent);
  if (problem.axes.empty()) n = all;
  for (const int axis : problem.axes)
    n *= static_cast<double>(problem.shape[axis < 0 ? axis + problem.shape.dims() : axis]);
  return (problem.kind == c2c ? 5 : 2.5) * all * std::log2(n);
}

double nominal_gflops(const Problem& problem, double seconds) {
  return seconds > 0 ? nominal_flops(problem) / seconds / 1e9 : 0;
}

std::string bounds_text(double promised, double verify_limit) {
  return fmt::format("(relative L2, by random probes; this run promises at most {:.2e}{})", promised,
                     verify_limit > promised ? fmt::format(", verifying allows {:.2e}", verify_limit) : "");
}

Json description_of(const Plan& plan) { return Json::parse(plan.describe_json()); }

Json description_over_ranks(const Plan& plan) {
  Json description = description_of(plan);
  add_threads(plan.comm(), description, description["threads"].get<Index>());
  return description;
}

void add_threads(const Comm& comm, Json& description, Index mine) {
  description["threads"] = all_max(comm, mine);
  description["threads_least"] = -all_max(comm, -mine);
}

std::string threads_text(const Json& description) {
  const auto least = description["threads_least"].get<Index>(), most = description["threads"].get<Index>();
  return fmt::format("{}{} each", least < most ? fmt::format("{} to ", least) : "", counted(most, "thread"));
}

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
