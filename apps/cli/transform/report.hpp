// What transform says of what it did.
#pragma once

#include <cstdint>
#include <string>

#include "options/task.hpp"
#include "output/costs.hpp"
#include "shardfft/files.hpp"
#include "shardfft/shardfft.hpp"
#include "transform/parts_clock.hpp"

namespace shardfft::cli {

/// What a transform of a file took, and what is known of its result.
struct TransformOutcome {
  RunCost cost{};
  bool verified = false;
  Verdict verdict{};
  double promised = 0;  ///< what the run lost at most, relative
  std::uint64_t hash = 0;
};

/// What was asked, of whom, and how long the parts took; the same for people, without times. `said`: by the plan,
/// over all ranks.
[[nodiscard]] Json heading_record(const TransformWords& words, const files::ArrayInfo& input, const Task& task,
                                  const Comm& comm, const Json& said, const PartsClock& clock);
[[nodiscard]] std::string heading(const TransformWords& words, const files::ArrayInfo& input, const Task& task,
                                  const Comm& comm, const Json& said);

/// Names and shapes, a table of the parts and the steps, then errors and the hash.
[[nodiscard]] std::string transform_summary(const TransformWords& words, const files::ArrayInfo& input,
                                            const Task& task, const Comm& comm, const Json& said,
                                            const PartsClock& clock, const TransformOutcome& outcome);
/// All of it, for --json. `peak`: bytes of memory.
[[nodiscard]] Json transform_record(const TransformWords& words, const files::ArrayInfo& input, const Task& task,
                                    const Comm& comm, const Json& said, const PartsClock& clock,
                                    const TransformOutcome& outcome, Index peak);

}  // namespace shardfft::cli
