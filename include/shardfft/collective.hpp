// What programs of several ranks need beside plans: an error on one rank is an error on all ranks, with the same text,
// and reductions whose bits do not depend on timing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shardfft/comm.hpp"

namespace shardfft {

/// Collective. Runs `work` on this rank. If it throws on any rank, throws the Error of the lowest failing rank on all
/// ranks, with "rank 3: ..." in front unless all failed alike. std::bad_alloc becomes out_of_memory. `work` must not be
/// collective.
void collectively(const Comm& comm, const std::function<void()>& work);

/// Collective. Throws Error(mismatch) on all ranks unless `text` is the same everywhere. The message names `subject`
/// ("problem and options"), the first line that differs, as two ranks have it, and which ranks have which.
void require_same(const Comm& comm, const std::string& subject, const std::string& text);

/// Collective reductions over one number per rank; the same bits on every rank, independent of timing (summed in rank
/// order). The largest of numbers with a NaN among them is NaN.
[[nodiscard]] double all_sum(const Comm& comm, double value);
[[nodiscard]] double all_max(const Comm& comm, double value);
[[nodiscard]] std::int64_t all_max(const Comm& comm, std::int64_t value);
[[nodiscard]] std::int64_t all_sum(const Comm& comm, std::int64_t value);
/// Collective: one number of every rank, in rank order.
[[nodiscard]] std::vector<std::int64_t> all_values(const Comm& comm, std::int64_t value);

/// Collective: the text of rank 0, on every rank.
[[nodiscard]] std::string text_of_first(const Comm& comm, std::string text);

}  // namespace shardfft
