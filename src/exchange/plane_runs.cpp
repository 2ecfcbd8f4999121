#include "exchange/plane_runs.hpp"

#include <cstdint>

namespace shardfft {
namespace {

constexpr Index aligned = 64;
constexpr Index worth_a_call = 2048;  // bytes: shorter runs are copied together first

}  // namespace

PlaneRuns::PlaneRuns(const Shape& segment, const Coord& strides, const std::vector<int>& order, Index element_bytes,
                     Index block_bytes) {
  Index run = element_bytes, count = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    const Index n = segment[*axis];
    if (n == 1) continue;
    if (outers_ == 0 && strides[*axis] == run) {
      run *= n;
      continue;
    }
    if (strides[*axis] % aligned != 0) return;
    outer_[static_cast<std::size_t>(outers_++)] = {n, strides[*axis]};
    count *= n;
  }
  if (run % block_bytes != 0 || run < worth_a_call) return;
  bytes_ = run;
  count_ = count;
}

bool PlaneRuns::holds(const std::byte* first) const {
  return count_ > 0 && reinterpret_cast<std::uintptr_t>(first) % aligned == 0;
}

Index PlaneRuns::offset(Index run) const {
  Index offset = 0;
  for (int a = 0; a < outers_; ++a) {
    const OuterAxis& axis = outer_[static_cast<std::size_t>(a)];
    offset += run % axis.n * axis.step;
    run /= axis.n;
  }
  return offset;
}

}  // namespace shardfft
