// shardfft tune --shape 256x256x256
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "commands.hpp"
#include "launch/launch.hpp"
#include "options/plan_options.hpp"
#include "output/beyond_limit.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/limit.hpp"
#include "shardfft/programs/machine.hpp"
#include "shardfft/text.hpp"
#include "shardfft/tune.hpp"
#include "shardfft/version.hpp"
#include "tune/tune_guard.hpp"
#include "tune/tune_report.hpp"
#include "tune/tune_supervisor.hpp"

namespace shardfft::cli {
namespace {

struct TuneWords {
  ProblemWords problem{};
  ChoiceWords choices{};
  double seconds = 0, limit = 60;
  bool quiet = false;
  std::string report{}, launch{}, json{};
  std::vector<std::string> all{};  ///< the whole command line without --launch and --seconds, for child jobs
};

void check(const TuneWords& words) {
  if (!(words.seconds >= 0) || !std::isfinite(words.seconds))
    throw Error(
        Status::invalid_argument,
        fmt::format("--seconds must be 0 or more; got {}; leave it out for 10 (exhaustive: 120)", words.seconds));
  if (!(words.limit > 0) || !std::isfinite(words.limit))
    throw Error(Status::invalid_argument,
                fmt::format("--limit must be more than 0 seconds; got {}; leave it out for 60", words.limit));
  const std::string effort = to_options(words.choices).effort;
  if (effort != "" && effort != "measure" && effort != "exhaustive")
    throw Error(
        Status::invalid_argument,
        fmt::format("--effort must be measure or exhaustive to tune; got '{}'; leave it out for measure", effort));
  if (words.report != "" && words.report != "text" && words.report != "markdown" && words.report != "json")
    throw Error(Status::invalid_argument,
                fmt::format("--report must be text, markdown or json; got '{}'; leave it out for the candidates",
                            words.report));
}

/// "64x64x64,128x128x128": the same words with one shape each.
std::vector<ProblemWords> split(const ProblemWords& words) {
  std::vector<ProblemWords> all;
  std::istringstream in(words.shape + ",");
  for (std::string shape; std::getline(in, shape, ',');) {
    all.push_back(words);
    all.back().shape = shape;
  }
  return all;
}

/// Time of arrays that no cache holds: each of two passes reads and writes them at the measured rate of the node.
std::string busy_text(const Comm& comm, const Tuned& t) {
  const KnownMachine m = known_machine(comm);
  if (!m.measured || !found(t.report) || array_bytes(t.problem) < 4 * static_cast<double>(m.l3_bytes) * comm.nodes())
    return {};
  const double limit = 4 * array_bytes(t.problem) / (m.node_bytes_per_s * comm.nodes());
  return beyond_limit("the best", t.report.rows.front().seconds / limit);
}

std::string summary(const Comm& comm, const Tuned& t, bool on_host) {
  const TuneReport& r = t.report;
  std::string text = fmt::format("{}\n{}tried {} of {}{} in {}{}\n", to_string(t.problem), candidates_table(r),
                                 r.rows.size(), r.listed ? "" : "the first ", counted(r.candidates, "candidate"),
                                 counted(r.rounds, "round"), r.finished ? "" : ", until the time ran out (--seconds)");
  return text + (on_host ? busy_text(comm, t) : "") + conclusion(r);
}

/// One line: what later plans will use.
std::string brief(const Tuned& t) {
  if (!found(t.report)) return fmt::format("{}: nothing\n", to_string(t.problem));
  const TuneRow& best = t.report.rows.front();
  return fmt::format("{}: {}: {}\n", to_string(t.problem), seconds_text(best.seconds), best.recipe);
}

Tuned tune_one(const Comm& comm, const TuneWords& words, const ProblemWords& problem_words, Progress& progress) {
  Tuned t{.problem = to_problem(problem_words)};
  Options options = to_options(words.choices, problem_words, comm);
  options.tune_seconds = words.seconds;
  TuneGuard guard(comm, tuning_key(comm, t.problem, options), words.limit);
  int laps = 0;
  TuneHooks hooks;
  hooks.before = [&](const TuneRow& row) {
    progress.stage(fmt::format("{}: trial {}", to_string(t.problem.shape), ++laps));
    const std::string why = guard.before(row.recipe);
    if (why.empty()) TuneGuard::hang_if_told(row.recipe);
    return why;
  };
  hooks.after = [&](const TuneRow&) { guard.after(); };
  t.report = tune(comm, t.problem, options, hooks);
  guard.finish();
  return t;
}

/// Beside the result, whatever it is printed as.
void complain(const std::vector<Tuned>& all) {
  for (const Tuned& t : all)
    if (is_lost(t.report))
      fmt::print(stderr, "shardfft: not kept: {}: {}\n", to_string(t.problem.shape), why_not_kept(t.report));
}

/// Tuning is for later plans: what they will not find was not done.
int status_of(const Comm& comm, const std::vector<Tuned>& all) {
  constexpr int no_place = 2, nothing_found = 1;
  const auto any = [&](auto&& which) { return std::ranges::any_of(all, which, &Tuned::report); };
  const int status = any([](const TuneReport& r) { return !found(r); }) ? nothing_found : any(is_lost) ? no_place : 0;
  return static_cast<int>(all_max(comm, std::int64_t{status}));  // rank 0 writes
}

void print(const Comm& comm, const std::vector<Tuned>& all, const TuneWords& words) {
  const bool on_host = to_options(words.choices).device.empty();
  complain(all);
  if (words.json == "-") return;
  if (words.report == "text" || words.report == "markdown")
    return fmt::print("{}", report_table(all, words.report == "markdown"));
  if (words.report == "json") {
    Json rows = Json::array();
    for (const Tuned& t : all) rows.push_back(report_json(t));
    return fmt::print("{}\n", rows.dump(2));
  }
  for (const Tuned& t : all) fmt::print("{}", words.quiet ? brief(t) : summary(comm, t, on_host));
}

int run_here(const Comm& comm, const TuneWords& words) {
  check_side_files(comm, {{"--json", words.json}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  std::vector<Tuned> all;
  const auto problems = split(words.problem);
  for (const ProblemWords& p : problems)
    (void)to_options(words.choices, p, comm), (void)to_problem(p);  // all of them make sense before any is tuned
  for (const ProblemWords& p : problems) all.push_back(tune_one(comm, words, p, *progress));
  progress.reset();
  if (comm.rank() == 0) print(comm, all, words);
  Json record{{"command", "tune"},
              {"version", SHARDFFT_VERSION},
              {"ranks", comm.size()},
              {"nodes", comm.nodes()},
              {"results", Json::array()}};
  for (const Tuned& t : all) record["results"].push_back(report_json(t));
  write_json(comm, words.json, record);
  return status_of(comm, all);
}

double seconds_of(const TuneWords& words) {
  Options options = to_options(words.choices);
  options.tune_seconds = words.seconds;
  return seconds_to_tune(options);
}

int tune_command(const Comm& comm, const TuneWords& words) {
  check(words);
  if (words.launch.empty()) return run_here(comm, words);
  if (find_launcher().present)
    throw Error(Status::invalid_argument,
                "--launch starts the ranks itself; got a program that a launcher started; leave out one of the two");
  const auto shapes = static_cast<double>(split(words.problem).size());
  const WordsFor words_for = [&](double seconds) {
    std::vector<std::string> all = words.all;
    all.insert(all.end(), {"--seconds", fmt::format("{}", seconds / shapes)});
    return all;
  };
  return supervise(words.launch, words_for, shapes * seconds_of(words), words.limit);
}

/// What a child job is told.
std::vector<std::string> words_without_launch(const TuneWords& w) {
  std::vector<std::string> words{"tune",     "--shape",       w.problem.shape, "--precision", w.problem.precision,
                                 "--layout", w.problem.layout};
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--kind", w.problem.kind), add("--kinds", w.problem.kinds);
  add("--axes", w.problem.axes), add("--modes", w.problem.modes), add("--support", w.problem.support);
  add("--input", w.problem.input), add("--output", w.problem.output);
  if (w.quiet) words.emplace_back("--quiet");
  if (w.problem.in_place) words.emplace_back("--in-place");
  for (const auto& [flag, text] : w.choices.texts) add(flag, text);
  add("--report", w.report), add("--json", w.json);
  if (w.limit != 60) add("--limit", fmt::format("{}", w.limit));
  return words;
}

constexpr const char* tune_examples =
    R"(Tries candidates with generated data, the most promising ones first, and compares their results bit by bit. Keeps
the fastest in a file that plans of the same problem, ranks and machine find later. A candidate that fails, is wrong or
takes longer than --limit is dropped.

Examples:
  shardfft tune --shape 256x256x256
  mpirun -n 4 shardfft tune --shape 256x256x256 --layout transposed --seconds 60 --effort exhaustive
  shardfft tune --shape 512x512x512 --launch "mpirun -n 4"
  shardfft tune --shape 64x64x64,128x128x128,256x256x256 --report markdown)";

}  // namespace

void add_tune(const Command& program, Action& chosen) {
  const auto words = std::make_shared<TuneWords>();
  const Command command = program.add_command("tune", "measure which choices are fastest, and keep them");
  command.footer(tune_examples);
  add_problem(command, words->problem);
  command.add_option("--seconds", words->seconds,
                     "time limit of measuring, for each shape (default: 10, exhaustive: 120)");
  command.add_option("--effort", words->choices.texts["--effort"], "measure or exhaustive (default: measure)")
      .any_case();
  command.add_option("--limit", words->limit, "seconds after which one trial counts as hung").shows_default();
  command
      .add_option("--report", words->report,
                  "print a table of N, N1, N2, NB, NDIV and rates before and after: text, markdown or json")
      .any_case()
      .value_may_lack("text");
  command.add_option("--launch", words->launch,
                     "start child jobs with this launcher, and restart them after a hang or crash: \"mpirun -n 4\"");
  command.add_flag("-q,--quiet", words->quiet, "print one line for each shape: the best time and its choices");
  add_json(command, words->json);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::devices);
  command.callback([words, command, &chosen] {
    if (command.given("--report") && words->report.empty()) words->report = "text";
    words->all = words_without_launch(*words);
    chosen = [words](const Comm& comm) { return tune_command(comm, *words); };
  });
}

}  // namespace shardfft::cli
