// Threads as ranks, with emulated nodes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// on_ranks(ranks, body) in which every `ranks_per_node` consecutive ranks claim a node of their own. Tests on one
/// machine use it for what depends on nodes.
void on_ranks(int ranks, int ranks_per_node, const std::function<void(Comm)>& body);

/// Collective, for groups of kind "threads" or "local": what every rank passed, in rank order, owned by all of them.
[[nodiscard]] std::vector<std::shared_ptr<const void>> shared_by_all(const Comm& comm,
                                                                     const std::shared_ptr<const void>& mine);

}  // namespace shardfft
