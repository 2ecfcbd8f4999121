// Runs a transform in passes: tiles are read, transformed and written at once, by all ranks in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/array_file.hpp"
#include "passes/journal.hpp"
#include "passes/plan.hpp"
#include "passes/scratch.hpp"

namespace shardfft::cli {

/// Seconds of one pass, each of its slowest rank. Reading and writing go on beside the rest.
struct PassTimes {
  double total = 0, reading = 0, transforming = 0, verifying = 0, writing = 0;
};
struct PassesOutcome {
  std::vector<PassTimes> passes{};
  std::uint64_t hash = 0;  ///< of the result
  Verdict verdict{};       ///< sums over the passes of what their worst tiles have
  bool right = true;       ///< whether every tile is within its bound, where they are verified
};

/// What lies between the passes, one less than these.
using Scratches = std::vector<std::unique_ptr<Scratch>>;
/// Collective: in files beside `out`, or in these folders; of a run before, if `keeper` goes on from that. Throws
/// Error(io_failed) on every rank.
[[nodiscard]] Scratches make_scratches(const Comm& comm, const PassesPlan& plan, const std::string& out,
                                       const std::vector<std::string>& folders, Journal* keeper);

/// Collective. Writes all of `output` behind its header; `keeper`, if any, notes tiles, and knows of those that are
/// done. Throws Error(io_failed) on every rank, also where a scratch file does not give back what was written to it.
[[nodiscard]] PassesOutcome run_passes(const Comm& comm, const PassesPlan& plan, const NpyInput& input,
                                       const PartialFile& output, Index header_bytes, const Scratches& scratches,
                                       Journal* keeper, Progress& progress);

}  // namespace shardfft::cli
