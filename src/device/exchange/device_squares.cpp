#include "device/exchange/device_squares.hpp"

#include <algorithm>

#include "device/exchange/device_elements.hpp"

namespace shardfft {
namespace {

constexpr Index most_elements =
    1 << 16;  // of a part: enough for a block of threads, few enough that many of them share the work

// Calls part(box) for boxes of at most most_elements elements, cut along the slowest axes.
template <class Part>
void cut(const Box& box, const Part& part) {
  if (box.count() <= most_elements) return part(box);
  int axis = 0;
  while (box.extent(axis) == 1) ++axis;
  const Index at_once = std::max<Index>(1, most_elements / (box.count() / box.extent(axis)));
  for (Index from = box.lo[axis]; from < box.hi[axis]; from += at_once) {
    Box slice = box;
    slice.lo[axis] = from;
    slice.hi[axis] = std::min(from + at_once, box.hi[axis]);
    cut(slice, part);
  }
}

// Calls part(box, weight) where the weight is the same.
template <class Part>
void of_one_weight(const Box& box, const Weights& weights, const Part& part) {
  if (weights.axis < 0) return part(box, 1.0);
  const auto range = [&](Index from, Index to, double weight) {
    Box some = box;
    some.lo[weights.axis] = std::max(from, box.lo[weights.axis]);
    some.hi[weights.axis] = std::min(to, box.hi[weights.axis]);
    if (!some.empty()) part(some, weight);
  };
  const Index last = weights.n % 2 == 0 ? weights.n / 2 : weights.n / 2 + 1;  // n/2 stands for itself where it is there
  range(0, 1, 1);
  range(1, last, weights.inside);
  range(std::max<Index>(last, 1), weights.n + 1, 1);
}

}  // namespace

DeviceSquares::DeviceSquares(const std::shared_ptr<Device>& device, Queue& queue, NumberType type,
                             std::span<const Box> units, std::span<const Patch> patches, const Weights& weights)
    : type_(type), units_(static_cast<Index>(units.size())) {
  std::vector<SquaresPart> parts;
  std::vector<std::uint32_t> first{0};
  const PatchIndex index(patches);
  for (const Box& unit : units) {
    if (!unit.empty()) {
      const Patch& patch = patch_with(index, unit);
      std::vector<int> order;
      for (int a = 0; a < unit.dims(); ++a) order.push_back(a);
      std::ranges::stable_sort(order, std::greater(), [&](int a) { return patch.strides[a]; });
      of_one_weight(unit, weights, [&](const Box& box, double weight) {
        cut(box, [&](const Box& part) { parts.push_back({elements_of(part, patch, order), weight}); });
      });
    }
    first.push_back(static_cast<std::uint32_t>(parts.size()));
  }
  parts_ = static_cast<Index>(parts.size());
  part_ = {device, queue, parts, "tables of what norms are of"};
  first_part_ = {device, queue, first, "tables of what norms are of"};
  of_part_ = {device, parts.size() * sizeof(double), "sums of squares"};
}

void DeviceSquares::add_up(Queue& queue, const MoveBases& bases, double* sums) const {
  if (units_ == 0) return;
  queue.run(SumSquares{.scalar = type_.scalar,
                       .complex = type_.complex,
                       .parts = parts_,
                       .units = units_,
                       .part = part_.data(),
                       .first_part = first_part_.data(),
                       .bases = bases,
                       .of_part = reinterpret_cast<double*>(of_part_.data()),
                       .sum = sums});
}

}  // namespace shardfft
