// Checkpoints of a flow: its modes as a .npy file, and beside it FILE.json, which names the problem.
#pragma once

#include <string>
#include <vector>

#include "output/costs.hpp"
#include "output/progress.hpp"
#include "shardfft/solvers/navier_stokes.hpp"

namespace shardfft::cli {

/// A state that was written: FILE.json has the last two, so that it fits FILE whenever a run ends.
struct SavedState {
  Index steps = 0;
  double time = 0;
  std::string hash{};
};

class FlowCheckpoint {
 public:
  /// `file`: empty for none. Collective; throws Error(io_failed) where it cannot be written.
  FlowCheckpoint(const Comm& comm, std::string file, int threads);
  /// Collective: the file appears whole or not at all, with the same bytes on any number of ranks.
  void write(const solvers::NavierStokes& flow);
  /// Collective: goes on from `file`. Throws Error where it is damaged or another problem's.
  void restore(const std::string& file, solvers::NavierStokes& flow, Progress& progress);

 private:
  [[nodiscard]] std::string record(const solvers::NavierStokes& flow) const;

  Comm comm_;
  std::string file_;
  int threads_;
  std::vector<SavedState> states_{};
};

/// What makes one flow's state another's: shape, lengths, viscosity, modes, precision.
[[nodiscard]] Json problem_json(const solvers::FlowProblem& problem);

}  // namespace shardfft::cli
