// shardfft navier-stokes --shape 64x64x64 --reynolds 1600 --dt 0.01 --until 1
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/plan_options.hpp"
#include "options/words.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/programs/files.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"
#include "solve/flow_checkpoint.hpp"
#include "solve/flow_report.hpp"
#include "solve/refuse.hpp"

namespace shardfft::cli {
namespace {

using solvers::FlowProblem;
using solvers::Form;
using solvers::NavierStokes;

struct FlowWords {
  std::string shape, precision = "f64", form = "rotational", batched = "yes", dealias = "yes", fused = "no";
  double reynolds = 0, dt = 0, until = 0;
  std::string csv, spectrum, checkpoint, restart, json;
  int every = 0, steps = 5, ranks = 0;
  bool bench = false, quiet = false;
  ChoiceWords choices{};
};

bool yes(const char* option, const std::string& word) {
  if (lower(word) != "yes" && lower(word) != "no")
    refuse(fmt::format("{} must be yes or no", option), fmt::format("'{}'", word), "choose one of these");
  return lower(word) == "yes";
}

Form parse_form(const std::string& word) {
  std::vector<std::string> names;
  for (const Form form : {Form::rotational, Form::convective, Form::divergence}) {
    names.emplace_back(name(form));
    if (lower(word) == names.back()) return form;
  }
  refuse("--form must be rotational, convective or divergence", fmt::format("'{}'{}", word, did_you_mean(word, names)),
         "choose one of these");
}

FlowProblem problem_of(const FlowWords& words) {
  if (!(words.reynolds > 0 && std::isfinite(words.reynolds)))
    refuse("--reynolds must be positive, 1 over the viscosity", fmt::format("{:g}", words.reynolds),
           "write for example --reynolds 1600");
  FlowProblem problem;
  problem.shape = parse_extents("--shape", words.shape);
  problem.viscosity = 1 / words.reynolds;
  problem.form = parse_form(words.form);
  problem.dealias = yes("--dealias", words.dealias);
  problem.batched = yes("--batched", words.batched);
  problem.fused = yes("--fused", words.fused);
  problem.precision = parse_precision(words.precision);
  return problem;
}

void check(const FlowWords& words) {
  if (!(words.dt > 0 && std::isfinite(words.dt)))
    refuse("--dt must be positive", fmt::format("{:g}", words.dt), "write for example --dt 0.01");
  if (words.bench && words.steps < 1)
    refuse("--steps must be at least 1", fmt::format("{}", words.steps), "leave it out for 5");
  if (words.every < 0 || (words.every > 0) != !words.checkpoint.empty())
    refuse("--every counts steps from one --checkpoint to the next",
           words.checkpoint.empty() ? "no --checkpoint" : fmt::format("{}", words.every),
           "give both, for example --checkpoint flow.npy --every 100");
}

/// Steps from `time` to --until, a whole number.
Index steps_left(const FlowWords& words, double time) {
  const double exact = (words.until - time) / words.dt, whole = std::round(exact);
  if (!(std::abs(exact - whole) <= 1e-6 && whole >= 0 && whole < 1e15))
    refuse(fmt::format("--until must be a whole number of steps after {:g}", time),
           fmt::format("{:g} with --dt {:g}", words.until, words.dt), "choose a multiple of --dt");
  return static_cast<Index>(whole);
}

/// What a run was, and what it left.
struct FlowResult {
  std::vector<FlowMoment> moments{};
  FlowShares shares{};
  std::vector<double> spectrum{};
  std::uint64_t hash = 0;
};

FlowResult flow_on(const Comm& comm, const FlowWords& words, NavierStokes& flow, FlowCheckpoint& checkpoint,
                   Progress& progress) {
  FlowResult result;
  const Index steps = steps_left(words, flow.time());
  result.moments.push_back(moment_of(flow));
  progress.stage("stepping");
  progress.expect(steps);
  flow.forget_seconds();
  for (Index i = 1; i <= steps; ++i) {
    flow.step(words.dt);
    result.moments.push_back(moment_of(flow));
    progress.advance(1);
    if (words.every > 0 && (i % words.every == 0 || i == steps)) checkpoint.write(flow);
  }
  result.shares = shares_of(comm, flow.seconds(), steps);
  return result;
}

FlowResult measure(const Comm& comm, const FlowWords& words, NavierStokes& flow, Progress& progress) {
  progress.stage("measuring");
  FlowResult result;
  if (!words.csv.empty()) result.moments.push_back(moment_of(flow));
  flow.step(words.dt);  // memory and caches are warm after one
  flow.forget_seconds();
  for (int i = 0; i < words.steps; ++i) flow.step(words.dt);
  result.shares = shares_of(comm, flow.seconds(), words.steps);
  result.moments.push_back(moment_of(flow));
  return result;
}

const FlowMoment& peak_of(const FlowResult& result) {
  return *std::ranges::max_element(result.moments, {}, &FlowMoment::dissipation);
}

Json record_of(const Comm& comm, const FlowWords& words, const NavierStokes& flow, const FlowResult& result) {
  const FlowMoment &last = result.moments.back(), &peak = peak_of(result);
  Json record{{"command", "navier-stokes"}, {"version", SHARDFFT_VERSION}};
  record.update(problem_json(flow.problem()));
  const Shape& kept = flow.state_layout().global();
  record.update({{"modes", {kept[1], kept[2], 2 * kept[3] - 1}},
                 {"form", name(flow.problem().form)},
                 {"batched", flow.problem().batched},
                 {"fused", flow.problem().fused},
                 {"space", name(flow.space())},
                 {"ranks", comm.size()},
                 {"nodes", comm.nodes()},
                 {"dt", words.dt},
                 {"steps", last.steps},
                 {"time", last.time},
                 {"energy", last.sums.energy},
                 {"enstrophy", last.sums.enstrophy},
                 {"dissipation", last.dissipation},
                 {"divergence", last.sums.divergence},
                 {"peak", {{"dissipation", peak.dissipation}, {"time", peak.time}}},
                 {"hash", hash_text(result.hash)},
                 {"step_s", shares_json(result.shares)}});
  return record;
}

std::string on_device(const NavierStokes& flow) {
  return flow.space() == Space::host ? "" : fmt::format(", arrays on the {} device", name(flow.space()));
}

std::string summary(const Comm& comm, const FlowWords& words, const NavierStokes& flow, const FlowResult& result) {
  const FlowProblem& p = flow.problem();
  const Shape& kept = flow.state_layout().global();
  std::string text =
      fmt::format("{} points, {} x {} x {} modes {}, Reynolds number {:g}, {}{}{}{}, {} on {}\n", to_string(p.shape),
                  kept[1], kept[2], 2 * kept[3] - 1, to_string(p.precision), words.reynolds, name(p.form),
                  p.batched ? "" : ", one component at a time", p.fused ? ", fused" : "", on_device(flow),
                  counted(comm.size(), "rank"), counted(comm.nodes(), "node"));
  text += moments_table(result.moments) + shares_table(result.shares);
  return text + fmt::format("hash {}\n", hash_text(result.hash));
}

bool is_old_file(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && path != "-" && std::filesystem::is_regular_file(path, ignored);
}

/// Collective. A restart does not overwrite what the run before it left; --csv is continued.
void check_new(const Comm& comm, const FlowWords& words) {
  collectively(comm, [&] {
    if (comm.rank() != 0 || words.restart.empty()) return;
    for (const auto& [name, path] : {std::pair{"--spectrum", words.spectrum}, std::pair{"--json", words.json}})
      if (is_old_file(path))
        refuse(fmt::format("{} with --restart must name a new file, as it says how a run ended", name),
               fmt::format("'{}', which is there", printable(path)), "name another place, or remove it");
  });
}

/// Collective. The lines of the run before a restart, on rank 0. Throws Error on every rank where they do not fit.
std::string record_before(const Comm& comm, const FlowWords& words, const NavierStokes& flow) {
  std::string record;
  if (words.restart.empty()) return record;
  const FlowMoment now = moment_of(flow);
  collectively(comm, [&] {
    if (comm.rank() != 0 || !is_old_file(words.csv)) return;
    constexpr std::size_t longest_record = std::size_t{1} << 32;
    try {
      record = read_named(words.csv, longest_record);
    } catch (const FileTrouble& trouble) {
      refuse("--csv with --restart must name a file that can be read", trouble.what(), "name another place");
    }
    (void)continued_csv(words.csv, record, {now});
  });
  return record;
}

int navier_stokes(const Comm& comm, const FlowWords& words) {
  check(words);
  const FlowProblem problem = problem_of(words);
  check_side_files(comm, {{"--csv", words.csv}, {"--spectrum", words.spectrum}, {"--json", words.json}},
                   {{"--checkpoint", words.checkpoint}, {"--restart", words.restart}});
  check_new(comm, words);
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  progress->stage("planning");
  const Options options = to_options(words.choices);
  NavierStokes flow(comm, problem, options);
  FlowCheckpoint checkpoint(comm, words.checkpoint, helper_threads(comm, options.threads));
  words.restart.empty() ? flow.taylor_green() : checkpoint.restore(words.restart, flow, *progress);
  const std::string before = record_before(comm, words, flow);
  FlowResult result =
      words.bench ? measure(comm, words, flow, *progress) : flow_on(comm, words, flow, checkpoint, *progress);
  result.spectrum = flow.spectrum();
  result.hash = flow.hash();
  progress.reset();
  if (comm.rank() == 0 && !words.quiet && words.json != "-") fmt::print("{}", summary(comm, words, flow, result));
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    if (!words.csv.empty())
      write_side_file({"--csv", words.csv},
                      before.empty() ? moments_csv(result.moments) : continued_csv(words.csv, before, result.moments));
    if (!words.spectrum.empty()) write_side_file({"--spectrum", words.spectrum}, spectrum_csv(result.spectrum));
  });
  write_json(comm, words.json, record_of(comm, words, flow, result));
  return 0;
}

constexpr const char* flow_examples =
    R"(Computes the Taylor-Green vortex in a periodic box of length 2 pi: Fourier modes in space, the classic
Runge-Kutta scheme in time. Prints energy, enstrophy and dissipation, and the parts of a step. They have the same bits
on any number of ranks, after a restart, too; on a device to rounding alone.

Examples:
  shardfft navier-stokes --shape 32x32x32 --reynolds 1600 --dt 0.01 --until 0.1
  shardfft navier-stokes --shape 64x64x64 --reynolds 1600 --dt 0.01 --until 10 --csv flow.csv --spectrum shells.csv
  mpirun -n 4 shardfft navier-stokes --shape 256x256x256 --reynolds 1600 --dt 0.005 --bench --form convective
  shardfft navier-stokes --shape 256x256x256 --reynolds 1600 --dt 0.005 --bench --device cuda
  shardfft navier-stokes --shape 64x64x64 --reynolds 1600 --dt 0.01 --until 5 --checkpoint flow.npy --every 100
  shardfft navier-stokes --shape 64x64x64 --reynolds 1600 --dt 0.01 --until 10 --restart flow.npy)";

}  // namespace

void add_navier_stokes(const Command& program, Action& chosen) {
  const auto words = std::make_shared<FlowWords>();
  const Command command = program.add_command("navier-stokes", "compute the Taylor-Green vortex");
  command.footer(flow_examples);
  command.add_option("--shape", words->shape, "points along x, y and z: 64x64x64").required();
  command.add_option("--reynolds", words->reynolds, "1 over the viscosity").number().required();
  command.add_option("--dt", words->dt, "time step").number().required();
  command.add_option("--until", words->until, "time of the end, a whole number of steps").number();
  command.add_option("--form", words->form, "of the advection: rotational, convective or divergence").shows_default();
  command.add_option("--batched", words->batched, "yes: three components in one transform").shows_default();
  command.add_option("--dealias", words->dealias, "yes: the 2/3 rule; no: all modes").shows_default();
  command.add_option("--fused", words->fused, "yes: a right-hand side in one run, without arrays of points")
      .shows_default();
  command.add_option("--precision", words->precision, "f32 or f64").shows_default();
  command.add_option(
      "--csv", words->csv,
      "write energy, enstrophy and dissipation after every step to this file; with --restart, behind those of "
      "the run before");
  command.add_option("--spectrum", words->spectrum, "write the energy of each shell of wave numbers at the end");
  command.add_option("--checkpoint", words->checkpoint,
                     "write the modes to this .npy file, and what they are to FILE.json");
  command.add_option("--every", words->every, "steps from one checkpoint to the next; the last step has one, too")
      .whole_number();
  command.add_option("--restart", words->restart, "go on from a checkpoint, on any number of ranks");
  command.add_flag("--bench", words->bench, "time steps instead, and break them down");
  command.add_option("--steps", words->steps, "that --bench times").whole_number().shows_default();
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(command, words->json);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::devices);
  add_ranks(command, words->ranks);
  add_choices(command, words->choices, OptionGroup::effort);
  command.callback([words, &chosen] {
    chosen = [words](const Comm& comm) {
      return on_threads(comm, words->ranks, [&](const Comm& group) { return navier_stokes(group, *words); });
    };
  });
}

}  // namespace shardfft::cli
