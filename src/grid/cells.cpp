#include "grid/cells.hpp"

#include <algorithm>

namespace shardfft {

Cells::Cells(const Box& box, const Coord& steps)
    : box_(box), steps_(steps), first_(steps), counts_(steps), total_(box.empty() ? 0 : 1) {
  for (int a = 0; a < box.dims() && total_ > 0; ++a) {
    first_[a] = box.lo[a] / steps[a];
    counts_[a] = (box.hi[a] - 1) / steps[a] - first_[a] + 1;
    total_ *= counts_[a];
  }
}

Box Cells::cell(Index number) const {
  Box cell = box_;
  for (int a = box_.dims() - 1; a >= 0; --a) {
    const Index at = (first_[a] + number % counts_[a]) * steps_[a];
    cell.lo[a] = std::max(box_.lo[a], at);
    cell.hi[a] = std::min(box_.hi[a], at + steps_[a]);
    number /= counts_[a];
  }
  return cell;
}

Index Cells::number_of(const Coord& at) const {
  Index number = 0;
  for (int a = 0; a < box_.dims(); ++a) number = number * counts_[a] + at[a] / steps_[a] - first_[a];
  return number;
}

Shape Cells::largest() const {
  Shape shape = steps_;
  for (int a = 0; a < box_.dims(); ++a) shape[a] = std::min(steps_[a], box_.extent(a));
  return shape;
}

}  // namespace shardfft
