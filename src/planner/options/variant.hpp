// Settings of all choices that the tuner tries and wisdom remembers.
#pragma once

#include <string>
#include <vector>

#include "planner/options/choices.hpp"
#include "support/tuning.hpp"

namespace shardfft {

/// Whether the tuner would see no difference.
[[nodiscard]] bool operator==(const Tuning& a, const Tuning& b);

/// "native shared_memory slab threads 1 chunks 1 tile 0 fuse 2 intermediate buffers non_temporal all"
[[nodiscard]] std::string to_string(const Tuning& variant);

/// "tile 16, fuse 1": the choices of `variant` that are not those of `other`; empty when there are none.
[[nodiscard]] std::string changes(const Tuning& variant, const Tuning& other);

/// True when every choice that somebody made in `given` is the variant's too.
[[nodiscard]] bool agrees(const Tuning& variant, const Options& given);

/// In how many choices two variants differ; decomposition and grid are one.
[[nodiscard]] int changed_choices(const Tuning& a, const Tuning& b);

/// Fills what nobody chose, `origin` being who chose it now.
void fill_in(Choices& choices, const Tuning& variant, const std::string& origin);

/// "transport mpi_p2p, tile 16": the choices that somebody made, without layouts and threads; empty when nobody did.
[[nodiscard]] std::string given_text(const Options& given);

/// The options with all choices of the tuner left open.
[[nodiscard]] Options left_open(Options given);

}  // namespace shardfft
