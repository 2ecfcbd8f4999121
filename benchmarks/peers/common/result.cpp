#include "result.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"

namespace shardfft::peers {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Median seconds of each phase; a second phase of the same label is told apart by its number.
Json phases_of(const std::vector<RunFacts>& facts) {
  Json phases = Json::object();
  std::map<std::string, int> seen;
  for (std::size_t p = 0; !facts.empty() && p < facts.front().phases.size(); ++p) {
    std::vector<double> seconds;
    for (const RunFacts& f : facts) seconds.push_back(f.phases.at(p).second);
    const std::string label = facts.front().phases[p].first;
    const int times = ++seen[label];
    phases[times == 1 ? label : fmt::format("{} ({})", label, times)] = median(std::move(seconds));
  }
  return phases;
}

Json known(Index n) { return n < 0 ? Json(nullptr) : Json(n); }
Json known(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }

std::string_view word(Call call) { return call == Call::best ? "best" : "default"; }

Json header(const About& about, const Task& task, const std::string& status, const std::string& reason) {
  return {{"status", status},
          {"reason", reason},
          {"library", about.library},
          {"version", about.version},
          {"call", word(task.call)}};
}

}  // namespace

Json to_json(const About& about) {
  return {{"library", about.library}, {"version", about.version}, {"mpi", about.mpi},
          {"threads", about.threads}, {"batch", about.batch},     {"grid", about.grid},
          {"axes", about.axes},       {"kinds", about.kinds},     {"precisions", about.precisions},
          {"layouts", about.layouts}, {"dims", about.dims},       {"available", about.available},
          {"reason", about.reason}};
}

Json record_of(const About& about, const Task& task, const Outcome& o) {
  const bool right = o.findings.right();
  Json record = header(about, task, right ? "ok" : "wrong", right ? std::string() : o.findings.why_wrong());
  record["configuration"] = o.description.configuration + (o.small_pages ? ", small pages" : "");
  record["wrong_ways"] = o.wrong_ways;
  record["nodes"] = o.nodes;
  record["layout_in"] = o.description.layout_in;
  record["layout_out"] = o.description.layout_out;
  record["plan_s"] = o.plan_s;
  record["first_call_s"] = o.times.first_call_s;
  record["forward_s"] = o.times.forward_s;
  record["backward_s"] = o.times.backward_s;
  record["error_rel_l2"] = o.findings.error_rel_l2;  // NaN becomes null
  record["error_backward_rel_l2"] = o.findings.error_backward_rel_l2;
  record["bound"] = o.findings.bound;
  record["memory_peak_bytes"] = o.memory_peak_bytes;
  record["huge_page_bytes"] = o.huge_page_bytes;
  record["bytes_sent_network"] = known(o.times.facts.back().bytes_sent_network);
  record["messages_sent"] = known(o.times.facts.back().messages_sent);
  record["energy_j"] = known(o.times.energy_j);
  record["energy_gpus_j"] = known(o.times.energy_gpus_j);
  record["phases_s"] = phases_of(o.times.facts);
  record["recipe"] = Json::parse(o.recipe_json);
  if (!o.plan_text.empty()) record["plan"] = o.plan_text;
  return record;
}

Json record_without_times(const About& about, const Task& task, const std::string& status, const std::string& reason) {
  return header(about, task, status, reason);
}

void write_whole(const std::string& file, const Json& record) {
  try {
    replace_kept(file, record.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  } catch (const FileTrouble& trouble) {
    throw Error(Status::io_failed,
                fmt::format("--result must name a file that can be written; '{}' {}; name another place", file,
                            trouble.what()));
  }
}

}  // namespace shardfft::peers
