// One setting of all free choices, as plain data: what the tuner tries and wisdom remembers.
#pragma once

#include <string>
#include <vector>

#include "planner/options/choices.hpp"

namespace shardfft {

/// Every field as in Options; the planner's own choice (0, -1, "") is allowed in `threads` (all that the rank has),
/// `tile` (each sweep's own), `streams` (where no device transforms), and in `decomposition` and
/// `ranks_grid` together (the model's path through all layouts).
struct Variant {
  std::string engine{}, transport{}, decomposition{};
  Coord ranks_grid{};
  int threads = 0, chunks = 1, tile = 0, fuse = 2, streams = 0;
  Intermediate intermediate = Intermediate::buffers;
  NonTemporal non_temporal = NonTemporal::none;
  friend bool operator==(const Variant&, const Variant&) = default;
};

/// "native shared_memory slab threads 1 chunks 1 tile 0 fuse 2 intermediate buffers non_temporal all"
[[nodiscard]] std::string to_string(const Variant& variant);

/// True when every choice that somebody made in `given` is the variant's too.
[[nodiscard]] bool agrees(const Variant& variant, const Options& given);

/// In how many choices two variants differ; decomposition and grid are one.
[[nodiscard]] int changed_choices(const Variant& a, const Variant& b);

/// Fills what nobody chose, `origin` being who chose it now.
void fill_in(Choices& choices, const Variant& variant, const std::string& origin);

/// "transport mpi_p2p, tile 16": the choices that somebody made, without layouts and threads; empty when nobody did.
[[nodiscard]] std::string given_text(const Options& given);

/// The options with all choices of the tuner left open.
[[nodiscard]] Options left_open(Options given);

}  // namespace shardfft
