#include "sweep/adjoint_weights.hpp"

#include <numbers>

namespace shardfft {
namespace {

// An even number of modes has a place that two frequencies share. Forward adds them there, so its adjoint gives the
// whole value to each, not half. The adjoint of backward takes half of the sum.
AdjointWeights of_shared_place(const AxisTransform& axis) {
  AdjointWeights w;
  if (!axis.kept_modes().folds()) return w;
  (axis.analysis ? w.after : w.before) = axis.analysis ? 0.5 : 2;
  w.elements.push_back({axis.kept_modes().middle()});
  return w;
}

// <A x, y> counts each element of the half spectrum y once, the transform back to reals all but the ends twice. Halving
// all, with doubled ends, is as good as halving all but the ends.
AdjointWeights of_half_spectrum(const AxisTransform& axis, const AxisTransform* other) {
  const bool to_reals = (other ? *other : axis).transform == Transform1d::c2r;
  AdjointWeights w;
  (to_reals ? w.before : w.after) = to_reals ? 2 : 0.5;
  w.all = to_reals ? 0.5 : 2;
  const Index n = other ? axis.whole : axis.n;
  const auto add = [&](Index k) {
    w.elements.push_back(other ? AdjointWeights::Element{k / other->n, k % other->n} : AdjointWeights::Element{k});
  };
  add(0);
  const KeptModes kept = axis.kept_modes();
  if (n % 2 == 0 && axis.modes() == axis.n) add(n / 2);
  if (kept.folds()) add(kept.middle()), add(kept.middle());  // which is an end, and a shared place
  if (!other) return w;
  w.other = other->axis;
  w.other_map = {other->n / 2 + 1, to_reals ? other->owners_in : other->owners_out};
  return w;
}

// Matrices of cosines and sines are symmetric, or each other's transposes, but for columns and rows of the ends that an
// even function stores. Orthonormal ones are; of two of which one is, half of the weight is there already.
AdjointWeights of_kind(const AxisTransform& axis) {
  if (axis.orthonormal && axis.inverse_orthonormal) return {};
  const double weight = axis.orthonormal || axis.inverse_orthonormal ? std::numbers::sqrt2 : 2;
  switch (axis.transform) {
    case Transform1d::cosine1:
      return {.elements = {{0}, {axis.n - 1}}, .before = weight, .after = 1 / weight};
    case Transform1d::cosine2:
      return {.elements = {{0}}, .after = 1 / weight};
    case Transform1d::cosine3:
      return {.elements = {{0}}, .before = weight};
    case Transform1d::sine2:
      return {.elements = {{axis.n - 1}}, .after = 1 / weight};
    case Transform1d::sine3:
      return {.elements = {{axis.n - 1}}, .before = weight};
    default:
      return {};
  }
}

}  // namespace

AdjointWeights adjoint_weights(const AxisTransform& axis, const AxisTransform* other) {
  const Transform1d transform = (other ? *other : axis).transform;
  if (is_r2r(transform)) return of_kind(axis);
  if (transform == Transform1d::c2r || transform == Transform1d::r2c) return of_half_spectrum(axis, other);
  return other ? AdjointWeights{} : of_shared_place(axis);
}

}  // namespace shardfft
