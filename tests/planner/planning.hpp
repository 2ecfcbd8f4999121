// Short ways to ask the planner.
#pragma once

#include "planner/decompose.hpp"
#include "planner/machine.hpp"
#include "planner/model.hpp"
#include "support/layouts.hpp"

namespace shardfft::testing {

/// Changes of owners from one end to the other, by looking at the owners.
inline int exchanges_of(const Decomposition& d) {
  int n = !d.space.same_owners(d.stages.front().in) + !d.stages.back().out.same_owners(d.spectrum);
  for (std::size_t i = 1; i < d.stages.size(); ++i) n += !d.stages[i - 1].out.same_owners(d.stages[i].in);
  return n;
}

/// With a cost of one per exchange.
inline Decomposition fewest_exchanges(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum, int ranks,
                                      const GridRules& rules = {}) {
  const CheckedProblem p = check(problem);
  return decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, ranks, rules, {});
}

/// With the seconds of a model.
inline Decomposition fastest(const Problem& problem, const LayoutSpec& space, const LayoutSpec& spectrum, int ranks, int ranks_per_node = 1,
                             const GridRules& rules = {}) {
  const CheckedProblem p = check(problem);
  const Comm comm = dry_run(ranks, 0, ranks_per_node);
  const Model model{.machine = {}, .comm = &comm, .threads = 1, .sharers = ranks_per_node};
  return decompose(p, axis_order(p, space, spectrum, {}), space, spectrum, ranks, rules,
                   {.model = &model, .plane_limit = 1 << 20, .fuse = 2});
}

}  // namespace shardfft::testing
