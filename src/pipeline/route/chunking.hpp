// In which chunks exchanges go beside the sweeps around them, and which sweeps take turns part by part. Index
// arithmetic only.
#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "pipeline/route/route.hpp"

namespace shardfft {

/// Chunks of an exchange behind the sweep of `stage` and before that of `next`, or a copy: at most `wanted`.
[[nodiscard]] Chunks choose_chunks(const Layout& from, const Layout& to, const Stage* stage, const Stage* next,
                                   int wanted);

/// Cuts the work in parts if the array stays on its ranks between the first two sweeps or the last two, with an
/// exchange behind or before them. Each part goes through both sweeps. Exchange k lies behind step k.
void cut_in_parts(const PipelineSpec& spec, std::vector<RouteStep>& steps, std::vector<ExchangeSpec>& exchanges);

/// Once the exchanges are final: the chunks and parts in which each step is done.
void chunk_steps(const PipelineSpec& spec, Route& route);

}  // namespace shardfft
