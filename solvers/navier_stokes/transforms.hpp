// The plans of a flow: three components between modes and points, together or one by one, or a whole right-hand side.
#pragma once

#include <optional>

#include "shardfft/operators/modes.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::solvers {

/// Seconds since `from`, which becomes now.
[[nodiscard]] double lap(std::int64_t& from_ns);
[[nodiscard]] std::int64_t now_ns();

/// Odd numbers of modes along x, y, z: those that quadratic products leave exact, or as many as there are.
[[nodiscard]] Coord kept_modes(const FlowProblem& problem);

class FlowTransforms {
 public:
  FlowTransforms(const Comm& comm, const FlowProblem& problem, Options options);

  /// Transforms three components, one after the other. The input stays unchanged.
  void backward(const void* modes, void* points, FlowSeconds& seconds);
  void forward(const void* points, void* modes, FlowSeconds& seconds);
  /// Six components of modes become three, by way of their points. Of fused flows.
  void rate(const void* modes, void* rate, const Operator& f, FlowSeconds& seconds);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const Plan& fused() const { return *fused_; }
  [[nodiscard]] bool on_device() const { return plan_.space() != Space::host; }
  [[nodiscard]] const Layout& state_layout() const { return state_; }
  /// Along x, y, z; of this rank.
  [[nodiscard]] Box modes() const;
  [[nodiscard]] Box points() const;
  /// Points from one component to the next: never a power of two, for components are read side by side.
  [[nodiscard]] Index points_apart() const;
  [[nodiscard]] std::string describe() const;

 private:
  void run(Direction direction, const void* in, void* out, FlowSeconds& seconds);
  static void count(const Plan& plan, std::int64_t start_ns, FlowSeconds& seconds);

  Comm comm_;
  int together_;  ///< components in one transform
  std::size_t scalar_;
  Layout state_;
  Plan plan_;
  std::optional<Plan> fused_;
};

}  // namespace shardfft::solvers
