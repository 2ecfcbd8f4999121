// Threads as ranks, for callers that a signal may interrupt.
#pragma once

#include <functional>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Runs on_ranks(ranks, body) so that it can be interrupted. The calling thread asks `is_interrupted` about 50 times a
/// second. The first true releases ranks that wait in collective calls, by Error(transport_failed). Ranks that have not
/// ended two seconds later, or at the next true, are left to themselves: `body` must own what it uses. Throws
/// Error(transport_failed) if it was interrupted and no rank threw.
void on_watched_ranks(int ranks, const std::function<void(Comm)>& body, const std::function<bool()>& is_interrupted);

}  // namespace shardfft
