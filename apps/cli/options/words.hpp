// Words of the command line: numbers, extents, axes, kinds. Each throws Error(invalid_argument) with the option's name,
// the rule, what it got, the remedy. Letters are understood in either case.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::cli {

/// "256x256x200"
[[nodiscard]] Shape parse_extents(const std::string& option, const std::string& text);
/// "0,-1": axes of an array of `dims` dimensions as non-negative numbers, in the order given; empty text means all. At
/// most 4, none twice.
[[nodiscard]] std::vector<int> parse_axes(const std::string& text, int dims);
[[nodiscard]] Kind parse_kind(const std::string& text);
[[nodiscard]] Precision parse_precision(const std::string& text);
[[nodiscard]] Direction parse_direction(const std::string& text);

/// Factors of the forward and of the backward transform.
struct Norm {
  Scaling forward, backward;
};
/// NumPy's words: backward (the inverse is scaled), ortho, forward (the forward transform is scaled).
[[nodiscard]] Norm parse_norm(const std::string& text);

/// Layouts of input and output.
struct LayoutPair {
  LayoutSpec input, output;
};
/// "natural", "transposed", "pencils", "bricks"
[[nodiscard]] LayoutPair parse_layout_pair(const std::string& text, int dims);

}  // namespace shardfft::cli
