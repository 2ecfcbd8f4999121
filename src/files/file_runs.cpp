#include "files/file_runs.hpp"

#include <numeric>

namespace shardfft::files {

std::vector<int> c_order(int dims) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

FileRuns::FileRuns(const Box& box, const Shape& global, const std::vector<int>& order) {
  Index stride = 1;
  bool together = true;  // all faster axes are covered from end to end, so this one continues the stretch
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const int axis = *it;
    if (together) {
      length_ *= box.extent(axis);
      first_ += box.lo[axis] * stride;
      together = box.extent(axis) == global[axis];
    } else {
      outer_.push_back({box.lo[axis], box.extent(axis), stride});
      count_ *= box.extent(axis);
    }
    stride *= global[axis];
  }
  if (box.empty()) count_ = 0;
}

Index FileRuns::file_start(Index run) const {
  Index at = first_;
  for (const Axis& axis : outer_) {
    at += (axis.lo + run % axis.extent) * axis.stride;
    run /= axis.extent;
  }
  return at;
}

}  // namespace shardfft::files
