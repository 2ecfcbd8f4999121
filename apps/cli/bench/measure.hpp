// What bench measures: a plan that runs forward and backward on made-up data, timed and verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/operator_words.hpp"
#include "options/plan_options.hpp"
#include "options/words.hpp"
#include "output/costs.hpp"
#include "output/progress.hpp"
#include "shardfft/programs/limit.hpp"
#include "shardfft/shardfft.hpp"

namespace shardfft::cli {

struct BenchWords {
  ProblemWords problem{};
  ChoiceWords choices{};
  int iterations = 10, warmup = 2, ranks = 0;
  bool quiet = false;
  std::string apply{}, json{}, trace{};
  BoxWords box{};  ///< in which `apply` acts
};

/// What was measured and found.
struct BenchResult {
  std::vector<RunCost> forward{}, backward{}, apply{};
  Verdict forward_verdict{}, backward_verdict{};
  Loss forward_loss{}, backward_loss{};
  std::uint64_t hash = 0;
  Index memory_peak = 0;
  std::optional<Limit> limit{};
  std::string no_limit{};  ///< why it was not measured
  [[nodiscard]] bool right() const { return forward_verdict.ok() && backward_verdict.ok(); }
  [[nodiscard]] double times_limit(const std::vector<RunCost>& runs) const {
    return total_spread(runs).median / limit->seconds();
  }
  [[nodiscard]] double error() const { return std::max(forward_verdict.error_rel_l2, backward_verdict.error_rel_l2); }
  [[nodiscard]] double promised() const { return std::max(forward_loss.bound, backward_loss.bound); }
  [[nodiscard]] double verify_limit() const { return std::max(forward_verdict.bound, backward_verdict.bound); }
};

/// Input and output of a plan, and what is applied; in place they are one array.
class BenchArrays {
 public:
  BenchArrays(const Plan& plan, bool in_place, bool applies);
  Array& in() { return in_; }
  Array& out() { return in_place_ ? in_ : out_; }
  Array& applied() { return in_place_ ? in_ : applied_; }

 private:
  bool in_place_;
  Array in_{}, out_{}, applied_{};
};

/// Collective.
class Bench {
 public:
  Bench(const Comm& comm, const BenchWords& words, Progress& progress);
  [[nodiscard]] BenchResult run();
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  [[nodiscard]] bool applies() const { return !words_.apply.empty(); }
  [[nodiscard]] const Plan& with_room() const;
  void fill();
  void fill(const Layout& layout, bool complex, Array& array);
  [[nodiscard]] Array on_host(const Array& array) const;
  [[nodiscard]] Array copy_of(const Array& array) const;
  template <class Work>
  [[nodiscard]] RunCost timed(Work&& work);
  void time_runs(BenchResult& result);
  void measure_limit_of(BenchResult& result);
  void verify(BenchResult& result);

  const Comm& comm_;
  const BenchWords& words_;
  Progress& progress_;
  Options options_;
  Plan plan_;
  BenchArrays arrays_;
  Operator operator_{};
};

}  // namespace shardfft::cli
