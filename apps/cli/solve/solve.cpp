// shardfft solve poisson|helmholtz IN OUT
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/programs/whole_files.hpp"
#include "shardfft/text.hpp"
#include "solve/refuse.hpp"
#include "solve/solver.hpp"

namespace shardfft::cli {
namespace {

using solvers::PoissonProblem;
using solvers::PoissonReport;

void check_input(const SolveWords& words, const files::ArrayInfo& info) {
  if (info.type.complex())
    refuse(
        fmt::format("f is real; '{}' has {}; solve for its real and imaginary part", words.in, to_string(info.type)));
  if (info.shape.dims() == 0)
    refuse(fmt::format("f has 1 to 3 axes; '{}' is a single number; store it with reshape(1)", words.in));
  files::check_output_name(words.out, true);
  if (!std::ranges::is_sorted(info.order) && info.shape.dims() > 1)
    refuse(fmt::format("f lies in C order; '{}' has Fortran order; store it with numpy.ascontiguousarray", words.in));
  if (!words.shape.empty())
    refuse(fmt::format("--shape goes with --manufactured; got it with '{}'; leave it out", words.in));
}

int solve_file(const Comm& comm, const SolveWords& words) {
  check_side_files(comm, {{"--json", words.json}},
                   {{"IN", files::file_of(words.in)}, {"OUT", files::file_of(words.out)}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const files::File input = files::File::open(comm, words.in);
  check_input(words, input.info());
  const bool narrow = input.info().type.kind == 'f' && input.info().type.size <= 4;
  const Precision precision = !words.precision.empty() ? parse_precision(words.precision) : narrow ? f32 : f64;
  const Shape shape = input.info().shape;
  const PoissonProblem problem = problem_of(comm, words, shape, precision, *progress);
  probe_output(comm, files::file_of(words.out), "a .npy file");
  Options options = to_options(words.choices);
  options.input = usual_file_layout(shape, input.info().order);
  options.in_place = true;
  std::optional<Solver> solver;
  Json seconds;
  seconds["planning"] = timed(comm, *progress, "planning", [&] { solver.emplace(comm, words, problem, options); });
  require_room(solver->plan(), static_cast<Index>(2 * solver->plan().input_bytes()),
               "use more nodes, or --precision f32");
  files::File output = files::File::create(comm, words.out, {shape, files::plan_dtype(precision, false), {}});
  Array array;
  collectively(comm, [&] { array = solver->make_array(); });
  const Layout layout = solver->plan().input();  // of every solver that --tolerance auto makes
  const files::FilePart part{layout, comm.rank(), precision, false, helper_threads(comm, options.threads)};
  seconds["reading"] = timed(comm, *progress, "reading",
                             [&] { collectively(comm, [&] { input.read(part, array.data(), progress.get()); }); });
  collectively(comm, [&] { input.check_unchanged(); });
  std::optional<solvers::PoissonEstimate> estimate;
  seconds["estimating"] = timed(comm, *progress, "estimating",
                                [&] { estimate = settle_tolerance(words, problem, options, array, solver); });
  PoissonReport report;
  seconds["solving"] = timed(comm, *progress, "solving", [&] { report = solver->solve(array, array); });
  const std::uint64_t hash = solver->hash(array);
  seconds["writing"] = timed(comm, *progress, "writing", [&] {
    collectively(comm, [&] { output.write(part, array.data(), progress.get()); });
    output.commit();
  });
  progress.reset();
  const Index peak = peak_memory(comm);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}{} to {}: planned in {}, solved in {}\n{}{}", heading(words, problem, comm), printable(words.in),
               printable(words.out), seconds_text(seconds["planning"].get<double>()),
               seconds_text(seconds["solving"].get<double>()), estimate_text(estimate), report_text(report, hash));
  Json record = record_of(words, problem, solver->plan(), report, hash);
  record["in"] = words.in, record["out"] = words.out;
  record["seconds"] = seconds;
  put_estimate(record, estimate);
  record["memory_peak_bytes"] = peak;
  write_json(comm, words.json, record);
  return 0;
}

int solve(const Comm& comm, SolveWords words) {
  words.tolerance_auto = lower(words.tolerance) == "auto";
  if (!words.tolerance_auto) words.choices.texts["--tolerance"] = words.tolerance;
  if (words.tolerance_auto && is_open(words))
    refuse(
        "--tolerance auto is of boxes with boundaries, whose differences lose more than the transforms need; got "
        "--boundary open; give a number");
  if (words.manufactured) return solve_known(comm, words);
  if (words.in.empty() || words.out.empty())
    refuse(fmt::format("solve reads f and writes u; got {}; name two .npy files, or use --manufactured",
                       words.in.empty() ? "no file" : "one file"));
  return solve_file(comm, words);
}

constexpr const char* solve_examples =
    R"(Solves -laplacian(u) = f (poisson) or C u - laplacian(u) = f (helmholtz), one file to another. Where no end and
no shift fixes u, its mean is zero.

Examples:
  shardfft solve poisson f.npy u.npy --boundary periodic,periodic,neumann --lengths 1,1,0.5
  shardfft solve poisson f.npy u.npy --boundary dirichlet --points nodes --order compact
  shardfft solve helmholtz f.npy u.npy --shift 4 --order spectral
  shardfft solve poisson f.npy u.npy --boundary periodic,periodic,neumann --stretched z --faces z.npy
  shardfft solve poisson f.npy u.npy --boundary open --device cuda
  shardfft solve poisson --manufactured --shape 64x64x64 --boundary dirichlet-neumann --order 4)";

void add_equation(const Command& command, const char* name, const char* help, Action& chosen) {
  const auto words = std::make_shared<SolveWords>();
  words->equation = name;
  const Command action = command.add_command(name, help);
  action.footer(solve_examples);
  action.add_option("IN", words->in, ".npy file of f: real, C order; or file.h5[:/dataset]");
  action.add_option("OUT", words->out, ".npy file of u to write, may be IN; or new file.h5[:/dataset]");
  if (words->equation == "helmholtz") {
    words->shift = 1;
    action.add_option("--shift", words->shift, "C, at least 0").shows_default();
  }
  add_problem(action, *words);
  action.add_flag("--manufactured", words->manufactured,
                  "without files: solves for a known u, and shows error and order");
  action.add_option("--shape", words->shape, "of --manufactured (default: 32x32x32)");
  action.add_option("--precision", words->precision, "f32 or f64 (default: as the elements of IN)");
  action.add_flag("-q,--quiet", words->quiet, "print nothing");
  add_json(action, words->json);
  add_choices(action, words->choices, OptionGroup::planner);
  add_choices(action, words->choices, OptionGroup::devices);
  action.add_option("--tolerance", words->tolerance,
                    "relative L2 error of each transform; auto: so much that both lose at most what the differences do "
                    "(default: exact)");
  add_choices(action, words->choices, OptionGroup::exactness, {"tolerance"});
  add_choices(action, words->choices, OptionGroup::effort);
  action.callback([words, &chosen] { chosen = [words](const Comm& comm) { return solve(comm, *words); }; });
}

}  // namespace

void add_solve(const Command& program, Action& chosen) {
  const Command command = program.add_command("solve", "solve Poisson's or Helmholtz's equation");
  command.footer(solve_examples);
  command.require_command();
  add_equation(command, "poisson", "-laplacian(u) = f", chosen);
  add_equation(command, "helmholtz", "C u - laplacian(u) = f", chosen);
}

}  // namespace shardfft::cli
