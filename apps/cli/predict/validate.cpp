#include "predict/validate.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "output/table.hpp"
#include "predict/machines.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::cli {
namespace {

constexpr double limit_of_bandwidth = 1.5, limit_of_messages = 3;
constexpr double clearly = 0.95;  // faster: less is not seen in a plot

double messages_of(const Prediction& p) { return std::ranges::find(p.terms, "messages", &CostTerm::name)->seconds; }

/// What was run, from a row of the table.
struct PublishedRun {
  explicit PublishedRun(const Json& row) {
    problem.shape = Shape(row["shape"].get<std::vector<Index>>());
    problem.kind = row.value("kind", "c2c") == "move" ? Kind::move : row.value("kind", "c2c") == "r2c" ? r2c : c2c;
    problem.precision = row.value("precision", "f64") == "f32" ? f32 : f64;
    const int dims = problem.shape.dims();
    options.input = parse_layout(row.value("input", "any"), dims);
    options.output = parse_layout(row.value("output", "any"), dims);
    const Json choices = row.value("options", Json::object());
    for (const auto& [name, text] : choices.items()) set_option(options, name, text.get<std::string>());
    ranks = row["ranks"];
    ranks_per_node = row.value("ranks_per_node", 0);
    times = row.value("transforms", 1.0);
  }
  [[nodiscard]] Prediction on(const Cluster& cluster) const {
    return predict(cluster, problem, options, ranks, ranks_per_node);
  }
  Problem problem{};
  Options options{};
  int ranks = 1, ranks_per_node = 0;
  double times = 1;  ///< transforms
};

/// Its time is `fixed` + gap * `per_gap`.
struct TimedRow {
  std::size_t row = 0;
  double fixed = 0, per_gap = 0;
};

// The gap for which the sum of squared logarithms of the ratios is least, between a nanosecond and ten milliseconds: a
// golden section, since each term has one minimum.
double fitted(const std::vector<TimedRow>& timed, const std::vector<ValidatedRow>& rows) {
  const auto cost = [&](double log_gap) {
    double all = 0;
    for (const TimedRow& t : timed) {
      const double ratio = std::log((t.fixed + std::exp(log_gap) * t.per_gap) / rows[t.row].published);
      all += ratio * ratio;
    }
    return all;
  };
  double low = std::log(1e-9), high = std::log(1e-2);
  const double golden = (std::sqrt(5.0) - 1) / 2;
  for (int i = 0; i < 80; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
  }
  return std::exp((low + high) / 2);
}

// From how many ranks on, in powers of two, the other decomposition is faster.
double crossover(const Cluster& cluster, PublishedRun run) {
  const int most = run.ranks;
  for (run.ranks = 2; run.ranks <= most; run.ranks *= 2) {
    run.options.expert.decomposition = "slab";
    const double slab = run.on(cluster).seconds;
    run.options.expert.decomposition = "pencil";
    if (run.on(cluster).seconds < clearly * slab) break;
  }
  return run.ranks;
}

double efficiency(const Cluster& cluster, PublishedRun run) {
  const Prediction many = run.on(cluster);
  run.ranks = many.ranks_per_node;
  return run.on(cluster).seconds / (many.nodes * many.seconds);
}

// Other quantities than times follow from the gap that times gave.
void predict_others(const std::string& name, const Json& table, const Cluster& cluster, Validation& v) {
  for (std::size_t i = 0; i < v.rows.size(); ++i) {
    ValidatedRow& row = v.rows[i];
    if (row.machine != name || !row.not_predicted.empty()) continue;
    const PublishedRun run(table[i]);
    if (row.quantity == "ranks") row.predicted = crossover(cluster, run);
    if (row.quantity == "efficiency") row.predicted = efficiency(cluster, run);
    row.by_messages = row.by_messages || row.quantity != "seconds";
    row.limit = row.by_messages ? limit_of_messages : limit_of_bandwidth;
  }
}

void validate_machine(const std::string& name, const Json& table, Validation& v) {
  Cluster cluster = find_machine(name);
  std::vector<TimedRow> timed;
  for (std::size_t i = 0; i < v.rows.size(); ++i) {
    ValidatedRow& row = v.rows[i];
    if (row.machine != name || !row.not_predicted.empty() || row.quantity != "seconds") continue;
    const PublishedRun run(table[i]);
    const Prediction p = run.on(cluster);
    const double messages = p.nodes > 1 ? messages_of(p) * run.times : 0;
    timed.push_back({i, p.seconds * run.times - messages, messages / cluster.message_gap_s});
    row.by_messages = row.published > 2 * timed.back().fixed;
  }
  std::vector<TimedRow> sending;
  std::ranges::copy_if(timed, std::back_inserter(sending), [&](const TimedRow& t) { return t.per_gap > 0; });
  FittedGap gap{name, cluster.message_gap_s, cluster.message_gap_s, static_cast<int>(sending.size())};
  if (!sending.empty()) gap.seconds = fitted(sending, v.rows);
  for (const TimedRow& t : timed) v.rows[t.row].predicted = t.fixed + gap.seconds * t.per_gap;
  v.gaps.push_back(gap);
  cluster.message_gap_s = gap.seconds;
  predict_others(name, table, cluster, v);
}

std::string amount(const ValidatedRow& row, double value) {
  return row.quantity == "seconds" ? seconds_text(value)
         : row.quantity == "ranks" ? fmt::format("{:.0f} ranks", value)
                                   : fmt::format("{:.0f} %", 100 * value);
}

std::string verdict(const ValidatedRow& row) {
  return fmt::format("{:.2f}{}", row.ratio(), row.misses() ? fmt::format(", misses {:g}", row.limit) : "");
}

}  // namespace

Validation validate() {
  const Json table = Json::parse(published_results())["rows"];
  Validation v;
  std::vector<std::string> machines;
  for (const Json& row : table) {
    ValidatedRow& made = v.rows.emplace_back();
    made.machine = row.value("machine", "");
    made.what = row["what"];
    made.source = row["source"];
    made.not_predicted = row.value("not_predicted", "");
    made.quantity = row.value("quantity", "seconds");
    made.published = row.value("published", 0.0);
    if (!made.machine.empty() && std::ranges::count(machines, made.machine) == 0) machines.push_back(made.machine);
  }
  for (const std::string& name : machines) validate_machine(name, table, v);
  return v;
}

std::string to_text(const Validation& v) {
  Table table({"machine", "published run", "published", "predicted", "ratio"});
  std::string others;
  for (const ValidatedRow& row : v.rows) {
    if (row.not_predicted.empty())
      table.add({row.machine, row.what, amount(row, row.published), amount(row, row.predicted), verdict(row)});
    else
      others += paragraph("  ", fmt::format("{}: {}", row.what, row.not_predicted));
  }
  std::string text = table.text();
  text += "\ngap between messages of a rank, fitted to its times on several nodes:\n";
  for (const FittedGap& gap : v.gaps)
    text += gap.rows == 0
                ? fmt::format("  {}: none\n", gap.machine)
                : fmt::format("  {}: {}, to {}\n", gap.machine, seconds_text(gap.seconds), counted(gap.rows, "row"));
  const auto missing =
      std::ranges::count_if(v.rows, [](const ValidatedRow& row) { return row.not_predicted.empty() && row.misses(); });
  text += fmt::format("\n{} outside their limits: {:g} if messages limit, else {:g}\n", counted(missing, "row"),
                      limit_of_messages, limit_of_bandwidth);
  return others.empty() ? text : text + "not predicted:\n" + others;
}

Json to_json(const Validation& v) {
  Json rows = Json::array(), gaps = Json::array();
  for (const ValidatedRow& row : v.rows) {
    Json& made = rows.emplace_back(Json{{"machine", row.machine}, {"what", row.what}, {"source", row.source}});
    if (!row.not_predicted.empty()) {
      made["not_predicted"] = row.not_predicted;
      continue;
    }
    made.update({{"quantity", row.quantity},
                 {"published", row.published},
                 {"predicted", row.predicted},
                 {"ratio", row.ratio()},
                 {"limited_by_messages", row.by_messages},
                 {"limit", row.limit},
                 {"misses", row.misses()}});
  }
  for (const FittedGap& gap : v.gaps)
    gaps.push_back({{"machine", gap.machine},
                    {"message_gap_s", gap.seconds},
                    {"message_gap_s_in_file", gap.in_file},
                    {"rows", gap.rows}});
  return {{"rows", rows}, {"gaps", gaps}};
}

}  // namespace shardfft::cli
