// shardfft spectrum IN
#include <memory>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "analysis/arrays.hpp"
#include "analysis/units.hpp"
#include "commands.hpp"
#include "options/plan_options.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/answers/spectrum.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"
#include "shardfft/version.hpp"
#include "transform/transform.hpp"

namespace shardfft::cli {
namespace {

struct SpectrumWords {
  std::string in, cross, shells, normalize = "power", spacing, axes, precision, csv, json;
  bool centred = false, quiet = false;
  TransformWords passes{};  ///< its memory and scratch
  ChoiceWords choices{};
};

[[noreturn]] void refuse_spectrum(const std::string& text) { throw Error(Status::invalid_argument, text); }

PowerAs parse_normalize(const std::string& text) {
  constexpr std::pair<const char*, PowerAs> words[] = {{"power", PowerAs::density},
                                                       {"sum", PowerAs::sum},
                                                       {"dimensionless", PowerAs::dimensionless},
                                                       {"energy", PowerAs::energy}};
  for (const auto& [word, power] : words)
    if (lower(text) == word) return power;
  refuse_spectrum(fmt::format("--normalize is power, sum, dimensionless or energy; got '{}'", text));
}

/// The transform of one file, and of the other one if there is one.
Problem problem_of_files(const SpectrumWords& words, const files::File& a, const std::optional<files::File>& b) {
  TransformWords task;
  task.in = words.in, task.axes = words.axes, task.precision = words.precision;
  task.kind = a.info().type.complex() || (b && b->info().type.complex()) ? "c2c" : "r2c";
  task.norm = "forward";
  if (b && b->info().shape != a.info().shape)
    refuse_spectrum(fmt::format("--cross is of two arrays of the same shape; got {} and {}; cut the larger one",
                                to_string(a.info().shape), to_string(b->info().shape)));
  if (is_empty(a.info().shape))
    refuse_spectrum(
        fmt::format("a spectrum is of an array with elements; '{}' has {}", words.in, to_string(a.info().shape)));
  return make_task(task, a.info()).problem;
}

/// The bits depend on this order and these layouts, and must not depend on how many ranks there are.
Options options_of(const Problem& problem, const files::File& input, Options options) {
  options.input = usual_file_layout(problem.shape, input.info().order);
  options.expert.axis_order.assign(problem.axes.rbegin(), problem.axes.rend());
  return options;
}

/// Collective. The spectrum of a file, as `plan` leaves it. A second one lies as the first.
Array transformed(const Comm& comm, const files::File& input, const Problem& problem, const Options& choices,
                  std::optional<Plan>& plan, Progress& progress) {
  Options options = options_of(problem, input, choices);
  if (plan) options.output = plan->output().spec();
  options.destroy_input = true;
  plan.reset();
  plan.emplace(comm, problem, options);
  require_room(*plan, static_cast<Index>(plan->input_bytes() + 2 * plan->output_bytes()),
               "use more nodes, or --precision f32");
  Array in, out;
  collectively(comm, [&] { in = plan->make_input(), out = plan->make_output(); });
  const files::FilePart part{plan->input(), comm.rank(), problem.precision, problem.kind == c2c,
                             helper_threads(comm, choices.threads)};
  progress.stage("reading");
  collectively(comm, [&] { input.read(part, in.data(), &progress); });
  collectively(comm, [&] { input.check_unchanged(); });
  progress.stage("transforming");
  plan->forward(in, out);
  return out;
}

double length_of(const SpectrumShell& shell) { return 2 * std::numbers::pi / shell.k_mean; }

std::string csv_of(const SpectrumWords& words, const Shape& shape, const Spacing& spacing,
                   const std::vector<SpectrumShell>& shells) {
  std::string text =
      fmt::format("# {}{}\n# shape {}, spacing {}, unit {}\n# {}, k in radians per unit, shells {}; shardfft {}\n",
                  words.in, words.cross.empty() ? "" : ", cross " + words.cross, to_string(shape), spacing.numbers(),
                  spacing.unit().empty() ? "none" : spacing.unit(), words.normalize,
                  words.centred ? "centred" : "from k_lo to k_hi", SHARDFFT_VERSION);
  text += "shell,k_lo,k_hi,k_mean,length,modes,power,stderr,beyond_nyquist";
  text += words.cross.empty() ? "\n" : ",power_b,cross_re,cross_im,correlation\n";
  for (std::size_t s = 0; s < shells.size(); ++s) {
    const SpectrumShell& row = shells[s];
    text += fmt::format("{},{},{},{},{},{},{},{},{}", s, row.k_low, row.k_high, row.k_mean, length_of(row), row.modes,
                        row.power, row.error, row.beyond_nyquist ? 1 : 0);
    text += words.cross.empty()
                ? "\n"
                : fmt::format(",{},{},{},{}\n", row.power_b, row.cross_re, row.cross_im, row.correlation);
  }
  return text;
}

std::string table_of(const SpectrumWords& words, const std::vector<SpectrumShell>& shells) {
  std::vector<std::string> heads{"k", "length", "modes", "power", "stderr"};
  if (!words.cross.empty()) heads.emplace_back("correlation");
  Table table(heads);
  for (const SpectrumShell& row : shells) {
    if (row.beyond_nyquist) continue;
    std::vector<std::string> cells{fmt::format("{:.5g}", row.k_mean), fmt::format("{:.5g}", length_of(row)),
                                   fmt::format("{}", row.modes), fmt::format("{:.5g}", row.power),
                                   fmt::format("{:.2g}", row.error)};
    if (!words.cross.empty()) cells.push_back(fmt::format("{:.4f}", row.correlation));
    table.add(cells);
  }
  return table.text();
}

Json json_of(const SpectrumWords& words, const Comm& comm, const Problem& problem, const Spacing& spacing,
             const std::vector<SpectrumShell>& shells) {
  Json record{{"command", "spectrum"},
              {"version", SHARDFFT_VERSION},
              {"in", words.in},
              {"cross", words.cross},
              {"shape", std::vector<Index>(problem.shape.begin(), problem.shape.end())},
              {"spacing", spacing.along(problem.shape.dims())},
              {"unit", spacing.unit()},
              {"normalize", words.normalize},
              {"centred", words.centred},
              {"precision", to_string(problem.precision)},
              {"ranks", comm.size()}};
  Json& rows = record["shells"] = Json::array();
  for (const SpectrumShell& row : shells) {
    rows.push_back({{"k_lo", row.k_low},
                    {"k_hi", row.k_high},
                    {"k_mean", row.k_mean},
                    {"modes", row.modes},
                    {"power", row.power},
                    {"stderr", row.error},
                    {"beyond_nyquist", row.beyond_nyquist}});
    if (!words.cross.empty())
      rows.back().update({{"power_b", row.power_b},
                          {"cross_re", row.cross_re},
                          {"cross_im", row.cross_im},
                          {"correlation", row.correlation}});
  }
  return record;
}

int spectrum_of_files(const Comm& comm, const SpectrumWords& words) {
  const Spacing spacing(words.spacing);
  SpectrumRequest request{.centred = words.centred, .power = parse_normalize(words.normalize)};
  check_side_files(
      comm, {{"--csv", words.csv}, {"--json", words.json}},
      {{"IN", files::file_of(words.in)}, {"--cross", words.cross.empty() ? "" : files::file_of(words.cross)}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const files::File a = files::File::open(comm, words.in);
  std::optional<files::File> b;
  if (!words.cross.empty()) b = files::File::open(comm, words.cross);
  const Problem problem = problem_of_files(words, a, b);
  const std::vector<double> steps = spacing.along(problem.shape.dims());
  if (!words.shells.empty()) request.width = spacing.width("--shells", words.shells);
  request.lengths = spectral::lengths_from(Plan(dry_run(1), problem), steps);
  const Options choices = to_options(words.choices);
  const Room room = room_of(comm, words.passes);
  const Index least =
      3 * product(problem.shape) / comm.size() * files::plan_dtype(problem.precision, problem.kind == c2c).size;
  std::vector<SpectrumShell> shells;
  const bool in_passes = beyond(comm, room, b ? 2 * least : least);
  if (in_passes) {
    progress->stage("transforming in passes");
    shells = files::spectrum(comm, a, problem, request, options_of(problem, a, choices),
                             passes_of(words.passes, room, *progress), b ? &*b : nullptr);
  } else {
    std::optional<Plan> plan;
    Array of_b;
    if (b) of_b = transformed(comm, *b, problem, choices, plan, *progress);
    const Array of_a = transformed(comm, a, problem, choices, plan, *progress);
    progress->stage("adding");
    shells = spectrum(*plan, of_a, b ? View(of_b) : View(), request);
  }
  progress.reset();
  collectively(comm, [&] {
    if (comm.rank() == 0 && !words.csv.empty())
      write_side_file({"--csv", words.csv}, csv_of(words, problem.shape, spacing, shells));
  });
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}: {}, {} on {}\n{}", printable(words.in), to_string(problem.shape), counted(shells.size(), "shell"),
               counted(comm.size(), "rank"), table_of(words, shells));
  Json record = json_of(words, comm, problem, spacing, shells);
  record["in_passes"] = in_passes;
  write_json(comm, words.json, record);
  return 0;
}

constexpr const char* spectrum_examples =
    R"(Power by shells of the wave number k. By default the power is a density, V |F/N|^2 with F the transform over N
points in the volume V; a shell is 2 pi over the shortest side wide and begins where the last one ends. With --cross,
correlation is the Fourier shell correlation. Sums are exact: the CSV is the same on any number of ranks.

Examples:
  shardfft spectrum density.npy --spacing 0.5Mpc --csv power.csv
  shardfft spectrum half1.npy --cross half2.npy --spacing 1.06A --csv fsc.csv
  shardfft spectrum velocity.npy --axes 1,2,3 --normalize energy --centred)";

}  // namespace

void add_spectrum(const Command& program, Action& chosen) {
  const auto words = std::make_shared<SpectrumWords>();
  const Command command = program.add_command("spectrum", "power of an array by shells of the wave number");
  command.footer(spectrum_examples);
  command.add_option("IN", words->in, ".npy file, any number type; or file.h5[:/dataset]").required();
  command.add_option("--cross", words->cross, "a second array: its power, the cross spectrum and the correlation, too");
  command
      .add_option("--shells", words->shells,
                  "width of a shell in radians per unit of --spacing, or as f=DF in cycles (default: 2 pi over the "
                  "shortest side)")
      .type_name("DK");
  command.add_flag("--centred", words->centred, "shell i has k around i times the width, instead of from there on");
  command
      .add_option("--normalize", words->normalize,
                  "power (a density), sum (adds up to the mean square), dimensionless, or energy (half of the sum "
                  "over components, per unit of k)")
      .shows_default();
  command.add_option("--spacing", words->spacing,
                     "of the points along each axis, slowest axis first, and its unit, as 2,0.5,0.5um (default: 1)");
  command.add_option("--axes", words->axes, "transformed axes; others hold components (default: all)");
  command.add_option("--precision", words->precision, "f32 or f64 (default: as the elements of IN)");
  command.add_option("--csv", words->csv, "write all shells to FILE; it appears whole or not at all").type_name("FILE");
  command.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_memory(command, words->passes, false);
  add_json(command, words->json);
  add_choices(command, words->choices, OptionGroup::planner);
  add_choices(command, words->choices, OptionGroup::effort);
  command.callback(
      [words, &chosen] { chosen = [words](const Comm& comm) { return spectrum_of_files(comm, *words); }; });
}

}  // namespace shardfft::cli
