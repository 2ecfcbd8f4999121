// shardfft solve poisson|helmholtz IN OUT
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "commands.hpp"
#include "files/array_file.hpp"
#include "options/task.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/progress.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/solvers/known_solution.hpp"
#include "shardfft/version.hpp"
#include "solve/solve_words.hpp"

namespace shardfft::cli {
namespace {

using solvers::KnownSolution;
using solvers::Poisson;
using solvers::PoissonProblem;
using solvers::PoissonReport;

[[noreturn]] void refuse(const std::string& text) { throw Error(Status::invalid_argument, text); }

/// Runs `work`; seconds of the slowest rank.
template <class Work>
double timed(const Comm& comm, Progress& progress, const char* stage, Work&& work) {
  progress.stage(stage);
  const auto start = std::chrono::steady_clock::now();
  work();
  return all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

/// All numbers of a .npy file, on every rank.
std::vector<double> read_numbers(const Comm& comm, const std::string& path, Progress& progress) {
  const NpyInput input(comm, path);
  if (input.header().shape.dims() != 1 || input.header().dtype.complex())
    refuse(fmt::format("--faces is a file of real numbers along one axis; '{}' has {} {}; store these alone", path,
                       to_string(input.header().shape), to_string(input.header().dtype)));
  std::vector<double> numbers(static_cast<std::size_t>(input.header().shape[0]));
  collectively(comm, [&] {
    const Layout all(slabs(0), input.header().shape, 1);
    input.read({all, 0, f64, false, 1}, reinterpret_cast<std::byte*>(numbers.data()), progress);
  });
  return numbers;
}

PoissonProblem problem_of(const Comm& comm, const SolveWords& words, const Shape& shape, Precision precision,
                          Progress& progress) {
  PoissonProblem problem = to_problem(words, shape.dims());
  problem.shape = shape;
  problem.precision = precision;
  if (const int a = problem.stretched; a >= 0) {
    const double length = problem.lengths.empty() ? 1 : problem.lengths[static_cast<std::size_t>(a)];
    problem.faces = words.faces.ends_with(".npy") ? read_numbers(comm, words.faces, progress)
                                                  : tanh_faces(words.faces, shape[a], length);
  }
  return problem;
}

Json record_of(const SolveWords& words, const PoissonProblem& problem, const Poisson& poisson,
               const PoissonReport& report, std::uint64_t hash) {
  const Comm& comm = poisson.plan().comm();
  const Json said = description_of(poisson.plan());
  Json record{{"command", "solve"},
              {"version", SHARDFFT_VERSION},
              {"equation", words.equation},
              {"shape", std::vector<Index>(problem.shape.begin(), problem.shape.end())},
              {"boundary", words.boundary},
              {"points", words.points},
              {"order", words.order},
              {"shift", problem.shift},
              {"precision", to_string(problem.precision)},
              {"ranks", comm.size()},
              {"nodes", comm.nodes()},
              {"recipe", said["recipe"]},
              {"notices", said["notices"]},
              {"gauge", report.gauge},
              {"mean", report.mean},
              {"compatibility", report.compatibility},
              {"hash", hash_text(hash)}};
  if (!std::isnan(report.error_bound)) record["error_bound"] = report.error_bound;
  return record;
}

std::string heading(const SolveWords& words, const PoissonProblem& problem, const Comm& comm) {
  const std::string shift = problem.shift == 0 ? "" : fmt::format("{:g} u ", problem.shift);
  return fmt::format("{}-laplacian(u) = f on {} {}, order {}, {}: {} {} on {}\n", shift, to_string(problem.shape),
                     words.points, words.order, words.boundary, counted(comm.size(), "rank"),
                     to_string(problem.precision), counted(comm.nodes(), "node"));
}

std::string report_text(const PoissonReport& report, std::uint64_t hash) {
  std::string text;
  if (report.gauge)
    text += fmt::format("nothing fixes u: its mean is 0; dropped of f: mean {:.6g}, {:.3g} of its root mean square\n",
                        report.mean, report.compatibility);
  if (!std::isnan(report.error_bound))
    text += fmt::format("error of the transforms at most {:.2e} of the norm of f\n", report.error_bound);
  return text + fmt::format("hash {}\n", hash_text(hash));
}

// --- with files

void check_input(const SolveWords& words, const NpyHeader& header) {
  if (header.dtype.complex())
    refuse(fmt::format("f is real; '{}' has {}; solve for its real and imaginary part", words.in,
                       to_string(header.dtype)));
  if (header.fortran_order && header.shape.dims() > 1)
    refuse(fmt::format("f lies in C order; '{}' has Fortran order; store it with numpy.ascontiguousarray", words.in));
  if (!words.shape.empty())
    refuse(fmt::format("--shape goes with --manufactured; got it with '{}'; leave it out", words.in));
}

constexpr const char* wanted_output = "a .npy file";

int solve_file(const Comm& comm, const SolveWords& words) {
  check_side_files(comm, {{"--json", words.json}}, {{"IN", words.in}, {"OUT", words.out}});
  auto progress = std::make_unique<Progress>(comm.rank() == 0 && !words.quiet);
  const NpyInput input(comm, words.in);
  check_input(words, input.header());
  const bool narrow = input.header().dtype.kind == 'f' && input.header().dtype.size <= 4;
  const Precision precision = !words.precision.empty() ? parse_precision(words.precision) : narrow ? f32 : f64;
  const Shape shape = input.header().shape;
  const PoissonProblem problem = problem_of(comm, words, shape, precision, *progress);
  probe_output(comm, words.out, wanted_output);
  Options options = to_options(words.choices);
  options.input = usual_file_layout(shape, input.order());
  options.in_place = true;
  std::optional<Poisson> poisson;
  Json seconds;
  seconds["planning"] = timed(comm, *progress, "planning", [&] { poisson.emplace(comm, problem, options); });
  require_room(poisson->plan(), static_cast<Index>(2 * poisson->plan().input_bytes()),
               "use more nodes, or --precision f32");
  const std::string header = npy_header(plan_dtype(precision, false), shape);
  const auto header_bytes = static_cast<Index>(header.size());
  PartialFile output(comm, words.out, header, header_bytes + product(shape) * plan_dtype(precision, false).size,
                     wanted_output);
  Array array;
  collectively(comm, [&] { array = poisson->make_array(); });
  const FilePart part{poisson->layout(), comm.rank(), precision, false, helper_threads(comm, options.threads)};
  seconds["reading"] = timed(comm, *progress, "reading",
                             [&] { collectively(comm, [&] { input.read(part, array.data(), *progress); }); });
  PoissonReport report;
  seconds["solving"] = timed(comm, *progress, "solving", [&] { report = poisson->solve(array, array); });
  const std::uint64_t hash = poisson->plan().hash_input(array);
  seconds["writing"] = timed(comm, *progress, "writing", [&] {
    collectively(comm, [&] { write_part(output, header_bytes, part, array.data(), *progress); });
    output.commit();
  });
  progress.reset();
  const Index peak = peak_memory(comm);
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}{} to {}: planned in {}, solved in {}\n{}", heading(words, problem, comm), printable(words.in),
               printable(words.out), seconds_text(seconds["planning"].get<double>()),
               seconds_text(seconds["solving"].get<double>()), report_text(report, hash));
  Json record = record_of(words, problem, *poisson, report, hash);
  record["in"] = words.in, record["out"] = words.out;
  record["seconds"] = seconds;
  record["memory_peak_bytes"] = peak;
  write_json(comm, words.json, record);
  return 0;
}

// --- of a known solution

struct Tried {
  double error = 0, seconds = 0, spacing = 0;
  PoissonReport report{};
  std::uint64_t hash = 0;
  Json record{};
};

/// Relative L2 error of u, up to a constant where nothing fixes it.
template <class T>
double error_of(const Poisson& poisson, const KnownSolution& known, std::span<const T> u, bool gauge) {
  const Comm& comm = poisson.plan().comm();
  double sum = 0, squares = 0, size = 0, count = 0;
  for_each_element(poisson.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
    const double exact = known.u(poisson.position(at)), error = static_cast<double>(u[i]) - exact;
    sum += error, squares += error * error, size += exact * exact, count += 1;
  });
  sum = all_sum(comm, sum), squares = all_sum(comm, squares), size = all_sum(comm, size), count = all_sum(comm, count);
  return std::sqrt(std::max(squares - (gauge ? sum * sum / count : 0), 0.0) / size);
}

double largest_spacing(const Poisson& poisson, const PoissonProblem& problem) {
  const Coord first = Coord::filled(problem.shape.dims(), 0);
  double largest = 0;
  for (int a = 0; a < problem.shape.dims(); ++a) {
    Coord next = first;
    next[a] = 1;
    const auto axis = static_cast<std::size_t>(a);
    if (problem.shape[a] > 1 && a != problem.stretched)
      largest = std::max(largest, poisson.position(next)[axis] - poisson.position(first)[axis]);
  }
  return largest;
}

template <class T>
Tried try_known(const Comm& comm, const SolveWords& words, PoissonProblem problem, const Options& options) {
  problem.project = true;  // f is compatible but for what the points do not see
  Poisson poisson(comm, problem, options);
  const KnownSolution known(problem);
  Array f, u;
  collectively(comm, [&] {
    f = poisson.make_array(), u = poisson.make_array();
    for_each_element(poisson.layout(), comm.rank(), [&](const Coord& at, std::size_t i) {
      f.as<T>()[i] = static_cast<T>(known.f(poisson.position(at)));
    });
  });
  Tried tried;
  Progress quiet(false);
  tried.seconds = timed(comm, quiet, "solving", [&] { tried.report = poisson.solve(f, u); });
  tried.error = error_of<T>(poisson, known, std::as_const(u).as<T>(), tried.report.gauge);
  tried.hash = poisson.plan().hash_input(u);
  tried.record = record_of(words, problem, poisson, tried.report, tried.hash);
  tried.spacing = largest_spacing(poisson, problem);
  return tried;
}

/// About twice the spacing.
Shape coarser(const PoissonProblem& problem) {
  Shape shape = problem.shape;
  for (int a = 0; a < shape.dims(); ++a) {
    const solvers::Ends ends = problem.ends[static_cast<std::size_t>(a)];
    const bool same = problem.points == Points::nodes && ends.low == ends.high;
    const Index more = !same || ends.low == Boundary::periodic ? 0 : ends.low == Boundary::even ? 1 : -1;
    shape[a] = std::max<Index>((shape[a] - more) / 2 + more, 2);
  }
  return shape;
}

void check_manufactured(const SolveWords& words) {
  if (!words.in.empty())
    refuse(fmt::format("--manufactured makes f up; got '{}'; leave out files, or --manufactured", words.in));
  if (!words.values.empty()) refuse("the known solution is zero at its ends; got --values; leave them out");
  if (words.faces.ends_with(".npy") && !words.stretched.empty())
    refuse("two grids show the order, and a file has the faces of one; got --faces with --manufactured; use tanh:B");
}

int solve_known(const Comm& comm, const SolveWords& words) {
  check_manufactured(words);
  check_side_files(comm, {{"--json", words.json}});
  Progress quiet(false);
  const Precision precision = words.precision.empty() ? f64 : parse_precision(words.precision);
  const Shape shape = parse_extents("--shape", words.shape.empty() ? "32x32x32" : words.shape);
  const Options options = to_options(words.choices);
  const auto run = [&](const Shape& points) {
    const PoissonProblem problem = problem_of(comm, words, points, precision, quiet);
    return precision == f32 ? try_known<float>(comm, words, problem, options)
                            : try_known<double>(comm, words, problem, options);
  };
  const PoissonProblem problem = problem_of(comm, words, shape, precision, quiet);
  const Shape fewer = coarser(problem);
  const Tried fine = run(shape), coarse = run(fewer);
  const double order = std::log(coarse.error / fine.error) / std::log(coarse.spacing / fine.spacing);
  const bool digits = fine.error < (precision == f32 ? 1e-6 : 1e-13);  // what is left is rounding
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}solved in {}\nerror {:.3e}, on {} {:.3e}: {}\n{}", heading(words, problem, comm),
               seconds_text(fine.seconds), fine.error, to_string(fewer), coarse.error,
               digits ? "as exact as the numbers" : fmt::format("order {:.2f}", order),
               report_text(fine.report, fine.hash));
  Json record = fine.record;
  record["error"] = fine.error;
  record["coarse"] = {{"shape", std::vector<Index>(fewer.begin(), fewer.end())}, {"error", coarse.error}};
  if (!digits) record["order_observed"] = order;
  record["seconds"] = {{"solving", fine.seconds}};
  write_json(comm, words.json, record);
  return 0;
}

int solve(const Comm& comm, const SolveWords& words) {
  if (words.manufactured) return solve_known(comm, words);
  if (words.in.empty() || words.out.empty())
    refuse(fmt::format("solve reads f and writes u; got {}; name two .npy files, or use --manufactured",
                       words.in.empty() ? "no file" : "one file"));
  return solve_file(comm, words);
}

constexpr const char* examples =
    R"(Solves -laplacian(u) = f (poisson) or C u - laplacian(u) = f (helmholtz), one file to another. Where no end and no
shift fixes u, its mean is zero.

Examples:
  shardfft solve poisson f.npy u.npy --boundary periodic,periodic,neumann --lengths 1,1,0.5
  shardfft solve poisson f.npy u.npy --boundary dirichlet --points nodes --order compact
  shardfft solve helmholtz f.npy u.npy --shift 4 --order spectral
  shardfft solve poisson f.npy u.npy --boundary periodic,periodic,neumann --stretched z --faces z.npy
  shardfft solve poisson --manufactured --shape 64x64x64 --boundary dirichlet-neumann --order 4)";

void add_equation(const Command& command, const char* name, const char* help, Action& chosen) {
  const auto words = std::make_shared<SolveWords>();
  words->equation = name;
  const Command action = command.add_command(name, help);
  action.footer(examples);
  action.add_option("IN", words->in, ".npy file of f: real, C order");
  action.add_option("OUT", words->out, ".npy file of u to write; may be IN");
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
  add_choices(action, words->choices, OptionGroup::exactness);
  add_choices(action, words->choices, OptionGroup::effort);
  action.callback([words, &chosen] { chosen = [words](const Comm& comm) { return solve(comm, *words); }; });
}

}  // namespace

void add_solve(const Command& program, Action& chosen) {
  const Command command = program.add_command("solve", "solve Poisson's or Helmholtz's equation");
  command.footer(examples);
  command.require_command();
  add_equation(command, "poisson", "-laplacian(u) = f", chosen);
  add_equation(command, "helmholtz", "C u - laplacian(u) = f", chosen);
}

}  // namespace shardfft::cli
