// What a transform does beside itself where it runs as the adjoint of the opposite one. Both are the same matrix, up to
// conjugation, but for elements that stand for more of them than one: those of a half spectrum stand for two each, but
// for the ones at its ends, and so do those of cosines and sines but for their ends.
#pragma once

#include <vector>

#include "engine/axis_transform.hpp"
#include "grid/cyclic_axis.hpp"

namespace shardfft {

/// Factors that are powers of two: nothing is rounded; roots of two beside matrices that are orthonormal one way only.
struct AdjointWeights {
  struct Element {
    Index k = 0;       ///< of a pencil
    Index other = -1;  ///< of pencils with this index along the other half of a split axis; -1: of all
  };
  std::vector<Element> elements{};
  double before = 1, after = 1;  ///< on those elements, of what is read, and of what is computed
  double all = 1;                ///< on all results
  int other = -1;                ///< axis of the other half, and its order by owner
  CyclicMap other_map{};
};

/// Weights of the adjoint of a transform along `axis`; most need none. If `axis` is half of a split axis, `other` is
/// the other half. The half along which the spectrum is whole has weights if the other one is real. Further kinds of
/// transforms get their case here.
[[nodiscard]] AdjointWeights adjoint_weights(const AxisTransform& axis, const AxisTransform* other);

}  // namespace shardfft
