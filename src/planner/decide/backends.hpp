// Which engine computes, and which transports may serve.
#pragma once

#include <string>
#include <vector>

#include "planner/model/model.hpp"
#include "shardfft/comm.hpp"
#include "transport/transport.hpp"

namespace shardfft {

struct Engine;
class RankDevice;

/// The engine of that name; "": the library's own. Throws Error(unsupported).
[[nodiscard]] const Engine* choose_engine(const std::string& wanted);
/// The engine of a device: "fused", where its sweeps are one kernel each, or by default "library", its vendor's. Throws
/// Error(unsupported).
[[nodiscard]] std::string choose_on_device(const std::string& wanted, const RankDevice& device, bool holds_arrays);
/// Best first. A forced one stands alone, but for its fallback; one that is only wanted comes first. Throws
/// Error(unsupported).
[[nodiscard]] std::vector<const Transport*> choose_transports(const Comm& comm, const std::string& wanted, bool forced,
                                                              const RankDevice* holder);
/// Empty when `transport` can serve these ranks, whose arrays `holder` holds (nullptr: the host); else the reason, one
/// line for people. Local.
[[nodiscard]] std::string why_not(const Transport& transport, const Comm& comm, const RankDevice* holder);

/// Whether each rank stores to the memory of all others. Every rank answers alike.
[[nodiscard]] bool stores_everywhere(const Comm& comm, const Transport& transport);
/// Ranks whose memory this rank stores to directly when `transport` serves the plan.
[[nodiscard]] bool is_near(const Comm& comm, const Transport& transport, int peer);
/// What the model takes an exchange by `transport` for.
[[nodiscard]] Path path_of(const Comm& comm, const Transport& transport);
/// In words; empty on devices, whose ways it knows one by one.
[[nodiscard]] std::string priced_as(const Comm& comm, const Transport& transport);

/// How many ranks of this rank's node come before it: which device is its own.
[[nodiscard]] int rank_on_node(const Comm& comm);

}  // namespace shardfft
