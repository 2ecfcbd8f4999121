// shardfft predict --shape 1024x1024x1024 --machine summit --ranks 40960
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/plan_options.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "predict/machines.hpp"
#include "predict/scaling.hpp"
#include "predict/validate.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {
namespace {

struct PredictWords {
  ProblemWords problem{};
  ChoiceWords choices{};
  std::string machine{}, scaling{}, json{};
  int ranks = 0, ranks_per_node = 0, from = 0;
  bool validates = false;
};

/// Another choice, and what it would take.
struct Alternative {
  std::string name{};
  Prediction predicted{};
};

// Choices that cannot be are left out.
std::vector<Alternative> alternatives(const std::vector<std::string>& texts, const char* option,
                                      const Predictor& predictor, const Problem& problem, const Options& options) {
  std::vector<Alternative> all;
  for (const std::string& text : texts) {
    Options other = options;
    set_option(other, option, text);
    try {
      all.push_back({text, predictor.predict(problem, other)});
    } catch (const Error& e) {
      if (e.status() == Status::internal) throw;
    }
  }
  return all;
}

std::string row(std::string_view head, const std::string& what) { return paragraph(fmt::format("{:<12}", head), what); }

std::string terms_text(const Prediction& p) {
  std::string text;
  for (const CostTerm& term : p.terms)
    if (term.seconds > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", term.name, seconds_text(term.seconds));
  return text;
}

std::string times_text(const std::vector<Alternative>& all, double seconds) {
  std::string text;
  for (const Alternative& a : all)
    text += fmt::format("{}{} {:.2f} times", text.empty() ? "" : ", ", a.name, a.predicted.seconds / seconds);
  return text;
}

std::string prediction_text(const Prediction& p, const Cluster& cluster) {
  std::string text =
      row("ranks", fmt::format("{} on {} of {}{}", p.ranks, counted(p.nodes, "node"), printable(cluster.name),
                               p.threads > 1 ? fmt::format(", {} threads each", p.threads) : ""));
  text += row("time", fmt::format("{}likely {}; limited by {}",
                                  p.extrapolates ? "" : fmt::format("{}, ", seconds_text(p.seconds)), band_text(p),
                                  p.terms.front().name));
  if (p.extrapolates)
    text +=
        row("", cluster.gap_ranks == 0
                    ? std::string("no single number: the gap between messages was measured on no run")
                    : fmt::format("no single number: the gap between messages is that of {} ranks", cluster.gap_ranks));
  text += row("terms", terms_text(p));
  text += row("sends", fmt::format("{} from the busiest node, {} from the busiest rank to other nodes",
                                   bytes_text(p.node_bytes), counted(static_cast<Index>(p.messages), "message")));
  text += row("cut", fmt::format("{}, process grids {}", p.decomposition, p.grids));
  if (p.idle_ranks > 0) text += row("idle", counted(static_cast<Index>(p.idle_ranks), "rank"));
  if (p.codec != "none") text += row("codec", fmt::format("{}, {:.3g} bits a real number", p.codec, p.bits));
  if (p.nodes > cluster.nodes) text += row("note", fmt::format("the machine has {} nodes", cluster.nodes));
  return text;
}

Json to_json(const Prediction& p) {
  Json terms = Json::object();
  for (const CostTerm& term : p.terms) terms[term.name] = term.seconds;
  return {{"ranks", p.ranks},
          {"nodes", p.nodes},
          {"ranks_per_node", p.ranks_per_node},
          {"threads", p.threads},
          {"seconds", p.extrapolates ? Json() : Json(p.seconds)},
          {"least_s", p.least_s},
          {"most_s", p.most_s},
          {"limited_by", p.terms.front().name},
          {"terms_s", terms},
          {"decomposition", p.decomposition},
          {"grids", p.grids},
          {"codec", p.codec},
          {"bits_per_real", p.bits},
          {"bytes_of_busiest_node", p.node_bytes},
          {"messages_of_busiest_rank", p.messages},
          {"idle_ranks", p.idle_ranks}};
}

Json to_json(const std::vector<Alternative>& all) {
  Json list = Json::object();
  for (const Alternative& a : all) list[a.name] = to_json(a.predicted);
  return list;
}

Json record_of(const PredictWords& words, const Cluster& cluster, const Problem& problem) {
  return {{"command", "predict"},
          {"version", SHARDFFT_VERSION},
          {"machine", Json::parse(to_text(cluster))},
          {"shape", std::vector<Index>(problem.shape.begin(), problem.shape.end())},
          {"kind", to_string(problem.kind)},
          {"precision", to_string(problem.precision)},
          {"scaling", words.scaling}};
}

void show(const PredictWords& words, const std::string& text, const Json& record) {
  if (words.json != "-") fmt::print("{}", text);
  write_json(local(), words.json, record);
}

void predict_one(const PredictWords& words, const Cluster& cluster, const Problem& problem, const Options& options) {
  const Predictor predictor(cluster, words.ranks, words.ranks_per_node);
  const Prediction p = predictor.predict(problem, options);
  std::vector<std::string> cuts{"slab", "pencil"};
  if (problem.shape.dims() > 3) cuts.emplace_back("brick");
  std::vector<Alternative> other_cuts, tolerances;
  if (options.expert.decomposition.empty() && options.expert.ranks_grid.dims() == 0 && p.ranks > 1)
    other_cuts = alternatives(cuts, "decomposition", predictor, problem, options);
  if (options.tolerance == 0 && options.tolerance_absolute == 0 && options.tolerance_linf == 0 && p.nodes > 1)
    tolerances = alternatives({"1e-3", "1e-6", "1e-9"}, "tolerance", predictor, problem, options);
  std::string text = row("predict", to_string(problem)) + prediction_text(p, cluster);
  if (!other_cuts.empty()) text += row("other cuts", times_text(other_cuts, p.seconds));
  if (!tolerances.empty()) text += row("tolerance", times_text(tolerances, p.seconds));
  Json record = record_of(words, cluster, problem);
  record["prediction"] = to_json(p);
  record["decompositions"] = to_json(other_cuts);
  record["tolerances"] = to_json(tolerances);
  show(words, text, record);
}

void predict_scaling(const PredictWords& words, const Cluster& cluster, const Problem& problem,
                     const Options& options) {
  const bool strong = words.scaling == "strong";
  const std::vector<ScalingRow> rows =
      scaling_rows(cluster, problem, options, words.from, words.ranks, words.ranks_per_node, strong);
  std::string text =
      row("predict", fmt::format("{} on {}, {} scaling", to_string(problem), printable(cluster.name), words.scaling));
  text += table_text(rows, strong);
  Json record = record_of(words, cluster, problem);
  record["rows"] = Json::array();
  for (const ScalingRow& made : rows) {
    Json& one = record["rows"].emplace_back(to_json(made.predicted));
    one["shape"] = std::vector<Index>(made.shape.begin(), made.shape.end());
    one["efficiency"] = made.efficiency;
  }
  record["crossovers"] = crossovers(rows);
  for (const std::string& said : crossovers(rows)) text += row("", said);
  show(words, text, record);
}

// One node, where nobody says how many.
void complete(PredictWords& words, const Cluster& cluster) {
  constexpr int most = 1'000'000;
  const int node = words.ranks_per_node > 0 ? words.ranks_per_node : static_cast<int>(cluster.ranks_per_node);
  if (words.ranks == 0) words.ranks = node;
  if (words.ranks < 1 || words.ranks > most)
    throw Error(Status::invalid_argument,
                fmt::format("--ranks must be from 1 to {}; got {}; leave it out for one node", most, words.ranks));
  if (words.from == 0) words.from = std::min(node, words.ranks);
  if (words.from < 1 || words.from > words.ranks)
    throw Error(Status::invalid_argument,
                fmt::format("--from must be from 1 to the {} of --ranks; got {}; leave it out to begin with one node",
                            words.ranks, words.from));
  if (!words.scaling.empty() && words.scaling != "strong" && words.scaling != "weak")
    throw Error(
        Status::invalid_argument,
        fmt::format("--scaling must be strong or weak; got '{}'; leave it out for one prediction", words.scaling));
}

void predict_here(PredictWords words) {
  check_side_files(local(), {{"--json", words.json}});
  if (words.validates) {
    const Validation v = validate();
    return show(words, to_text(v), to_json(v));
  }
  if (words.problem.shape.empty())
    throw Error(Status::invalid_argument,
                "--shape must say the extents of the array; got none; or take --validate for published results");
  const Cluster cluster = find_machine(words.machine);
  complete(words, cluster);
  const Problem problem = to_problem(words.problem);
  const Options options = to_options(words.choices, words.problem, dry_run(words.ranks));
  words.scaling.empty() ? predict_one(words, cluster, problem, options)
                        : predict_scaling(words, cluster, problem, options);
}

constexpr const char* predict_examples =
    R"(Says what a transform would take on a machine that is not here, by the planner's model. Runs nothing.

Examples:
  shardfft predict --shape 1024x1024x1024 --machine summit --ranks 40960
  shardfft predict --shape 2048x2048x2048 --precision f32 --machine selene --ranks 2048 --scaling strong
  shardfft predict --shape 512x512x512 --machine my_cluster.json --ranks 1000000 --tolerance 1e-6
  shardfft predict --validate)";

}  // namespace

void add_predict(const Command& program, Action& chosen) {
  const auto words = std::make_shared<PredictWords>();
  const Command command = program.add_command("predict", "say what a transform would take on a machine of many nodes");
  command.footer(predict_examples);
  add_problem(command, words->problem).required(false);
  command.add_option("--machine", words->machine,
                     "name of a known machine, or a machine file (default: this machine, as it was measured)");
  command.add_option("--ranks", words->ranks, "ranks, at most 1000000 (default: one node's)");
  command.add_option("--ranks-per-node", words->ranks_per_node,
                     "ranks of a node, which share its cores as threads (default: one on each core or GPU)");
  command.add_option("--scaling", words->scaling,
                     "strong or weak: a table with twice as many ranks from row to row, up to --ranks");
  command.add_option("--from", words->from, "ranks of the table's first row (default: one node's)");
  command.add_flag("--validate", words->validates, "show published results beside predictions");
  add_json(command, words->json);
  // A machine file says the rest, and the model knows nothing of it.
  add_choices(command, words->choices, OptionGroup::planner,
              {"engine", "transport", "threads", "tile", "streams", "intermediate", "non_temporal", "huge_pages"});
  add_choices(command, words->choices, OptionGroup::exactness);
  command.callback([words, command, &chosen] {
    // Users of a machine that is not here have no layouts to keep to.
    const auto given = [&](const char* option) { return command.given(option); };
    if (!given("--layout") && !given("--input") && !given("--output"))
      words->problem.input = words->problem.output = "any";
    chosen = [words](const Comm& comm) {
      collectively(comm, [&] {
        if (comm.rank() == 0) predict_here(*words);
      });
      return 0;
    };
  });
}

}  // namespace shardfft::cli
