// What a transform in passes will do: found before anything is read.
#pragma once

#include <string>
#include <vector>

#include "files/array_file.hpp"
#include "options/task.hpp"
#include "output/costs.hpp"
#include "passes/choose.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::cli {

struct PassesPlan {
  std::vector<Pass> passes{};
  FileTransform transform;
  Options options{};    ///< of the plan of a tile, but for layouts and order of axes
  bool orders = false;  ///< plans of tiles are told the order of axes
  bool verifies = false;
  Json said{};            ///< of the plan of the whole array, which is never run
  Index bytes = 0;        ///< that each rank may take
  Index piece_bytes = 0;  ///< of one read or write
  Moved moved{};
  Index scratch_bytes = 0;
};

/// Why this transform is not made in passes; empty where it can be.
[[nodiscard]] std::string why_no_passes(const TransformWords& words);

/// Threads that read, and as many that write: requests that the disk has at once.
inline constexpr int disk_threads = 4;

/// Collective, for `bytes` of memory on each rank. Throws Error(out_of_memory) where a ring takes more, on every rank.
[[nodiscard]] PassesPlan plan_passes(const Comm& comm, const TransformWords& words, const Task& task,
                                     const FileLayouts& layouts, const NpyInput& input, Index bytes);

/// What decides over the bits of the result, and the passes, as notes for a run that goes on.
[[nodiscard]] Json identity_of(const PassesPlan& plan, const TransformWords& words, const NpyInput& input);
[[nodiscard]] Json passes_json(const PassesPlan& plan);
/// Takes the passes that were noted. False where they need more memory than there is now.
[[nodiscard]] bool take_passes(PassesPlan& plan, const Json& noted, const NpyInput& input);

/// Options of the plan of a tile, which lies as given before the pass, in memory of that order of axes.
[[nodiscard]] Options tile_options(const PassesPlan& plan, const Pass& pass, const std::vector<int>& order);

}  // namespace shardfft::cli
