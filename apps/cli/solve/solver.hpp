// Solvers as the commands of `solve` use them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "output/costs.hpp"
#include "output/progress.hpp"
#include "shardfft/solvers/open_poisson.hpp"
#include "solve/solve_words.hpp"

namespace shardfft::cli {

/// One of the solvers, as the words say.
class Solver {
 public:
  /// Collective.
  Solver(const Comm& comm, const SolveWords& words, const solvers::PoissonProblem& problem, const Options& options);

  [[nodiscard]] const Plan& plan() const { return open_ ? open_->plan() : bounded_->plan(); }
  /// An array of the host.
  [[nodiscard]] Array make_array() const;
  [[nodiscard]] std::uint64_t hash(const Array& of_host) const;
  [[nodiscard]] solvers::Position position(const Coord& at) const {
    return open_ ? open_->position(at) : bounded_->position(at);
  }
  solvers::PoissonEstimate estimate(View f) { return bounded_->estimate(f); }
  solvers::PoissonReport solve(View f, View u) { return open_ ? open_->solve(f, u) : bounded_->solve(f, u); }

 private:
  std::optional<solvers::Poisson> bounded_{};
  std::optional<solvers::OpenPoisson> open_{};
};

/// Collective: with faces from their file.
[[nodiscard]] solvers::PoissonProblem problem_of(const Comm& comm, const SolveWords& words, const Shape& shape,
                                                 Precision precision, Progress& progress);

/// What was asked, in one line; what was found, in some; and both for programs.
[[nodiscard]] std::string heading(const SolveWords& words, const solvers::PoissonProblem& problem, const Comm& comm);
[[nodiscard]] std::string report_text(const solvers::PoissonReport& report, std::uint64_t hash);
[[nodiscard]] Json record_of(const SolveWords& words, const solvers::PoissonProblem& problem, const Plan& plan,
                             const solvers::PoissonReport& report, std::uint64_t hash);

/// Collective. Where --tolerance is auto, `solver` is made anew with the tolerance that its differences deserve with
/// this f. Returns what was estimated.
[[nodiscard]] std::optional<solvers::PoissonEstimate> settle_tolerance(const SolveWords& words,
                                                                       const solvers::PoissonProblem& problem,
                                                                       Options options, View f,
                                                                       std::optional<Solver>& solver);

[[nodiscard]] std::string estimate_text(const std::optional<solvers::PoissonEstimate>& estimate);
void put_estimate(Json& record, const std::optional<solvers::PoissonEstimate>& estimate);

/// Runs `work`; seconds of the slowest rank.
[[nodiscard]] double timed(const Comm& comm, Progress& progress, const char* stage, const std::function<void()>& work);

/// --manufactured; returns the exit status. Collective.
[[nodiscard]] int solve_known(const Comm& comm, const SolveWords& words);

}  // namespace shardfft::cli
