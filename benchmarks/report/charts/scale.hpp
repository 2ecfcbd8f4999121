// From values to places on a drawing, and which values to write beside it.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace shardfft::report {

/// Values lo..hi lie between `from` and `to` of the drawing, evenly or by their logarithms.
struct Scale {
  double lo = 0, hi = 1;
  bool log = false;
  double from = 0, to = 1;
  [[nodiscard]] double operator()(double value) const;  ///< values outside are put on the rim
};

/// 0..hi with hi rounded up to a tick, so that no bar touches the rim.
[[nodiscard]] Scale linear_scale(double largest, double from, double to);
/// Covers [smallest, largest] with some room; both above zero.
[[nodiscard]] Scale log_scale(double smallest, double largest, double from, double to);

/// Round values of the scale, at most about `wanted` + 1 of them: multiples of 1, 2 or 5 times a power of ten; on a
/// logarithmic scale, powers of ten, with 2 and 5 between them where there are few, or as on an even scale where there
/// are fewer than two of these.
[[nodiscard]] std::vector<double> ticks(const Scale& scale, int wanted);

/// Those of `ticks` whose labels, as wide as `width` says, keep their distance from each other; all on one line.
[[nodiscard]] std::vector<double> apart(const std::vector<double>& ticks, const Scale& scale,
                                        const std::function<double(double)>& width);

}  // namespace shardfft::report
