// In which order a run does the chunks of its steps, written down when the plan is made.
#pragma once

#include <vector>

#include "pipeline/route/route.hpp"

namespace shardfft {

/// One thing to do, or to wait for.
struct Turn {
  enum class Action {
    room,    ///< the exchange that the step writes begins: its readers have read what lay there
    chunk,   ///< what chunk `number` reads is here; it is swept, and sent
    finish,  ///< the exchange that the step reads has ended, and its memory may be written again
    drain,   ///< the peers have read the caller's input
    // Turns of approximate plans:
    look,    ///< at the norm of the caller's input
    budget,  ///< the norm that part `number` of the step needs is known, and with it what its messages may lose
    sum,     ///< the norm that the step has found is summed over all ranks
    result,  ///< look at the norm of the caller's output
    vote,    ///< whether the tolerance holds
  } what = Action::chunk;
  int step = 0, number = 0;
  friend bool operator==(const Turn&, const Turn&) = default;
};

/// `approximate`: with the turns of such plans.
[[nodiscard]] std::vector<Turn> schedule(const std::vector<RouteStep>& steps, bool approximate);

}  // namespace shardfft
