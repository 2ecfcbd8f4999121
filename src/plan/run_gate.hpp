// Checks before a plan's runs: order of calls, buffers, factors.
#pragma once

#include <cstddef>
#include <vector>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

struct PlanParts;

/// What changes a run beside its direction; the same on all ranks.
struct Variation {
  double factor = 1;
  bool adjoint = false;  ///< the adjoint of the opposite direction's run
  friend bool operator==(const Variation&, const Variation&) = default;
};

class RunGate {
 public:
  /// A run that start() began. done: test() said so, and wait() has not been called.
  enum class Split { none, under_way, done } split = Split::none;

  explicit RunGate(const PlanParts& plan);

  /// Collective, of every run; allocates nothing in the good case. Throws on every rank when a buffer, an operator, a
  /// factor or the order of calls is wrong on any. Returns the access that these buffers allow, as in
  /// Pipeline::start().
  [[nodiscard]] unsigned pass(Direction direction, const View& in, const View& out, const Variation& by,
                              const Operator* f);
  /// That of the last run, on which all ranks have agreed.
  [[nodiscard]] const Variation& variation() const { return variation_; }
  /// The factor of a run on results beside the scaling of its own direction.
  [[nodiscard]] double factor(Direction direction, const Variation& by) const;
  /// Throws Error(invalid_argument) unless results can be multiplied with it beside the plan's own scaling.
  void require_factor(Direction direction, const Variation& by) const;
  /// Whether elements count differently in adjoints (sweep/adjoint_weights.hpp).
  [[nodiscard]] bool weighs_in_adjoints() const;

  /// Collective. Throws on every rank unless `view`, which is only read, holds the input (or output) of forward on all
  /// of them. `otherwise`: the remedy if it holds the other one.
  void require_read(const View& view, bool input_of_forward, const char* name, const char* otherwise) const;
  /// Collective. Throws on every rank unless both arrays of a run are right on all of them.
  void require_both(Direction direction, const View& in, const View& out, const char* call) const;

 private:
  void require_own(Direction direction, const View& in, const View& out, bool adjoint, const Operator* f) const;
  void require_operator(const Operator& f) const;
  void require_adjoint() const;
  void agree_on(Direction direction, const Variation& by);

  const PlanParts& plan_;
  bool never_runs_;  // on ranks of a dry run
  Variation variation_{};
  std::vector<std::byte> words_;  // one per rank
};

}  // namespace shardfft
