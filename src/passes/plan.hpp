// What a transform in passes will do: found before anything is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/file_impl.hpp"
#include "passes/choose.hpp"
#include "passes/journal.hpp"
#include "passes/tile_operator.hpp"
#include "shardfft/files.hpp"
#include "shardfft/plan.hpp"

namespace shardfft::files {

struct PassesPlan {
  std::vector<Pass> passes{};
  FileTransform asked{};
  FileTransform transform{};         ///< what passes do: what was asked, or that in four steps
  std::optional<AxisSplit> split{};  ///< how the plan of the whole array splits its axis
  Options options{};                 ///< of the plan of a tile, but for layouts and order of axes
  bool verifies = false;             ///< the error of each tile is measured
  TileOperator tile_operator{};
  std::string said{};     ///< JSON: of the plan of the whole array, which is never run
  Index bytes = 0;        ///< that each rank may take
  Index piece_bytes = 0;  ///< of one read or write
  Moved moved{};
  Index scratch_bytes = 0;
};

/// Threads that read, and as many that write: requests that the disk has at once.
inline constexpr int disk_threads = 4;

/// Collective. Throws Error(out_of_memory) where a ring takes more than the memory, on every rank.
///   operator_for, of_two  empty, unless `asked` applies one, or combines two arrays by it
[[nodiscard]] PassesPlan plan_passes(const Comm& comm, const FileTransform& asked, const OperatorFor& operator_for,
                                     const TwoSpectra& of_two, const Options& options, const File& in,
                                     const File* second, const OutOfCore& how);

/// What decides over the bits of the result, and the passes, as notes for a run that goes on.
[[nodiscard]] Json identity_of(const PassesPlan& plan, const File& in, const File& out, const OutOfCore& how);
[[nodiscard]] Json passes_json(const PassesPlan& plan);
/// Takes the passes that were noted. False where they need more memory than there is now.
[[nodiscard]] bool take_passes(PassesPlan& plan, const Json& noted, const File& in);

/// The pass in which two arrays meet; as many as there are, if none does.
[[nodiscard]] std::size_t meeting_of(const std::vector<Pass>& passes);

/// Order of the axes of a tile in memory, slowest first.
struct TileOrder {
  std::vector<int> before{}, after{};
};
/// The order in pass `number`; at both ends it is that of the files.
[[nodiscard]] TileOrder order_of_tiles(const PassesPlan& plan, std::size_t number);
/// Options of the plan of a tile.
[[nodiscard]] Options tile_options(const PassesPlan& plan, const Pass& pass, const TileOrder& order);
/// Whether the pass leaves tiles as they are.
[[nodiscard]] bool only_rearranges(const Pass& pass);

}  // namespace shardfft::files
