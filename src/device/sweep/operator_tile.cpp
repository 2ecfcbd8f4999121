#include "device/sweep/operator_tile.hpp"

#include <algorithm>

namespace shardfft {

OperatorTile::OperatorTile(const OperatorPass& pass, const Box& box, const std::vector<int>& order, Index at,
                           Index component_bytes)
    : first_(box.lo), at_(at), component_bytes_(component_bytes), components_(static_cast<int>(pass.components_in)) {
  const auto& places = pass.middle->places;
  const Patch& mine =
      *std::find_if(places.begin(), places.end(), [&](const Patch& patch) { return patch.box.contains(box.lo); });
  place_ = mine.offset + offset_between(mine.box.lo, box.lo, mine.strides);
  if (pass.axis >= 0) component_step_ = mine.strides[pass.axis];
  std::fill(std::begin(axis_of_), std::end(axis_of_), -1);
  int axis = RunFormula::axes;
  for (auto a = order.rbegin(); a != order.rend(); ++a) {
    if (*a == pass.axis || box.extent(*a) == 1) continue;
    axis_of_[*a] = --axis;
    extent_[axis] = static_cast<std::uint32_t>(box.extent(*a));
    strides_[axis] = mine.strides[*a];
  }
}

FormulaOperand OperatorTile::placed(const OperatorFormula& f, const OperatorArray& array, std::byte* scratch,
                                    int component) const {
  switch (array.of) {
    case OperatorArray::Of::component:
      return f.component(array, scratch + at_, component_bytes_, component);
    case OperatorArray::Of::beside:
      return f.beside(array, place_, component_step_, component);
    default:
      return f.along(array, first_[array.number], axis_of_[array.number]);
  }
}

void OperatorTile::run(Queue& queue, const OperatorFormula& formula, std::byte* scratch) const {
  RunFormula run = formula.run;
  std::copy(std::begin(extent_), std::end(extent_), run.extent);
  std::copy(std::begin(strides_), std::end(strides_), run.strides);
  for (int component = 0; component < (formula.each ? components_ : 1); ++component) {
    for (int a = 0; a < run.arrays; ++a) run.array[a] = placed(formula, formula.array[a], scratch, component);
    queue.run(run);
  }
}

std::vector<OperatorTile> operator_tiles(const OperatorPass& pass, Box box, const std::vector<int>& order, Index at,
                                         Index component_bytes) {
  if (pass.axis >= 0) box.hi[pass.axis] = box.lo[pass.axis] + 1;
  const auto slowest = std::find_if(order.begin(), order.end(), [&](int a) { return box.extent(a) > 1; });
  if (box.count() <= RunFormula::most_elements || slowest == order.end())
    return {OperatorTile(pass, box, order, at, component_bytes)};
  Box head = box;
  head.hi[*slowest] = box.lo[*slowest] += box.extent(*slowest) / 2;
  std::vector<OperatorTile> all = operator_tiles(pass, head, order, at, component_bytes);
  at += head.count() * pass.element();
  for (OperatorTile& tile : operator_tiles(pass, box, order, at, component_bytes)) all.push_back(tile);
  return all;
}

}  // namespace shardfft
