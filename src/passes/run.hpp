// Runs a transform in passes: tiles are read, transformed and written at once, by all ranks in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "passes/journal.hpp"
#include "passes/plan.hpp"
#include "passes/scratch.hpp"
#include "passes/two.hpp"
#include "shardfft/files.hpp"

namespace shardfft::files {

/// What lies between the passes, one less than these; of the second array, between those until the arrays meet. Runs
/// may share the latter, which are written once.
struct Scratches {
  std::vector<std::unique_ptr<Scratch>> first{}, second{};
  std::optional<std::uint64_t> hash_of_second{};  ///< once it is written
};
/// Collective: in these folders, or in files beside `out`; of a run before, if `keeper` goes on from that. Throws
/// Error(io_failed) on every rank.
[[nodiscard]] Scratches make_scratches(const Comm& comm, const PassesPlan& plan, const std::string& out,
                                       const std::vector<std::string>& folders, Journal* keeper);

/// Collective: between the last pass and the first one of another run.
[[nodiscard]] std::unique_ptr<Scratch> make_scratch_of_results(const Comm& comm, const PassesPlan& plan,
                                                               const std::string& out,
                                                               const std::vector<std::string>& folders);

/// The ends of a run: a file, perhaps a second one, and what becomes of the result, one of the three.
struct Ends {
  const File& in;
  const File* out = nullptr;
  const Visit* visit = nullptr;
  const File* second = nullptr;
  const VisitTwo* visit_two = nullptr;
};
/// Collective. Writes all of the output; `keeper`, if any, notes tiles, and knows of those that are done. Adds times,
/// hash and verdict to the report. Throws Error(io_failed) on every rank, also where a scratch file does not give back
/// what was written to it.
void run_passes(const Comm& comm, const PassesPlan& plan, const Ends& ends, Scratches& scratches, Journal* keeper,
                Watcher& watcher, PassesReport& report);

}  // namespace shardfft::files
