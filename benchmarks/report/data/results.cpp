#include "results.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "node.hpp"
#include "report/page/text.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/version.hpp"

namespace shardfft::report {
namespace {

constexpr std::array known_statuses{"ok", "wrong", "unsupported", "failed", "timeout"};

Interval interval_of(const Node& node) {
  const Interval i{node.at("median").number(), node.at("low").number(), node.at("high").number(),
                   node.at("coverage").number()};
  if (!(i.low <= i.median && i.median <= i.high)) node.complain("an interval with low <= median <= high");
  if (i.low <= 0) node.complain("a time above zero");
  if (i.coverage > 1) node.at("coverage").complain("a probability");
  return i;
}

Times times_of(const Node& node) {
  const Times t{interval_of(node), node.at("min").number()};
  if (t.min > t.low) node.complain("times with min <= low");
  return t;
}

std::optional<double> largest(const std::vector<Node>& launches, const std::string& key) {
  std::optional<double> most;
  for (const Node& launch : launches)
    if (const auto value = launch.number_of(key)) most = std::max(most.value_or(0), *value);
  return most;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// In the order of the first launch that has them.
std::vector<Phase> phases_of(const std::vector<Node>& launches) {
  std::vector<Phase> phases;
  std::vector<std::vector<double>> seconds;
  for (const Node& launch : launches) {
    const auto node = launch.find("phases_s");
    if (!node) continue;
    if (!node->json().is_object()) node->complain("an object of seconds");
    for (const auto& [label, ignored] : node->json().items()) {
      auto at = static_cast<std::size_t>(std::ranges::find(phases, label, &Phase::label) - phases.begin());
      if (at == phases.size()) phases.push_back({label}), seconds.emplace_back();
      seconds[at].push_back(node->at(label).number());
    }
  }
  for (std::size_t i = 0; i < phases.size(); ++i) phases[i].seconds = median(seconds[i]);
  return phases;
}

Entry::Turns medians_of_turns(const std::vector<Node>& launches, const char* direction) {
  constexpr double most_turns = 1e9;
  Entry::Turns medians;
  for (const Node& launch : launches) {
    const auto turn = launch.number_of("turn");
    const auto times = launch.find(direction);
    if (!turn || !times) continue;
    std::vector<double> seconds;
    for (const Node& one : times->items()) seconds.push_back(one.number());
    if (!seconds.empty()) medians[static_cast<std::int64_t>(std::min(*turn, most_turns))] = median(seconds);
  }
  return medians;
}

void add_summary(Entry& entry, const Node& summary) {
  entry.forward = times_of(summary.at("forward_s"));
  entry.backward = times_of(summary.at("backward_s"));
  if (const auto ratio = summary.find("ratio_to_shardfft")) entry.ratio = interval_of(*ratio);
  if (const auto ratio = summary.find("ratio_backward_to_shardfft")) entry.ratio_backward = interval_of(*ratio);
  entry.plan_s = summary.number_of("plan_s");
  entry.first_call_s = summary.number_of("first_call_s");
  entry.error = summary.number_of("error_rel_l2");
  entry.error_backward = summary.number_of("error_backward_rel_l2");
  entry.memory_bytes = summary.number_of("memory_peak_bytes");
  entry.sent_bytes = summary.number_of("bytes_sent_network");
  entry.energy_j = summary.number_of("energy_j");
}

Entry entry_of(const Node& node) {
  Entry entry{.library = node.at("library").text(),
              .version = node.text_of("version"),
              .call = node.at("call").text(),
              .status = node.at("status").text(),
              .reason = node.text_of("reason"),
              .configuration = node.text_of("configuration")};
  if (std::ranges::find(known_statuses, entry.status) == known_statuses.end())
    node.at("status").complain(fmt::format("one of {}", fmt::join(known_statuses, ", ")));
  const auto list = node.find("launches");
  const std::vector<Node> launches = list ? list->items() : std::vector<Node>{};
  entry.launches = launches.size();
  entry.bound = largest(launches, "bound");
  if (!entry.ok()) {
    entry.error = largest(launches, "error_rel_l2");
    return entry;
  }
  if (launches.empty() && !node.find("summary")) {
    entry.status = "not run", entry.reason = "compare was stopped before it; shardfft compare --resume goes on";
    return entry;
  }
  add_summary(entry, node.at("summary"));
  entry.phases = phases_of(launches);
  entry.forward_of_turn = medians_of_turns(launches, "forward_s");
  entry.backward_of_turn = medians_of_turns(launches, "backward_s");
  if (!launches.empty()) entry.plan = launches.back().text_of("plan");
  return entry;
}

Case case_of(const Node& node) {
  Case c{.kind = node.at("kind").text(),
         .precision = node.at("precision").text(),
         .layout = node.at("layout").text(),
         .grid = node.text_of("grid"),
         .study = node.text_of("study"),
         .ranks = node.at("ranks").count(),
         .threads = node.at("threads").count(),
         .nodes = node.find("nodes") ? node.at("nodes").count() : 1,
         .batch = node.find("batch") ? node.at("batch").count() : 1};
  for (const Node& extent : node.at("shape").items()) c.shape.push_back(extent.count());
  if (c.shape.empty()) node.at("shape").complain("a list of at least one extent");
  if (const auto axes = node.find("axes"))
    for (const Node& axis : axes->items()) c.axes.push_back(static_cast<std::int64_t>(axis.number()));
  const auto limit = node.find("limit");
  const double limit_s = limit ? limit->number_of("limit_s").value_or(0) : 0;
  for (const Node& entry : node.at("entries").items()) {
    c.entries.push_back(entry_of(entry));
    if (limit_s > 0 && !c.entries.back().on_device()) c.entries.back().limit_s = limit_s;
  }
  set_references(c.entries);
  return c;
}

using Shown = std::function<std::string(double)>;

struct Known {
  const char *key, *name;
  Shown shown{};  ///< for numbers
};

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Fields that are known get their names and units, others are shown as they are.
std::vector<Fact> facts_of(const Node& node, const std::vector<Known>& known) {
  std::vector<Fact> facts;
  if (!node.json().is_object()) node.complain("an object");
  for (const auto& [key, value] : node.json().items()) {
    const auto k = std::ranges::find_if(known, [&, wanted = key](const Known& one) { return wanted == one.key; });
    std::string name = k == known.end() ? key : k->name;
    std::ranges::replace(name, '_', ' ');
    const bool converts = k != known.end() && k->shown && value.is_number();
    facts.push_back({name, value.is_null() ? "n/a" : converts ? k->shown(value.get<double>()) : plain(value)});
  }
  return facts;
}

const std::vector<Known>& machine_words() {
  static const std::vector<Known> words{
      {"os", "system"},
      {"mpi", "MPI"},
      {"memory_bytes", "memory", bytes_text},
      {"l1_bytes", "L1 of a core", bytes_text},
      {"l2_bytes", "L2 of a core", bytes_text},
      {"l3_bytes", "L3", bytes_text},
      {"copy_bytes_per_s", "copy bandwidth", [](double b) { return fmt::format("{:.2f} GB/s", b / 1e9); }}};
  return words;
}

const std::vector<Known>& settings_words() {
  static const std::vector<Known> words{
      {"plan_seconds", "time for planning", [](double s) { return fmt::format("{} s", s); }},
      {"iterations", "iterations of a launch"},
      {"warmup", "warm-up iterations"}};
  return words;
}

void check_format(const Node& node, const std::string& path) {
  const Json& json = node.json();
  const bool named = json.is_object() && json.contains("format") && json["format"] == "shardfft-results";
  if (!named)
    throw Error(Status::invalid_argument, fmt::format("{}: a results file has the format 'shardfft-results'; this file "
                                                      "does not; name one that shardfft compare --json wrote",
                                                      path));
  if (const Node version = node.at("format_version"); version.json() != 1)
    throw Error(Status::invalid_argument,
                fmt::format("{}: format_version must be 1, the one that shardfft " SHARDFFT_VERSION
                            " reads; got {}; read it with the shardfft that wrote it",
                            path, plain(version.json())));
}

}  // namespace

Outcome outcome(const Interval& ratio) {
  if (ratio.coverage < enough_coverage) return Outcome::equal;
  return ratio.low > 1 ? Outcome::faster : ratio.high < 1 ? Outcome::slower : Outcome::equal;
}

std::optional<double> Entry::share() const {
  return limit_s && forward ? std::optional(*limit_s / forward->median) : std::nullopt;
}

double Case::elements() const {
  return std::accumulate(shape.begin(), shape.end(), static_cast<double>(batch),
                         [](double all, std::int64_t n) { return all * static_cast<double>(n); });
}

double Case::bytes() const { return elements() * (kind == "c2c" ? 2 : 1) * (precision == "f32" ? 4 : 8); }

bool Case::same_problem(const Case& o) const {
  return shape == o.shape && kind == o.kind && precision == o.precision && layout == o.layout && grid == o.grid &&
         batch == o.batch && axes == o.axes && study == o.study && ranks == o.ranks && threads == o.threads &&
         nodes == o.nodes;
}

Results parse_results(const std::string& text, const std::string& path) {
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    throw Error(
        Status::invalid_argument,
        fmt::format("{}: a results file holds JSON; it is empty; name one that shardfft compare --json wrote", path));
  const Json json = parse_outside<Json>(text);
  if (json.is_discarded())
    throw Error(
        Status::invalid_argument,
        fmt::format("{}: a results file holds JSON; this is not; name one that shardfft compare --json wrote", path));
  const Node node(json, path);
  check_format(node, path);
  Results results{.name = path,
                  .created = node.text_of("created"),
                  .version = node.text_of("version"),
                  .command = node.text_of("command"),
                  .machine = facts_of(node.at("machine"), machine_words()),
                  .settings = facts_of(node.at("settings"), settings_words())};
  for (const char* level : {"1", "2", "3"})
    if (const auto bytes = node.at("machine").number_of(fmt::format("l{}_bytes", level)).value_or(0); bytes > 0)
      results.caches[fmt::format("L{}", level)] = bytes;
  if (const auto seed = node.find("seed")) results.settings.push_back({"seed", plain(seed->json())});
  for (const Node& one : node.at("cases").items()) results.cases.push_back(case_of(one));
  if (results.cases.empty()) node.at("cases").complain("a list of at least one case");
  return results;
}

Results read_results(const std::string& path) {
  constexpr std::size_t most_bytes = 256 << 20;
  std::string text;
  try {
    text = read_named(path, most_bytes);
  } catch (const FileTrouble& trouble) {
    throw Error(
        Status::io_failed,
        fmt::format("{}: a results file must be readable; it {}; check the name and its rights", path, trouble.what()));
  }
  return parse_results(text, path);
}

}  // namespace shardfft::report
