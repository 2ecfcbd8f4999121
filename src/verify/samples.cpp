#include <bit>
#include <cmath>
#include <span>

#include "support/comm/agree.hpp"
#include "verify/kinds/kind_matrix.hpp"
#include "verify/spec.hpp"

namespace shardfft {
namespace {

constexpr std::size_t samples_at_once = 32;

/// Row `position` of the transform's matrix along one axis, as weights of the input; one lane per position. Entry j is
/// e(jk/n) = e((j % base) k/n) e((j - j % base) k/n), and likewise 1 at j = k alone: two digits, so that long axes need
/// no long table.
std::unique_ptr<AxisWeights> matrix_rows(const TransformSpec& spec, const LocalArray& in, int axis,
                                         std::span<const Coord> positions) {
  const Index n = spec.shape[axis], count = in.global[axis];
  const KeptModes modes = modes_of(spec, axis);
  const bool pruned = is_transformed(spec, axis) && is_pruned(spec, axis);
  const Index base =
      n > longest_table && !pruned ? Index{1} << std::bit_width(static_cast<std::uint64_t>(count)) / 2 : count;
  const int lanes = whole_lanes(static_cast<int>(positions.size()));
  DigitTables rows{Quads(base, lanes), Quads((count + base - 1) / base, lanes)};
  const auto fill = [&](Quads& digit, Index place, const auto& entry) {
    for (int l = 0; l < static_cast<int>(positions.size()); ++l)
      for (Index j = 0; j < digit.count(); ++j)
        digit.set(j, l, entry(j * place, positions[static_cast<std::size_t>(l)][axis]));
  };
  if (kind_of(spec, axis) != AxisKind::fourier) {
    std::vector<Index> of_axis;
    for (const Coord& position : positions) of_axis.push_back(position[axis]);
    return row_weights(KindMatrix(kind_of(spec, axis), n, spec.orthonormal), n, of_axis, lanes);
  }
  if (is_transformed(spec, axis)) {
    const RootTable roots(n, spec.sign);
    const auto root = [&](Index j, Index k) { return roots(static_cast<Index>(static_cast<__int128>(j) * k % n)); };
    const auto entry = [&](Index j, Index k) {
      if (!pruned) return root(j, k);
      const bool to_modes = is_analysis(spec);
      const Index place = to_modes ? k : j, point = to_modes ? j : k;
      const ComplexDD one = root(point, modes.index(place));
      if (!modes.folds() || place != modes.middle()) return one;
      return (one + root(point, modes.mirrored())) * DoubleDouble{to_modes ? 1.0 : 0.5};
    };
    fill(rows.low, 1, entry);
    fill(rows.high, base, entry);
  } else {
    fill(rows.low, 1, [&](Index j, Index k) { return ComplexDD{j == k % base ? 1.0 : 0.0, {}}; });
    fill(rows.high, base, [&](Index j, Index k) { return ComplexDD{j == k - k % base ? 1.0 : 0.0, {}}; });
  }
  const Index half_of = is_c2r(spec, in) && is_real_axis(spec, axis) ? modes.modes : 0;
  return base == count ? kept_weights(std::move(rows.low), half_of) : digit_weights(std::move(rows), half_of);
}

}  // namespace

std::vector<double> exact_samples(const Comm& comm, const LocalArray& in, const TransformSpec& spec,
                                  const std::vector<Coord>& positions) {
  std::vector<double> found;
  const int exponent = exponent_of(largest(comm, in));
  for (std::size_t start = 0; start < positions.size(); start += samples_at_once) {
    const auto some = std::span(positions).subspan(start, std::min(samples_at_once, positions.size() - start));
    Functionals rows;
    collectively(comm, [&] {
      for (int a = 0; a < spec.shape.dims(); ++a) rows.weights.push_back(matrix_rows(spec, in, a, some));
    });
    const Contraction sums = contract(comm, in, rows, -exponent, Arithmetic::double_double);
    for (std::size_t l = 0; l < some.size(); ++l) {
      const ComplexDD z = sums.values[l] * DoubleDouble{spec.scale};
      found.push_back(std::ldexp(z.re.rounded(), exponent));
      found.push_back(is_c2r(spec, in) ? 0.0 : std::ldexp(z.im.rounded(), exponent));
    }
  }
  return found;
}

}  // namespace shardfft
