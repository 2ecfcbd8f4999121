// The rules that a layout must keep.
#pragma once

#include "shardfft/layout.hpp"

namespace shardfft {

/// Throws Error(invalid_layout) with the rule that `spec` breaks for an array of shape `global` over `ranks`.
void check_layout(const LayoutSpec& spec, const Shape& global, int ranks);

}  // namespace shardfft
