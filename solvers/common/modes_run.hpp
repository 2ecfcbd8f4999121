// Forward, something on modes, backward.
#pragma once

#include <functional>
#include <optional>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::solvers {

/// Runs as one `apply` if plans can apply operators to such modes; else in three steps that store the modes.
class ModesRun {
 public:
  /// Collective. `options.in_place`: f and u may be the same memory. Modes that are stored lie as `options.output`
  /// says.
  ModesRun(const Comm& comm, const Problem& problem, const Options& options, bool store = false);

  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] bool stores() const { return stores_; }
  /// Whether forward() takes one memory for both.
  [[nodiscard]] bool is_in_place() const { return options_.in_place && !stores_; }
  /// Memory for f or u. In place a run needs no room for modes there, as forward() would.
  [[nodiscard]] Array make_field() const { return stores_ ? plan_->make_input() : plan_->make_applied(); }
  /// The layout of the modes that operators see.
  [[nodiscard]] const Layout& layout() const { return stores_ ? plan_->output() : plan_->middle(); }
  [[nodiscard]] bool is_complex() const { return plan_->problem().kind != r2r; }
  [[nodiscard]] int threads() const { return threads_; }

  /// What both transforms of a run lost and sent.
  struct Cost {
    double lost = 0;  ///< at most, relative to the norms of their results
    double bytes_before = 0, bytes_after = 0;
    void add(const Loss& loss) {
      lost += loss.bound, bytes_before += loss.bytes_before, bytes_after += loss.bytes_after;
    }
  };
  /// Forward alone.
  Cost forward(View f, View modes);
  /// Collective. In place where f and u are one memory, and where `in_place` was said u is written over from the start.
  Cost run(View f, View u, const Operator& on_modes);
  /// With `store`: calls `on_modes` with this rank's modes.
  Cost run(View f, View u, const std::function<void(std::byte*)>& on_modes);

 private:
  Options options_;
  std::optional<Plan> plan_{};
  bool stores_ = false;
  int threads_ = 1;
  Array modes_{};
};

}  // namespace shardfft::solvers
