// What was chosen: plain data, the same on all ranks but for `threads`.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "pipeline/stages.hpp"
#include "planner/choices.hpp"
#include "planner/machine.hpp"
#include "planner/problem.hpp"
#include "transport/transport.hpp"

namespace shardfft {

struct Recipe {
  CheckedProblem problem{};
  Choices choices{};
  Machine machine{};
  Layout space{}, spectrum{};               ///< the caller's two layouts
  std::vector<Stage> analysis{};            ///< stages from space to spectrum; synthesis is the list reversed
  const Engine* engine = nullptr;
  std::vector<const Transport*> transports{};  ///< to be tried in this order
  int threads = 1, tile = 0, chunks = 1;
  bool stream = false;
  double seconds = 0;                       ///< what the model expects of one transform
};

}  // namespace shardfft
