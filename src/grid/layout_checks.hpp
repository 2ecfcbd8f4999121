// The rules that a layout must keep.
#pragma once

#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// A box of a custom layout, and whose it is.
struct Owned {
  Box box{};
  int rank = 0;
};
/// Throws Error(invalid_layout) where two of these boxes, all inside an array of shape `global`, share an element.
/// Returns how many pairs it compared.
Index check_overlaps(std::vector<Owned> all, const Shape& global);

/// `spec` with its axis counted from the front if it is one of `dims` axes counted from the end; else unchanged.
[[nodiscard]] LayoutSpec counted_from_front(LayoutSpec spec, int dims);

/// `spec` counted from the front. Throws Error(invalid_layout) with the rule that `spec` breaks for an array of shape
/// `global` over `ranks`.
void check_layout(const LayoutSpec& spec, const Shape& global, int ranks);

}  // namespace shardfft
