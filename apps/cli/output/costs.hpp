// What runs of a plan cost over all ranks, and how that is told to people and programs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "shardfft/plan.hpp"

namespace shardfft::cli {

using Json = nlohmann::ordered_json;

/// One run: times of the slowest rank, so that steps and the rest add up; bytes and messages of all ranks together.
struct RunCost {
  double seconds = 0;
  std::vector<StepReport> steps{};
  [[nodiscard]] double waiting() const;  ///< for peers, in exchanges
  [[nodiscard]] double rest() const;     ///< in no step: before the first one and between them
};
/// Collective. `seconds` and `steps` of this rank.
[[nodiscard]] RunCost cost_over_ranks(const Comm& comm, double seconds, const std::vector<StepReport>& steps);

/// Seconds of several runs.
struct Spread {
  double min = 0, median = 0, max = 0;
};
[[nodiscard]] Spread spread(std::vector<double> seconds);
[[nodiscard]] Spread total_spread(const std::vector<RunCost>& runs);
/// Spread of step `i` over runs of one plan and direction.
[[nodiscard]] Spread step_spread(const std::vector<RunCost>& runs, std::size_t i);
[[nodiscard]] Json to_json(const Spread& s);

/// Whether all the time of a step is waiting for peers.
[[nodiscard]] bool waits(const StepReport& step);

/// Labels of the steps, made distinct: a second "copy" becomes "copy (2)".
[[nodiscard]] std::vector<std::string> distinct_labels(const std::vector<StepReport>& steps);
/// {"sweep axes 2 1": {min, median, max}, ...}
[[nodiscard]] Json phases_json(const std::vector<RunCost>& runs);

/// Sums over the steps of one run.
[[nodiscard]] StepReport total_of(const RunCost& run);

/// Collective. Throws Error(out_of_memory) where there is no room for `arrays` bytes of this rank and for what the plan
/// takes beside them. `remedy`: "use more nodes".
void require_room(const Plan& plan, Index arrays, const std::string& remedy);

/// Most memory that any rank has held so far, in bytes: its peak of resident memory, in which pages that n processes
/// map count as an n-th. Collective.
[[nodiscard]] Index peak_memory(const Comm& comm);
/// Nominal Gflop/s: 5 n log2(n) for each complex 1-D transform, half for real ones.
[[nodiscard]] double nominal_gflops(const Problem& problem, double seconds);
/// 5 N log2(n), n the product of the transformed lengths, N of all; half for real transforms.
[[nodiscard]] double nominal_flops(const Problem& problem);

/// After a measured error: what the run promised, and above what verifying calls it wrong.
[[nodiscard]] std::string bounds_text(double promised, double verify_limit);

/// What the plan says of itself.
[[nodiscard]] Json description_of(const Plan& plan);
/// Collective. The same, with the threads of all ranks: `threads` is the most that a rank has, `threads_least` the
/// least.
[[nodiscard]] Json description_over_ranks(const Plan& plan);
/// Collective. Puts these two into `description`, where `mine` is the number of this rank.
void add_threads(const Comm& comm, Json& description, Index mine);
/// "2 threads each", or "1 to 2 threads each" where ranks have different numbers.
[[nodiscard]] std::string threads_text(const Json& description);
/// "notice: ..." lines about what was asked or hoped for but not possible here, such as a full /dev/shm; empty when
/// there are none.
[[nodiscard]] std::string notices_text(const Json& description);

/// Rank 0 writes `record` to `file`, or to standard output for "-"; nothing for an empty name. Collective. Throws
/// Error(io_failed).
void write_json(const Comm& comm, const std::string& file, const Json& record);

}  // namespace shardfft::cli
