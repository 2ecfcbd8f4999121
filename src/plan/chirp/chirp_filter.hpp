// How a plan whose axis is a convolution (grid/chirped_axis.hpp) gets the spectrum of its chirp.
#pragma once

#include <memory>

#include "plan/chirp/chirp_filters.hpp"
#include "planner/decide/recipe.hpp"
#include "sweep/operator_pass.hpp"

namespace shardfft {

/// Bytes of a rank, in the mean over all.
struct ChirpBytes {
  Index tables = 0;  ///< that its plan keeps
  Index making = 0;  ///< beside them, while they are made
};
[[nodiscard]] ChirpBytes chirp_bytes(const Recipe& recipe, int ranks);

/// What the operator of one direction sees on this rank.
[[nodiscard]] std::shared_ptr<const MiddleArray> middle_of_chirp(const Recipe& recipe, bool analysis, int rank);

/// Collective. Transforms conj(c(j)), -n < j < n, in two dimensions. Each rank keeps what its operators will see: about
/// 4 n elements of all ranks together.
[[nodiscard]] ChirpFilters make_chirp_filters(const Comm& comm, const Recipe& recipe);

}  // namespace shardfft
