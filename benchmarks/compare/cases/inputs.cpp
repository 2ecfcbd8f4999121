#include "inputs.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "case_file.hpp"
#include "case_words.hpp"
#include "shardfft/error.hpp"
#include "shardfft/text.hpp"

namespace shardfft::compare {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw Error(Status::invalid_argument, text); }

/// The first option that says what the cases are; empty when none was given.
std::string case_option(const CompareWords& w) {
  const std::pair<const char*, bool> given[] = {
      {"--shapes", !w.shapes.empty()},   {"--kinds", !w.kinds.empty()}, {"--precisions", !w.precisions.empty()},
      {"--layouts", !w.layouts.empty()}, {"--ranks", !w.ranks.empty()}, {"--batches", !w.batches.empty()},
      {"--grids", !w.grids.empty()},     {"--axes", !w.axes.empty()},   {"--nodes", w.nodes.has_value()}};
  for (const auto& [option, is_given] : given)
    if (is_given) return option;
  return {};
}

/// The first option that only means something while measuring; empty when none was given.
std::string run_option(const CompareWords& w) {
  if (const std::string option = case_option(w); !option.empty()) return option;
  if (!w.cases.empty()) return "--cases";
  if (!w.study.empty()) return "--study";
  if (!w.json.empty()) return "--json";
  if (!w.with.empty()) return "--with";
  const std::pair<const char*, bool> given[] = {{"--call", !w.call.empty()},
                                                {"--launches", w.launches.has_value()},
                                                {"--iterations", w.iterations.has_value()},
                                                {"--warmup", w.warmup.has_value()},
                                                {"--plan-seconds", w.plan_seconds.has_value()},
                                                {"--time-limit", w.time_limit_s.has_value()},
                                                {"--seed", w.seed.has_value()},
                                                {"--oversubscribe", w.oversubscribe},
                                                {"--max-nodes", w.max_nodes.has_value()},
                                                {"--resume", w.resume}};
  for (const auto& [name, is_given] : given)
    if (is_given) return name;
  return {};
}

void check_contradictions(const CompareWords& w) {
  const std::string option = case_option(w);
  if (!w.cases.empty() && !option.empty())
    refuse(fmt::format("--cases and {} both say what the cases are; got both; leave one out", option));
  if (!w.study.empty() && w.cases.empty())
    refuse("--study chooses among the cases of a file; got no --cases; name the file");
  if (w.resume && w.json.empty()) refuse("--resume goes on with the file of --json; got no --json; name the file");
  if (w.retry && !w.resume)
    refuse("--retry tries again what failed in a file that is gone on with; got no --resume; add it");
  if (w.json == "-") refuse("--json must name a file, which is kept up to date while measuring; got '-'; name a file");
  if (w.gate.empty() && !w.gated.empty())
    refuse(fmt::format("arguments must be options that --help lists, or results for --gate; got '{}'; leave it out",
                       w.gated));
  if (w.gate.empty() && w.gate_missing_ok)
    refuse("--gate-missing-ok says what --gate lets pass; got no --gate; add it, or leave this out");
  if (!w.gated.empty() && !run_option(w).empty())
    refuse(fmt::format("--gate with two files measures nothing, but {} was given; leave it out", run_option(w)));
}

CaseWords case_words(const CompareWords& w, int cores) {
  CaseWords words;
  const auto list = [](const char* option, const std::string& text, std::vector<std::string>& to) {
    if (!text.empty()) to = split_list(option, text);
  };
  words.shapes = split_list("--shapes", w.shapes);
  words.ranks = {fmt::format("{}x1", cores)};
  list("--kinds", w.kinds, words.kinds);
  list("--precisions", w.precisions, words.precisions);
  list("--layouts", w.layouts, words.layouts);
  list("--ranks", w.ranks, words.ranks);
  list("--grids", w.grids, words.grids);
  if (!w.batches.empty()) words.batches.clear();
  if (!w.batches.empty())
    for (const std::string& batch : split_list("--batches", w.batches)) {
      Index number = 0;
      const auto [end, failed] = std::from_chars(batch.data(), batch.data() + batch.size(), number);
      if (failed != std::errc() || end != batch.data() + batch.size() || number < 1)
        refuse(fmt::format(
            "--batches must be numbers of at least 1 joined by commas; got '{}'; write for example --batches 1,3",
            w.batches));
      words.batches.push_back(number);
    }
  words.axes = {w.axes};
  words.nodes = {w.nodes.value_or(1)};
  return words;
}

/// Cases that were measured with more ranks x threads than cores then are so again.
std::vector<CaseRequest> requests_of(const Results& baseline) {
  const Json cores = baseline.machine.value("cores", Json());
  std::vector<CaseRequest> requests;
  for (const CaseResult& result : baseline.cases) {
    CaseRequest request{.work = result.work, .with = {}, .calls = {}};
    request.oversubscribe = cores.is_number_integer() && result.work.workers() > cores.get<Index>() * result.work.nodes;
    for (const Entry& entry : result.entries) {
      if (std::ranges::find(request.with, entry.library) == request.with.end()) request.with.push_back(entry.library);
      if (std::ranges::find(request.calls, entry.call) == request.calls.end()) request.calls.push_back(entry.call);
    }
    requests.push_back(request);
  }
  return requests;
}

int checked(const char* option, int value, int least) {
  constexpr int most = 1'000'000;
  if (value < least || value > most)
    refuse(
        fmt::format("{} must be from {} to {}; got {}; leave it out for the usual number", option, least, most, value));
  return value;
}

/// The cases of one study, or all.
CaseFile only_of(const std::string& study, CaseFile file) {
  if (study.empty()) return file;
  std::vector<std::string> studies;
  for (const CaseRequest& request : file.requests)
    if (std::ranges::find(studies, request.work.study) == studies.end()) studies.push_back(request.work.study);
  if (std::ranges::find(studies, study) == studies.end())
    refuse(fmt::format("--study must be one of the file's: {}; got '{}'{}; choose from these", fmt::join(studies, "; "),
                       study, did_you_mean(study, studies)));
  std::erase_if(file.requests, [&](const CaseRequest& request) { return request.work.study != study; });
  return file;
}

template <class Value>
Value first_of(const std::optional<Value>& said, const std::optional<Value>& written, Value usual) {
  return said ? *said : written.value_or(usual);
}

Settings settings_of(const CompareWords& w, const CaseFile& file, const Settings& usual) {
  Settings s;
  s.launches = checked("--launches", first_of(w.launches, file.launches, usual.launches), 1);
  s.iterations = checked("--iterations", first_of(w.iterations, file.iterations, usual.iterations), 1);
  s.warmup = checked("--warmup", first_of(w.warmup, file.warmup, usual.warmup), 0);
  s.plan_seconds = checked("--plan-seconds", first_of(w.plan_seconds, file.plan_seconds, usual.plan_seconds), 0);
  s.time_limit_s = first_of(w.time_limit_s, file.time_limit_s, usual.time_limit_s);
  if (!is_time_limit(s.time_limit_s))
    refuse(fmt::format("--time-limit must be seconds above 0, at most 1000000; got {:g}; leave it out for 600",
                       s.time_limit_s));
  if (w.seed && *w.seed < 1)
    refuse(fmt::format("--seed must be from 1 to {}; got {}; leave it out for 1", largest_seed, *w.seed));
  s.seed = w.seed ? static_cast<std::uint64_t>(*w.seed) : usual.seed;
  return s;
}

void apply(const CompareWords& w, CaseRequest& request) {
  if (!w.with.empty()) request.with = split_list("--with", w.with);
  if (!w.call.empty()) request.calls = split_list("--call", w.call);
  for (const std::string& call : request.calls) check_call("--call", call);
  request.oversubscribe = request.oversubscribe || w.oversubscribe;
  if (w.iterations) request.work.iterations = 0;
}

}  // namespace

Inputs inputs_of(const CompareWords& words, const Results* baseline, int cores) {
  check_contradictions(words);
  if (words.max_nodes) (void)checked("--max-nodes", *words.max_nodes, 1);
  Inputs inputs;
  CaseFile file;
  const bool from_baseline = baseline != nullptr && words.cases.empty() && case_option(words).empty();
  if (!words.cases.empty())
    file = only_of(words.study, read_case_file(words.cases));
  else if (from_baseline)
    file.requests = requests_of(*baseline);
  else if (words.shapes.empty())
    refuse("compare needs cases: --shapes 256x256x256 or --cases FILE; got neither; name one");
  else
    for (const Case& c : expand(case_words(words, cores))) file.requests.push_back({.work = c});
  inputs.settings = settings_of(words, file, baseline != nullptr ? baseline->settings : Settings{});
  for (CaseRequest& request : file.requests) {
    apply(words, request);
    const auto same = [&](const CaseRequest& other) { return same_work(other.work, request.work); };
    if (std::ranges::none_of(inputs.requests, same)) inputs.requests.push_back(request);
  }
  return inputs;
}

}  // namespace shardfft::compare
