// Short ways to ask the planner.
#pragma once

#include "planner/decide/decompose.hpp"
#include "planner/model/machine.hpp"
#include "planner/model/model.hpp"
#include "support/problems/layouts.hpp"

namespace shardfft::testing {

inline std::vector<int> axes_of(const std::vector<AxisTransform>& order) {
  std::vector<int> axes;
  for (const AxisTransform& axis : order) axes.push_back(axis.axis);
  return axes;
}

inline std::vector<int> axes_of(const std::vector<Stage>& stages) {
  std::vector<int> axes;
  for (const Stage& stage : stages)
    for (const AxisTransform& axis : stage.axes) axes.push_back(axis.axis);
  return axes;
}

/// Changes of owners from one end to the other, by looking at the owners.
inline int exchanges_of(const Layout& from, const std::vector<Stage>& stages, const Layout& to) {
  int n = !from.same_owners(stages.front().in) + !stages.back().out.same_owners(to);
  for (std::size_t i = 1; i < stages.size(); ++i) n += !stages[i - 1].out.same_owners(stages[i].in);
  return n;
}
inline int exchanges_of(const Decomposition& d) { return exchanges_of(d.space, d.stages, d.spectrum); }

/// With a cost of one per exchange.
inline Decomposition fewest_exchanges(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum,
                                      int ranks, const GridRules& rules = {}) {
  const CheckedProblem p = check(problem);
  return decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, ranks, rules, {});
}

/// With the seconds of a model.
inline Decomposition fastest(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum, int ranks,
                             int ranks_per_node = 1, const GridRules& rules = {}) {
  const CheckedProblem p = check(problem);
  const Comm comm = dry_run(ranks, 0, ranks_per_node);
  const Model model{.machine = {}, .comm = &comm, .sharers = ranks_per_node};
  return decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, ranks, rules,
                   {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
}

}  // namespace shardfft::testing
