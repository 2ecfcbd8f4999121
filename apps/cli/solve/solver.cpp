#include "solve/solver.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "output/link_times.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/error.hpp"
#include "shardfft/files.hpp"
#include "shardfft/version.hpp"

namespace shardfft::cli {

using solvers::PoissonProblem;
using solvers::PoissonReport;

namespace {

/// All numbers of a .npy file, on every rank.
std::vector<double> read_numbers(const Comm& comm, const std::string& path, Progress& progress) {
  const files::File input = files::File::open(comm, path);
  if (input.info().shape.dims() != 1 || product(input.info().shape) == 0 || input.info().type.complex())
    throw Error(Status::invalid_argument,
                fmt::format("--faces is a file of real numbers along one axis; '{}' has {} {}; store these alone", path,
                            to_string(input.info().shape), to_string(input.info().type)));
  std::vector<double> numbers(static_cast<std::size_t>(input.info().shape[0]));
  collectively(comm, [&] {
    const Layout all(slabs(0), input.info().shape, 1);
    input.read({all, 0, f64, false, 1}, reinterpret_cast<std::byte*>(numbers.data()), &progress);
    input.check_unchanged();
  });
  return numbers;
}

double seconds_of(const std::vector<StepReport>& steps) {
  double all = 0;
  for (const StepReport& step : steps) all += step.seconds;
  return all;
}

}  // namespace

Solver::Solver(const Comm& comm, const SolveWords& words, const PoissonProblem& problem, const Options& options) {
  if (is_open(words))
    open_.emplace(comm, solvers::without_ends(problem), options);
  else
    bounded_.emplace(comm, problem, options);
}

Array Solver::make_array() const {
  if (plan().space() != Space::host) return Array(plan().input_bytes());
  return open_ ? open_->make_array() : bounded_->make_array();
}

std::uint64_t Solver::hash(const Array& of_host) const {
  if (plan().space() == Space::host) return plan().hash_input(of_host);
  Array there;
  collectively(plan().comm(), [&] {
    there = plan().make_array(plan().input_bytes());
    plan().copy(of_host, there);
  });
  return plan().hash_input(there);
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

Json record_of(const SolveWords& words, const PoissonProblem& problem, const Plan& plan, const PoissonReport& report,
               std::uint64_t hash) {
  const Comm& comm = plan.comm();
  const Json said = description_of(plan);
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
              {"bytes_before", report.bytes_before},
              {"bytes_after", report.bytes_after},
              {"hash", hash_text(hash)}};
  record["steps"] = steps_json(cost_over_ranks(comm, seconds_of(plan.last_run()), plan.last_run()));
  if (!std::isnan(report.error_bound)) record["error_bound"] = report.error_bound;
  return record;
}

std::string heading(const SolveWords& words, const PoissonProblem& problem, const Comm& comm) {
  const bool open = is_open(words);
  const std::string left = problem.shift == 0 ? "-laplacian(u)" : fmt::format("{:g} u - laplacian(u)", problem.shift);
  return fmt::format("{} = f on {} {}{}, {}, {}, {} on {}\n", left, to_string(problem.shape), words.points,
                     open ? "" : ", order " + words.order, words.boundary, to_string(problem.precision),
                     counted(comm.size(), "rank"), counted(comm.nodes(), "node"));
}

std::string report_text(const PoissonReport& report, std::uint64_t hash) {
  std::string text;
  if (report.bytes_before > 0)
    text += fmt::format("all ranks sent {} instead of {}\n", bytes_text(static_cast<Index>(report.bytes_after)),
                        bytes_text(static_cast<Index>(report.bytes_before)));
  if (report.gauge)
    text += fmt::format(
        "u is unique but for a constant: its mean is 0; the mean of f was dropped: {:.6g}, {:.3g} of its root mean "
        "square\n",
        report.mean, report.compatibility);
  if (!std::isnan(report.error_bound))
    text += fmt::format("error of the transforms at most {:.2e} of the norm of f\n", report.error_bound);
  return text + fmt::format("hash {}\n", hash_text(hash));
}

std::optional<solvers::PoissonEstimate> settle_tolerance(const SolveWords& words, const PoissonProblem& problem,
                                                         Options options, View f, std::optional<Solver>& solver) {
  if (!words.tolerance_auto) return std::nullopt;
  const Comm comm = solver->plan().comm();
  const solvers::PoissonEstimate estimate = solver->estimate(f);
  if (estimate.tolerance > 0) {
    options.tolerance = estimate.tolerance;
    solver.reset();
    solver.emplace(comm, words, problem, options);
  }
  return estimate;
}

std::string estimate_text(const std::optional<solvers::PoissonEstimate>& estimate) {
  if (!estimate) return "";
  if (estimate->tolerance == 0)
    return fmt::format("estimated error of u: {:.1e}; the transforms stay exact\n", estimate->error);
  return fmt::format("estimated error of the finite differences: {:.1e}; tolerance {:.1e}\n", estimate->error,
                     estimate->tolerance);
}

void put_estimate(Json& record, const std::optional<solvers::PoissonEstimate>& estimate) {
  if (estimate) record["estimated_error"] = estimate->error, record["tolerance"] = estimate->tolerance;
}

double timed(const Comm& comm, Progress& progress, const char* stage, const std::function<void()>& work) {
  progress.stage(stage);
  const auto start = std::chrono::steady_clock::now();
  work();
  return all_max(comm, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

}  // namespace shardfft::cli
