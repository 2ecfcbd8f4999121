// The caller's arrays and the transform as verify/ takes them.
#include "plan/impl.hpp"

namespace shardfft {

View Plan::Impl::on_host(const View& view, std::size_t bytes, Array& keeper) const {
  if (!recipe.holder() || bytes == 0) return view;
  if (owner_of(view.data).is_host()) return view;
  keeper = Array(bytes);
  home->copy(keeper.data(), view.data, bytes);
  return keeper;
}

LocalArray Plan::Impl::local(const CallerArray& array, const View& view) const {
  LocalArray a{
      .global = array.layout.global(),
      .complex = array.complex,
      .precision = recipe.problem.asked.precision,
      .element_bytes = recipe.problem.moves() ? static_cast<int>(array.element_bytes(recipe.problem.scalar)) : 0,
      .threads = recipe.tuning.threads};
  for (const Patch& patch : array.patches) {
    LocalBox& local = a.boxes.emplace_back(
        LocalBox{patch.box, static_cast<const std::byte*>(view.data) + patch.offset, patch.strides, array.owners});
    for (int axis = 0; axis < local.box.dims(); ++axis) {  // each patch lies in one owner
      local.box.lo[axis] = CyclicMap{a.global[axis], array.owners[axis]}.index(patch.box.lo[axis]);
      local.box.hi[axis] = local.box.lo[axis] + patch.box.extent(axis);
    }
  }
  return a;
}

TransformSpec Plan::Impl::transform(Direction direction, double by) const {
  const bool fwd = direction == Direction::forward;
  const CheckedProblem& p = recipe.problem;
  std::vector<AxisKind> kinds = p.kinds;
  if (fwd != p.analysis_is_forward())
    for (AxisKind& kind : kinds) kind = inverse(kind);
  return {.shape = p.points,
          .axes = p.axes,
          .sign = fwd == p.analysis_is_forward() ? -1 : +1,
          .real = p.real,
          .scale = p.scale(fwd) * by,
          .kinds = std::move(kinds),
          .orthonormal = p.scaling(fwd) == Scaling::orthonormal,
          .modes = p.modes,
          .support = p.support};
}

}  // namespace shardfft
