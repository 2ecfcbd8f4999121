#include "launch_record.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"

namespace shardfft::compare {
namespace {

namespace fs = std::filesystem;

LaunchRecord failed(int turn, const char* status, const std::string& reason) {
  LaunchRecord record;
  record.turn = turn;
  record.status = status;
  record.reason = reason;
  return record;
}

int iterations_of(const Case& c, const Settings& settings) {
  return c.iterations > 0 ? c.iterations : settings.iterations;
}

bool are_times(const std::vector<double>& seconds) {
  return !seconds.empty() && std::ranges::all_of(seconds, [](double s) { return std::isfinite(s) && s > 0; });
}

/// Seconds of one direction. Throws std::runtime_error where there are not as many as iterations, or they are no times.
std::vector<double> times(const Json& told, const char* name, int iterations) {
  auto seconds = told.at(name).get<std::vector<double>>();
  if (!are_times(seconds) || seconds.size() != static_cast<std::size_t>(iterations))
    throw std::runtime_error(fmt::format("{} must hold {} times above 0", name, iterations));
  return seconds;
}

/// Empty when both errors are numbers that do not exceed their bound; back and forth are two transforms.
std::string distrust(const Json& told) {
  const double bound = told.at("bound").get<double>();
  const std::pair<const char*, double> limits[] = {{"error_rel_l2", bound}, {"error_backward_rel_l2", 2 * bound}};
  for (const auto& [name, limit] : limits) {
    const Json& error = told.at(name);
    if (!error.is_number()) return fmt::format("{} is no number", name);
    if (!(error.get<double>() <= limit))
      return fmt::format("{} is {:.2e}, above its bound {:.2e}", name, error.get<double>(), limit);
  }
  return {};
}

/// Empty when the ranks were on as many nodes as the case says, or the peer does not tell.
std::string astray(const Json& told, const Case& c) {
  const auto nodes = told.find("nodes");
  if (nodes == told.end() || !nodes->is_number_integer() || nodes->get<Index>() == c.nodes) return {};
  return fmt::format(
      "asked for {} node{}, ran on {}; SHARDFFT_MPIRUN can spread ranks, for example 'srun -N {{nodes}} -n {{ranks}}'",
      c.nodes, c.nodes == 1 ? "" : "s", nodes->get<Index>());
}

void drop_times(LaunchRecord& record) {
  record.forward_s.clear(), record.backward_s.clear();
  for (const char* name : {"forward_s", "backward_s", "phases_s"}) record.told.erase(name);
}

/// Throws nlohmann's exceptions and std::runtime_error where the object is no result.
LaunchRecord judged(const Json& told, const Settings& settings, const Case& c, int turn) {
  LaunchRecord record;
  record.turn = turn;
  record.told = told;
  told.at("status").get_to(record.status);
  record.reason = told.value("reason", "");
  if (record.status != "ok" && record.status != "wrong" && record.status != "unsupported" && record.status != "failed")
    throw std::runtime_error(fmt::format("status is '{}'", record.status));
  if (record.ok()) {
    record.forward_s = times(told, "forward_s", iterations_of(c, settings));
    record.backward_s = times(told, "backward_s", iterations_of(c, settings));
    for (const char* name : {"plan_s", "first_call_s"}) (void)told.at(name).get<double>();
    record.reason = distrust(told);
    if (!record.reason.empty()) record.status = "wrong";
    if (const std::string where = astray(told, c); record.ok() && !where.empty())
      record.status = "failed", record.reason = where;
  }
  if (!record.ok()) drop_times(record);
  return record;
}

}  // namespace

ProcessRequest request_for(const Peer& peer, const std::string& call, const Case& c, const Settings& settings,
                           const Launcher& launcher, const fs::path& scratch, const fs::path& result) {
  Launch launch = launch_of(launcher, c);
  ProcessRequest request{
      .words = std::move(launch.words), .environment = std::move(launch.environment), .limit_s = settings.time_limit_s};
  const auto add = [&](auto... words) { (request.words.emplace_back(words), ...); };
  for (const std::string& word : peer.program) add(word);
  add("--shape", extents_text(c.shape), "--kind", c.kind, "--precision", c.precision, "--layout", c.layout);
  add("--threads", fmt::format("{}", c.threads), "--iterations", fmt::format("{}", iterations_of(c, settings)),
      "--warmup", fmt::format("{}", settings.warmup));
  add("--call", call, "--plan-seconds", fmt::format("{}", settings.plan_seconds), "--seed",
      fmt::format("{}", settings.seed));
  add("--scratch", scratch.string(), "--result", result.string());
  if (!c.grid.empty()) add("--grid", c.grid);
  if (!c.axes.empty()) add("--axes", fmt::format("{}", fmt::join(c.axes, ",")));
  if (c.batch > 1) add("--batch", fmt::format("{}", c.batch));
  for (const auto& option : peer.environment) request.environment.push_back(option);
  request.environment.emplace_back("OMP_NUM_THREADS", fmt::format("{}", c.threads));
  return request;
}

LaunchRecord record_of(const ProcessOutcome& outcome, const fs::path& result, const Settings& settings, const Case& c,
                       int turn) {
  if (outcome.timed_out) return failed(turn, "timeout", reason_of(outcome, settings.time_limit_s));
  if (!outcome.good()) return failed(turn, "failed", reason_of(outcome, settings.time_limit_s));
  constexpr std::size_t most_bytes = 64 << 20;
  try {
    const auto text = read_kept(result, most_bytes);
    if (!text) return failed(turn, "failed", "ended well but wrote no result");
    const Json told = parse_outside<Json>(*text);
    if (!told.is_object()) return failed(turn, "failed", "its result is not the object that a peer must write");
    return judged(told, settings, c, turn);
  } catch (const Json::exception&) {
    return failed(turn, "failed", "its result is not the object that a peer must write");
  } catch (const std::runtime_error& e) {
    return failed(turn, "failed", fmt::format("its result is not what a peer must write: {}", e.what()));
  }
}

Json to_json(const LaunchRecord& record) {
  Json json{{"turn", record.turn}, {"status", record.status}, {"reason", record.reason}};
  for (const auto& [name, value] : record.told.items())
    if (!json.contains(name)) json[name] = value;
  return json;
}

LaunchRecord launch_record_from(const Json& json) {
  LaunchRecord record;
  json.at("turn").get_to(record.turn);
  json.at("status").get_to(record.status);
  record.reason = json.value("reason", "");
  record.told = json;
  if (record.ok()) {
    json.at("forward_s").get_to(record.forward_s);
    json.at("backward_s").get_to(record.backward_s);
    if (!are_times(record.forward_s) || !are_times(record.backward_s))
      throw Error(Status::invalid_argument, "forward_s and backward_s of a launch that is ok must hold times above 0");
  }
  return record;
}

}  // namespace shardfft::compare
