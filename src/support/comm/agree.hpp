// An error on one rank is an error on all ranks, with the same text: public, and here in one step with what else ranks
// agree on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "shardfft/collective.hpp"  // IWYU pragma: export

namespace shardfft {

/// Collective: each number becomes the largest of all ranks.
void all_max(const Comm& comm, std::span<std::int64_t> numbers);

/// Collective. collectively(), then all_max() of `numbers`, which `work` may set: one agreement.
void collectively(const Comm& comm, std::span<std::int64_t> numbers, const std::function<void()>& work);

/// Collective. collectively(), then require_same() of the text that `work` returns: one agreement.
void collectively_same(const Comm& comm, const std::string& subject, const std::function<std::string()>& work);

}  // namespace shardfft
