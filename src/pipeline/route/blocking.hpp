// How the sweeps around encoded exchanges go over the array, and how these exchanges cut their pieces. Index arithmetic
// only.
#pragma once

#include "pipeline/route/route.hpp"

namespace shardfft {

/// Whether exchange `e` is encoded on some rank.
[[nodiscard]] bool is_encoded(const PipelineSpec& spec, const ExchangeSpec& e);

/// Fills in `units` and `measures_norm` of the steps and codec, type and blocking of the exchanges; exchange k lies
/// between steps k and k + 1. The same on all ranks.
void plan_blocking(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges);

}  // namespace shardfft
