// Tables of double-double complex numbers, many functionals side by side.
#pragma once

#include <cstddef>
#include <vector>

#include "shardfft/box.hpp"
#include "verify/double_double.hpp"

namespace shardfft {

/// One complex number per index and lane. Index i starts at 4 * lanes * i: re.hi, re.lo, im.hi, im.lo, each for all
/// lanes. `lanes` is a multiple of 8, so that it is whole vectors on every machine; lanes beyond those in use are 0.
struct Quads {
  int lanes = 8;
  std::vector<double> values{};

  Quads() = default;
  Quads(Index count, int lane_count) : lanes(lane_count), values(static_cast<std::size_t>(4 * lane_count * count)) {}

  [[nodiscard]] Index count() const { return static_cast<Index>(values.size()) / (4 * lanes); }
  [[nodiscard]] double* at(Index i) { return values.data() + 4 * lanes * i; }
  [[nodiscard]] const double* at(Index i) const { return values.data() + 4 * lanes * i; }
  [[nodiscard]] ComplexDD get(Index i, int lane) const {
    const double* q = at(i) + lane;
    return {{q[0], q[lanes]}, {q[2 * lanes], q[3 * lanes]}};
  }
  void set(Index i, int lane, const ComplexDD& z) {
    double* q = at(i) + lane;
    q[0] = z.re.hi, q[lanes] = z.re.lo, q[2 * lanes] = z.im.hi, q[3 * lanes] = z.im.lo;
  }
};

/// `count` rounded up to whole vectors.
[[nodiscard]] constexpr int whole_lanes(int count) { return (count + 7) / 8 * 8; }

}  // namespace shardfft
