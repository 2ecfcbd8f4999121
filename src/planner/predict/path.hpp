// The steps of a recipe's analysis, each with its price.
#pragma once

#include <vector>

#include "planner/decide/recipe.hpp"
#include "planner/model/model.hpp"

namespace shardfft {

/// A sweep, a copy or an exchange of the path that decompose() found.
struct PathStep {
  enum class What { sweep, more_of_sweep, copy, exchange, stays } what = What::stays;
  AxisTransform axis{};      ///< of a sweep
  bool short_lines = false;  ///< more_of_sweep: in planes without the fast axis
  double elements = 0;       ///< of a sweep or copy: of the rank that has most
  double bytes = 0;          ///< of an element
  Layout from{}, to{};       ///< of an exchange
  [[nodiscard]] bool changes_owners() const { return what == What::exchange; }
};

/// From the caller's space to the spectrum.
[[nodiscard]] std::vector<PathStep> path_steps(const Recipe& recipe);
/// `sent`: of an exchange, instead of what the model counts; nullptr: that. The sum over a path is Recipe::seconds.
[[nodiscard]] double seconds_of(const PathStep& step, const Model& model, const Sent* sent = nullptr);

}  // namespace shardfft
