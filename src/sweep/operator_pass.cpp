#include "sweep/operator_pass.hpp"

#include <algorithm>

#include "grid/cyclic_axis.hpp"

namespace shardfft {

// Indices along an axis that is ordered by owner are no neighbours: rows lie along others.
std::vector<int> OperatorPass::plane_order(int dims) const {
  std::vector<int> order;
  for (int a = 0; a < dims; ++a)
    if (a != axis) order.push_back(a);
  std::stable_partition(order.begin(), order.end(), [&](int a) { return middle->owners[a] > 1; });
  if (axis >= 0) order.insert(order.begin(), axis);
  return order;
}

Index OperatorPass::element() const { return (middle->precision == f32 ? 4 : 8) * (middle->complex ? 2 : 1); }

// The last axis of plane_order() that has neighbours; axes of one element do not end a row.
int OperatorPass::row_axis(const Box& box, const Coord& strides) const {
  int last = -1;
  for (int a = box.dims() - 1; a >= 0; --a) {
    if (a == axis || middle->owners[a] > 1) continue;
    if (last < 0) last = a;
    if (strides[a] != element()) break;
    if (box.extent(a) > 1) return a;
  }
  return last;
}

void OperatorPass::run(const Operator& f, const Box& box, std::byte* plane, const Coord& strides) const {
  const Patch& mine = *std::find_if(middle->places.begin(), middle->places.end(),
                                    [&](const Patch& patch) { return patch.box.contains(box.lo); });
  Modes modes{.axis = row_axis(box, strides),
              .components_in = static_cast<int>(components_in),
              .components_out = static_cast<int>(components_out),
              .precision = middle->precision,
              .complex = middle->complex};
  modes.first = box.lo;
  modes.count = box.extent(modes.axis);
  modes.step = mine.strides[modes.axis];
  modes.component_step = axis >= 0 ? mine.strides[axis] : 0;
  modes.component_bytes = axis >= 0 ? strides[axis] : 0;
  for (std::size_t a = 0; a < middle->wave.size(); ++a) modes.wave[a] = middle->wave[a].data();
  const auto rows_along = [&](int a) { return a == axis || a == modes.axis ? 1 : box.extent(a); };
  Index rows = 1;
  for (int a = 0; a < box.dims(); ++a) rows *= rows_along(a);
  Coord at = box.lo;
  for (Index row = 0; row < rows; ++row) {
    modes.data = plane;
    modes.place = mine.offset;
    for (int a = 0; a < box.dims(); ++a) {
      modes.data += (at[a] - box.lo[a]) * strides[a];
      modes.place += (at[a] - mine.box.lo[a]) * mine.strides[a];
      if (const Index owners = middle->owners[a]; owners > 1)
        modes.first[a] =
            CyclicMap{static_cast<Index>(middle->wave[static_cast<std::size_t>(a)].size()), owners}.index(at[a]);
      else
        modes.first[a] = at[a];
    }
    f.run(f.self.get(), modes);
    for (int a = box.dims() - 1; a >= 0; --a) {
      if (rows_along(a) == 1) continue;
      if (++at[a] < box.hi[a]) break;
      at[a] = box.lo[a];
    }
  }
}

}  // namespace shardfft
