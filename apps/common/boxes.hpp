// Where the boxes of a layout lie when they follow each other in memory.
#pragma once

#include <vector>

#include "noise.hpp"
#include "shardfft/layout.hpp"

namespace shardfft::apps {

/// `rank`'s boxes one after the other from `data` on, each in the layout's memory order; elements of `element_bytes`.
[[nodiscard]] std::vector<Part> parts_in_a_row(const Layout& layout, int rank, std::byte* data, Index element_bytes);

}  // namespace shardfft::apps
