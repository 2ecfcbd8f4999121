#include <span>

#include "support/agree.hpp"
#include "verify/roots.hpp"
#include "verify/spec.hpp"

namespace shardfft {
namespace {

constexpr std::size_t samples_at_once = 32;

/// Row `position` of the transform's matrix along one axis, as weights of the input; one lane per position.
Quads matrix_rows(const TransformSpec& spec, const LocalArray& in, int axis, std::span<const Coord> positions) {
  const Index n = spec.shape[axis], count = in.global[axis];
  Quads rows(count, whole_lanes(static_cast<int>(positions.size())));
  const bool half = is_c2r(spec, in) && is_real_axis(spec, axis);
  const std::vector<ComplexDD> roots = is_transformed(spec, axis) ? roots_of_unity(n, spec.sign) : std::vector<ComplexDD>{};
  for (int l = 0; l < static_cast<int>(positions.size()); ++l) {
    const Index k = positions[static_cast<std::size_t>(l)][axis];
    Index turn = 0;  // j k mod n
    for (Index j = 0; j < count; ++j, turn = (turn + k) % n) {
      if (!roots.empty()) rows.set(j, l, roots[static_cast<std::size_t>(turn)] * DoubleDouble{half ? multiplicity(j, n) : 1.0});
      else if (j == k) rows.set(j, l, {DoubleDouble{1.0}, {}});
    }
  }
  return rows;
}

}  // namespace

std::vector<double> exact_samples(const Comm& comm, const LocalArray& in, const TransformSpec& spec, const std::vector<Coord>& positions) {
  std::vector<double> found;
  const int exponent = exponent_of(largest(comm, in));
  for (std::size_t start = 0; start < positions.size(); start += samples_at_once) {
    const auto some = std::span(positions).subspan(start, std::min(samples_at_once, positions.size() - start));
    Functionals rows;
    rows.energy.resize(static_cast<std::size_t>(spec.shape.dims()));
    collectively(comm, [&] {
      for (int a = 0; a < spec.shape.dims(); ++a) rows.weights.push_back(matrix_rows(spec, in, a, some));
    });
    const Contraction sums = contract(comm, in, rows, -exponent, Arithmetic::double_double);
    for (std::size_t l = 0; l < some.size(); ++l) {
      const ComplexDD z = sums.values[l] * DoubleDouble{spec.scale};
      found.push_back(scaled(z.re, exponent).rounded());
      found.push_back(is_c2r(spec, in) ? 0.0 : scaled(z.im, exponent).rounded());
    }
  }
  return found;
}

}  // namespace shardfft
