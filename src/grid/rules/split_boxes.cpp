#include "grid/rules/split_boxes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace shardfft {
namespace {

// Multiples of `step`, moved by `shift`, in [lo, hi), of which number first ... end - 1 counts.
Index steps_in(Index lo, Index hi, Index step, Index shift, Index first, Index end) {
  const auto below = [&](Index i) { return std::clamp((i - shift + step - 1) / step, first, end); };
  return std::max<Index>(0, below(hi) - below(lo));
}

}  // namespace

std::vector<Box> SplitBoxes::boxes(int rank) const {
  if (is_cyclic_along(layout_, s_.axis)) {
    const CyclicMap map{layout_.global()[s_.axis], layout_.ranks()};
    const IndexRange mine = map.part(rank, {0, map.n});
    Box box = whole(layout_.global());
    box.lo[s_.axis] = mine.lo, box.hi[s_.axis] = mine.hi;
    return split(s_, digits_, box, layout_.ranks());
  }
  std::vector<Box> parts;
  for (const Box& box : layout_.boxes(rank)) {
    const std::vector<Box> of_box = split(s_, digits_, box);
    parts.insert(parts.end(), of_box.begin(), of_box.end());
    if (digits_ != Digits::before) continue;
    if (const Box rest = rest_of_row(s_, layout_.global()[s_.axis], box); !rest.empty()) parts.push_back(rest);
  }
  return parts;
}

// Whether each of the caller's elements is in one place, and nothing else.
bool SplitBoxes::keeps_numbers() const {
  return digits_ != Digits::hermitian && layout_.global()[s_.axis] == s_.length();
}

// An index is computed once, or twice if its digit k_slow is 0 or slow / 2: once as the conjugate of another one
// (grid/axis_split.cpp, for_parts).
Index SplitBoxes::count_hermitian(int rank) const {
  Index all = 0;
  for (const Box& box : layout_.boxes(rank)) {
    const Index lo = box.lo[s_.axis], hi = box.hi[s_.axis];
    Index places = hi - lo + steps_in(lo, hi, s_.slow, 0, 1, std::max<Index>(1, (s_.fast + 1) / 2));
    if (s_.slow % 2 == 0) places += steps_in(lo, hi, s_.slow, s_.slow / 2, 0, s_.fast / 2);
    all += box.count() / (hi - lo) * places;
  }
  return all;
}

Index SplitBoxes::count(int rank) const {
  if (digits_ == Digits::hermitian) return count_hermitian(rank);
  Index all = layout_.count(rank);
  if (digits_ == Digits::before && !keeps_numbers())
    for (const Box& box : layout_.boxes(rank)) all += rest_of_row(s_, layout_.global()[s_.axis], box).count();
  return all;
}

Index SplitBoxes::most() const {
  if (keeps_numbers() && layout_.spec().kind != LayoutSpec::Kind::boxes) return layout_.count(0);
  std::call_once(looked_, [&] {
    for (int rank = 0; rank < layout_.ranks(); ++rank) most_ = std::max(most_, count(rank));
  });
  return most_;
}

std::string SplitBoxes::words() const {
  constexpr const char* names[] = {"before", "after", "hermitian"};
  return fmt::format("{}, axis {} as {} x {}, {}", to_string(layout_.spec()), s_.axis, s_.slow, s_.fast,
                     names[static_cast<int>(digits_)]);
}

}  // namespace shardfft
