#include "grid/patch_index.hpp"

#include <algorithm>
#include <numeric>

namespace shardfft {
namespace {

constexpr std::size_t few = 4;  // are looked at one by one

bool holds(const Box& box, const Box& inner) {
  for (int a = 0; a < inner.dims(); ++a)
    if (inner.lo[a] < box.lo[a] || inner.hi[a] > box.hi[a]) return false;
  return true;
}

void enlarge(Box& box, const Box& other) {
  for (int a = 0; a < box.dims(); ++a) {
    box.lo[a] = std::min(box.lo[a], other.lo[a]);
    box.hi[a] = std::max(box.hi[a], other.hi[a]);
  }
}

// On which first elements differ most.
template <class BoxOf>
int spread_axis(std::span<const std::size_t> numbers, BoxOf box_of) {
  Coord low = box_of(numbers.front()).lo, high = low;
  for (const std::size_t n : numbers)
    for (int a = 0; a < low.dims(); ++a) {
      low[a] = std::min(low[a], box_of(n).lo[a]);
      high[a] = std::max(high[a], box_of(n).lo[a]);
    }
  int axis = 0;
  for (int a = 1; a < low.dims(); ++a)
    if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
  return axis;
}

}  // namespace

PatchIndex::PatchIndex(std::span<const Patch> patches) : patches_(patches), order_(patches.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (!patches.empty()) add(0, patches.size());
}

void PatchIndex::add(std::size_t begin, std::size_t end) {
  const std::size_t own = parts_.size();
  PatchRange part{.around = patches_[order_[begin]].box, .begin = begin, .end = end};
  for (std::size_t i = begin; i < end; ++i) enlarge(part.around, patches_[order_[i]].box);
  parts_.push_back(part);
  if (end - begin <= few) return;
  const auto box_of = [&](std::size_t number) -> const Box& { return patches_[number].box; };
  const int axis = spread_axis(std::span(order_).subspan(begin, end - begin), box_of);
  const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t middle = begin + (end - begin) / 2;
  std::nth_element(at(begin), at(middle), at(end),
                   [&](std::size_t a, std::size_t b) { return box_of(a).lo[axis] < box_of(b).lo[axis]; });
  add(begin, middle);
  parts_[own].upper = parts_.size();
  add(middle, end);
}

void PatchIndex::search(std::size_t number, const Box& box, Found& found) const {
  const PatchRange& part = parts_[number];
  ++found.looks;
  if (!holds(part.around, box)) return;
  if (part.upper > 0) {
    search(number + 1, box, found);
    search(part.upper, box, found);
    return;
  }
  for (std::size_t i = part.begin; i < part.end; ++i) {
    ++found.looks;
    if (order_[i] < found.first && holds(patches_[order_[i]].box, box)) found.first = order_[i];
  }
}

const Patch* PatchIndex::holder(const Box& box) const {
  Found found{patches_.size()};
  if (!parts_.empty()) search(0, box, found);
  return found.first < patches_.size() ? &patches_[found.first] : nullptr;
}

std::vector<std::size_t> PatchIndex::meeting(const Box& box) const {
  std::vector<std::size_t> numbers;
  for_meeting(box, [&](std::size_t number) { numbers.push_back(number); });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Index PatchIndex::looks(const Box& box) const {
  Found found{patches_.size()};
  if (!parts_.empty()) search(0, box, found);
  return found.looks;
}

}  // namespace shardfft
