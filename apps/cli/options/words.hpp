// Words of the command line: numbers, extents, axes, kinds. Each throws Error(invalid_argument) with the option's name,
// the rule, what it got, the remedy. Letters are understood in either case.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/problem.hpp"

namespace shardfft::cli {

/// "4G", "500M", "1.5GiB", "1000000": at least 1
[[nodiscard]] Index parse_bytes(const std::string& option, const std::string& text);
/// "256x256x200", or "256^3" for equal ones
[[nodiscard]] Shape parse_extents(const std::string& option, const std::string& text);
/// "0,-1": axes of an array of `dims` dimensions as non-negative numbers, in the order given; empty text means all. At
/// most 4, none twice.
[[nodiscard]] std::vector<int> parse_axes(const std::string& text, int dims);
/// A kind of reals along every axis ("cosine2" and so on, without "fourier"); nothing for other words.
[[nodiscard]] std::optional<AxisKind> real_kind(const std::string& word);
/// "cosine2,sine1,fourier": one for each of `axes` axes, or one word for all of them; empty text means none.
[[nodiscard]] std::vector<AxisKind> parse_kinds(const std::string& text, std::size_t axes);
inline constexpr const char* kinds_help =
    "what is done along each of the axes: fourier, cosine1 to cosine4, sine1 to sine4, hartley; one for all, or one "
    "for "
    "each, as cosine2,sine1,fourier (default: fourier)";
/// Those of a problem, for records.
[[nodiscard]] std::vector<std::string> kind_words(const Problem& problem);
/// Empty text: r2r where `kinds` has no fourier axis and the elements are `real`, else `otherwise`.
[[nodiscard]] Kind parse_kind(const std::string& text, const std::vector<AxisKind>& kinds = {}, bool real = true,
                              Kind otherwise = c2c);
/// With --kind r2c or c2r, the one with a half spectrum: the last fourier one. Axes are all named.
[[nodiscard]] int real_axis(const Problem& problem);
/// "171x128x86", a number for each axis of an array of these extents, 0 for all of it; or one for all transformed axes,
/// of which shorter ones are kept as they are. Empty text: no numbers.
[[nodiscard]] Coord parse_fewer(const std::string& option, const std::string& text, const Shape& shape,
                                const std::vector<int>& axes);
[[nodiscard]] Precision parse_precision(const std::string& text);
[[nodiscard]] Direction parse_direction(const std::string& text);

/// Factors of the forward and of the backward transform.
struct Norm {
  Scaling forward, backward;
};
/// NumPy's and SciPy's words: backward (the inverse is scaled), ortho (orthonormal, ends of cosines and sines
/// weighted), forward (the forward transform is scaled).
[[nodiscard]] Norm parse_norm(const std::string& text);

/// Layouts of input and output.
struct LayoutPair {
  LayoutSpec input, output;
};
/// "natural", "transposed", "pencils", "bricks"
[[nodiscard]] LayoutPair parse_layout_pair(const std::string& text, int dims);

}  // namespace shardfft::cli
