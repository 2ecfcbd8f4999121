#include "sweep/adjoint_weights.hpp"

namespace shardfft {

// <A x, y> counts each element of the half spectrum y once, the transform back to reals all but the ends twice. Halving
// all, with doubled ends, is as good as halving all but the ends.
AdjointWeights adjoint_weights(const AxisTransform& axis, const AxisTransform* other) {
  const AxisTransform& real = other ? *other : axis;
  const bool to_reals = real.transform == Transform1d::c2r;
  if (!to_reals && real.transform != Transform1d::r2c) return {};
  AdjointWeights w;
  (to_reals ? w.before : w.after) = to_reals ? 2 : 0.5;
  w.all = to_reals ? 0.5 : 2;
  const Index n = other ? axis.whole : axis.n;
  const auto add = [&](Index k) {
    w.elements.push_back(other ? AdjointWeights::Element{k / other->n, k % other->n} : AdjointWeights::Element{k});
  };
  add(0);
  if (n % 2 == 0) add(n / 2);
  if (!other) return w;
  w.other = other->axis;
  w.other_map = {other->n / 2 + 1, to_reals ? other->owners_in : other->owners_out};
  return w;
}

}  // namespace shardfft
