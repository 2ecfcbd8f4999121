// Runs a transform in passes: tiles are read, transformed and written at once, by all ranks in turn.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "passes/journal.hpp"
#include "passes/plan.hpp"
#include "passes/scratch.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

/// What lies between the passes, one less than these.
using Scratches = std::vector<std::unique_ptr<Scratch>>;
/// Collective: in these folders, or in files beside `out`; of a run before, if `keeper` goes on from that. Throws
/// Error(io_failed) on every rank.
[[nodiscard]] Scratches make_scratches(const Comm& comm, const PassesPlan& plan, const std::string& out,
                                       const std::vector<std::string>& folders, Journal* keeper);

/// The ends of a run: a file and what becomes of its result, one of the two.
struct Ends {
  const File& in;
  const File* out = nullptr;
  const Visit* visit = nullptr;
};
/// Collective. Writes all of the output; `keeper`, if any, notes tiles, and knows of those that are done. Adds times,
/// hash and verdict to the report. Throws Error(io_failed) on every rank, also where a scratch file does not give back
/// what was written to it.
void run_passes(const Comm& comm, const PassesPlan& plan, const Ends& ends, const Scratches& scratches, Journal* keeper,
                Watcher& watcher, PassesReport& report);

}  // namespace shardfft::files
