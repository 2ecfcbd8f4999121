// shardfft solve --manufactured: how far u is from a known solution, on two grids.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "options/words.hpp"
#include "output/side_files.hpp"
#include "output/table.hpp"
#include "shardfft/collective.hpp"
#include "shardfft/elements.hpp"
#include "shardfft/error.hpp"
#include "shardfft/solvers/known_solution.hpp"
#include "solve/refuse.hpp"
#include "solve/solver.hpp"

namespace shardfft::cli {
namespace {

using solvers::PoissonProblem;
using solvers::PoissonReport;
using solvers::Position;

/// A solution and its right-hand side.
struct Known {
  std::function<double(const Position&)> u, f;
};

/// A Gaussian in the middle of the box, of mass 1, and its potential; 0.07 of the shortest length wide.
Known gaussian_in(const PoissonProblem& problem) {
  const int dims = problem.shape.dims();
  Position centre{};
  double shortest = 0;
  for (int a = 0; a < dims; ++a) {
    const auto at = static_cast<std::size_t>(a);
    const double length = !problem.spacing.empty()  ? problem.spacing[at] * static_cast<double>(problem.shape[a])
                          : problem.lengths.empty() ? 1
                                                    : problem.lengths[at];
    centre[at] = length / 2;
    shortest = shortest == 0 ? length : std::min(shortest, length);
  }
  const double pi = std::numbers::pi, sigma = 0.07 * shortest;
  const auto squared = [centre](const Position& x) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) sum += (x[a] - centre[a]) * (x[a] - centre[a]);
    return sum;
  };
  const auto f = [=](const Position& x) {
    return std::exp(-squared(x) / (2 * sigma * sigma)) / std::pow(2 * pi * sigma * sigma, dims / 2.0);
  };
  const auto u = [=](const Position& x) {
    const double r2 = squared(x), t2 = r2 / (2 * sigma * sigma);
    if (dims == 3)
      return r2 == 0 ? 1 / (std::sqrt(2 * pi) * 2 * pi * sigma) : std::erf(std::sqrt(t2)) / (4 * pi * std::sqrt(r2));
    return r2 == 0 ? (std::numbers::egamma - std::log(2 * sigma * sigma)) / (4 * pi)
                   : (std::expint(-t2) - std::log(r2)) / (4 * pi);
  };
  return {u, f};
}

Known known_of(const SolveWords& words, const PoissonProblem& problem) {
  if (is_open(words)) return gaussian_in(problem);
  const auto known = std::make_shared<const solvers::KnownSolution>(problem);
  return {[known](const Position& x) { return known->u(x); }, [known](const Position& x) { return known->f(x); }};
}

/// Errors of u relative to the known solution, up to a constant if nothing fixes it.
struct Errors {
  double l2 = 0, largest = 0;
};

template <class T>
Errors errors_of(const Solver& solver, const Known& known, std::span<const T> u, bool gauge) {
  const Comm& comm = solver.plan().comm();
  const auto for_all = [&](const auto& visit) {  // (error, exact)
    for_each_element(solver.plan().input(), comm.rank(), [&](const Coord& at, std::size_t i) {
      const double exact = known.u(solver.position(at));
      visit(static_cast<double>(u[i]) - exact, exact);
    });
  };
  double mean = 0, squares = 0, size = 0, worst = 0, tallest = 0;
  if (gauge) {
    for_all([&](double error, double) { mean += error; });
    mean = all_sum(comm, mean) / static_cast<double>(product(solver.plan().input().global()));
  }
  for_all([&](double error, double exact) {
    squares += (error - mean) * (error - mean), size += exact * exact;
    worst = std::max(worst, std::abs(error - mean)), tallest = std::max(tallest, std::abs(exact));
  });
  return {std::sqrt(all_sum(comm, squares) / all_sum(comm, size)), all_max(comm, worst) / all_max(comm, tallest)};
}

struct Tried {
  Errors error{};
  double seconds = 0, spacing = 0;
  PoissonReport report{};
  std::uint64_t hash = 0;
  std::optional<solvers::PoissonEstimate> estimate{};
  Json record{};
};

double largest_spacing(const Solver& solver, const PoissonProblem& problem) {
  const Coord first = Coord::filled(problem.shape.dims(), 0);
  double largest = 0;
  for (int a = 0; a < problem.shape.dims(); ++a) {
    Coord next = first;
    next[a] = 1;
    const auto axis = static_cast<std::size_t>(a);
    if (problem.shape[a] > 1 && a != problem.stretched)
      largest = std::max(largest, solver.position(next)[axis] - solver.position(first)[axis]);
  }
  return largest;
}

template <class T>
Tried try_known(const Comm& comm, const SolveWords& words, PoissonProblem problem, const Options& options) {
  problem.project = true;  // f is compatible but for what the points do not see
  std::optional<Solver> solver(std::in_place, comm, words, problem, options);
  const Known known = known_of(words, problem);
  Array f, u;
  collectively(comm, [&] {
    f = solver->make_array(), u = solver->make_array();
    for_each_element(solver->plan().input(), comm.rank(), [&](const Coord& at, std::size_t i) {
      f.as<T>()[i] = static_cast<T>(known.f(solver->position(at)));
    });
  });
  Tried tried;
  Progress quiet(false);
  tried.estimate = settle_tolerance(words, problem, options, f, solver);
  tried.seconds = timed(comm, quiet, "solving", [&] { tried.report = solver->solve(f, u); });
  tried.error = errors_of<T>(*solver, known, std::as_const(u).as<T>(), tried.report.gauge);
  tried.hash = solver->hash(u);
  tried.record = record_of(words, problem, solver->plan(), tried.report, tried.hash);
  tried.spacing = largest_spacing(*solver, problem);
  put_estimate(tried.record, tried.estimate);
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

}  // namespace

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
  const double order = std::log(coarse.error.l2 / fine.error.l2) / std::log(coarse.spacing / fine.spacing);
  const bool has_order = !is_open(words) && problem.scheme != solvers::Scheme::spectral;
  if (comm.rank() == 0 && !words.quiet && words.json != "-")
    fmt::print("{}solved in {}\nrelative error {:.2e} (L2), {:.2e} (largest); on {} {:.2e} (L2){}\n{}",
               heading(words, problem, comm), seconds_text(fine.seconds), fine.error.l2, fine.error.largest,
               to_string(fewer), coarse.error.l2, has_order ? fmt::format("; observed order {:.2f}", order) : "",
               estimate_text(fine.estimate) + report_text(fine.report, fine.hash));
  Json record = fine.record;
  record["error"] = fine.error.l2;
  record["error_max"] = fine.error.largest;
  record["coarse"] = {{"shape", std::vector<Index>(fewer.begin(), fewer.end())}, {"error", coarse.error.l2}};
  if (has_order) record["order_observed"] = order;
  record["seconds"] = {{"solving", fine.seconds}};
  write_json(comm, words.json, record);
  return 0;
}

}  // namespace shardfft::cli
