// What bench says of what it measured.
#pragma once

#include <string>

#include "bench/measure.hpp"
#include "output/side_files.hpp"

namespace shardfft::cli {

/// A table of steps, then a line each for the limit, the model, losses, errors and the hash.
/// `said`: of the plan, over all ranks.
[[nodiscard]] std::string bench_summary(const Plan& plan, const Json& said, const BenchResult& result);
/// One line: what one would compare.
[[nodiscard]] std::string bench_brief(const BenchResult& result);
/// All of it, for --json.
[[nodiscard]] Json bench_record(const Plan& plan, const Json& said, const BenchWords& words, const Options& options,
                                const BenchResult& result);

}  // namespace shardfft::cli
