#include "results.hpp"

#include <algorithm>

#include "compare/statistics/summary.hpp"
#include "shardfft/error.hpp"

namespace shardfft::compare {
namespace {

std::vector<std::vector<double>> times(const Entry& entry, std::vector<double> LaunchRecord::* direction) {
  std::vector<std::vector<double>> all;
  if (entry.status != "ok") return all;
  for (const LaunchRecord& launch : entry.launches) all.push_back(launch.*direction);
  return all;
}

Json to_json(const Limit& limit) {
  return {{"copy_s", limit.copy_s},
          {"arithmetic_s", limit.arithmetic_s},
          {"limit_s", limit.seconds()},
          {"copy_bytes_per_s", limit.copy_bytes_per_s},
          {"arithmetic_flops_per_s", limit.arithmetic_flops_per_s}};
}

Limit limit_from(const Json& json) {
  if (json.is_null()) return {};
  return {json.at("copy_s").get<double>(), json.at("arithmetic_s").get<double>(), json.value("copy_bytes_per_s", 0.0),
          json.value("arithmetic_flops_per_s", 0.0)};
}

Json to_json(const Entry& entry, const CaseResult& in) {
  Json json{{"library", entry.library},  {"version", entry.version},
            {"call", entry.call},        {"status", entry.status},
            {"reason", entry.reason},    {"configuration", entry.configuration},
            {"launches", Json::array()}, {"summary", summary_json(entry, in)}};
  for (const LaunchRecord& launch : entry.launches) json["launches"].push_back(to_json(launch));
  if (entry.failed_before > 0) json["failed_before"] = entry.failed_before;
  return json;
}

Entry entry_from(const Json& json) {
  Entry entry;
  json.at("library").get_to(entry.library);
  json.at("call").get_to(entry.call);
  json.at("status").get_to(entry.status);
  entry.version = json.value("version", "");
  entry.reason = json.value("reason", "");
  entry.configuration = json.value("configuration", "");
  entry.failed_before = json.value("failed_before", 0);
  for (const Json& launch : json.at("launches")) {
    LaunchRecord record = launch_record_from(launch);
    if (entry.has(record.turn)) throw Error(Status::invalid_argument, "an entry must have one launch in a turn");
    entry.launches.push_back(std::move(record));
  }
  return entry;
}

Json to_json(const CaseResult& result) {
  Json json = to_json(result.work);
  json["limit"] = result.no_limit.empty() ? to_json(result.limit) : Json();
  if (!result.no_limit.empty()) json["no_limit"] = result.no_limit;
  json["entries"] = Json::array();
  for (const Entry& entry : result.entries) json["entries"].push_back(to_json(entry, result));
  return json;
}

CaseResult case_result_from(const Json& json) {
  CaseResult result{case_from(json), limit_from(json.at("limit")), {}, json.value("no_limit", "")};
  for (const Json& entry : json.at("entries")) result.entries.push_back(entry_from(entry));
  return result;
}

}  // namespace

bool Entry::has(int turn) const { return at(turn) != nullptr; }

const LaunchRecord* Entry::at(int turn) const {
  const auto found = std::ranges::find(launches, turn, &LaunchRecord::turn);
  return found == launches.end() ? nullptr : &*found;
}

std::vector<std::vector<double>> Entry::forward() const { return times(*this, &LaunchRecord::forward_s); }
std::vector<std::vector<double>> Entry::backward() const { return times(*this, &LaunchRecord::backward_s); }

void Entry::add(LaunchRecord record) {
  status = record.status;
  reason = record.reason;
  version = record.told.value("version", version);
  configuration = record.told.value("configuration", configuration);
  launches.push_back(std::move(record));
}

const Entry* CaseResult::find(const std::string& library, const std::string& call) const {
  const auto found =
      std::ranges::find_if(entries, [&](const Entry& e) { return e.library == library && e.call == call; });
  return found == entries.end() ? nullptr : &*found;
}

const Entry* CaseResult::reference_for(const Entry& entry) const {
  if (const Entry* same = find("shardfft", entry.call)) return same;
  const auto any = std::ranges::find(entries, "shardfft", &Entry::library);
  return any == entries.end() ? nullptr : &*any;
}

const CaseResult* Results::find(const Case& work) const {
  const auto found = std::ranges::find_if(cases, [&](const CaseResult& c) { return same_work(c.work, work); });
  return found == cases.end() ? nullptr : &*found;
}

Json to_json(const Results& results) {
  Json json{{"format", "shardfft-results"}, {"format_version", 1},
            {"created", results.created},   {"version", results.version},
            {"command", results.command},   {"seed", results.settings.seed},
            {"machine", results.machine},   {"settings", to_json(results.settings)},
            {"cases", Json::array()}};
  for (const CaseResult& result : results.cases) json["cases"].push_back(to_json(result));
  return json;
}

Results results_from(const Json& json) {
  Results results;
  results.machine = json.at("machine");
  if (!results.machine.is_object()) throw Error(Status::invalid_argument, "machine must be an object");
  results.created = json.value("created", "");
  json.at("version").get_to(results.version);
  results.command = json.value("command", "");
  results.settings = settings_from(json.at("settings"), json.at("seed").get<std::uint64_t>());
  for (const Json& result : json.at("cases")) results.cases.push_back(case_result_from(result));
  return results;
}

}  // namespace shardfft::compare
