// Threads as ranks, with emulated nodes.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// As on_ranks(ranks, body), but every `ranks_per_node` consecutive ranks say that they are on a node of their own. For
/// testing, on one machine, what depends on nodes.
void on_ranks(int ranks, int ranks_per_node, const std::function<void(Comm)>& body);

/// Collective, for groups of kind "threads" or "local": what every rank passed, in rank order, owned by all of them.
[[nodiscard]] std::vector<std::shared_ptr<const void>> shared_by_all(const Comm& comm,
                                                                     const std::shared_ptr<const void>& mine);

}  // namespace shardfft
