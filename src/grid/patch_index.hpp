// Which patch holds a box, and which ones meet it, where there are many.
#pragma once

#include "grid/patch.hpp"

namespace shardfft {

/// Halves the patches again and again, along the axis on which they are spread most, and knows a box around each half:
/// those that are elsewhere are not looked at.
class PatchIndex {
 public:
  /// `patches` outlive this.
  explicit PatchIndex(std::span<const Patch> patches = {});
  /// The patch that holds all of `box`, which is not empty: the first one where several do, nullptr where none does.
  [[nodiscard]] const Patch* holder(const Box& box) const;
  /// visit(number of the patch) for each one that shares elements with `box`, in any order. Allocates nothing. Returns
  /// how many boxes it compared with this one.
  template <class Visit>
  Index for_meeting(const Box& box, Visit visit) const {
    return parts_.empty() ? 0 : search_meeting(0, box, visit);
  }
  /// The numbers of the patches that share elements with `box`, in their order.
  [[nodiscard]] std::vector<std::size_t> meeting(const Box& box) const;
  [[nodiscard]] const Patch& patch(std::size_t number) const { return patches_[number]; }
  /// Boxes that holder() compares with this one.
  [[nodiscard]] Index looks(const Box& box) const;

 private:
  struct PatchRange {  // patches order_[begin] ... order_[end - 1]
    Box around{};
    std::size_t begin = 0, end = 0;
    std::size_t upper = 0;  // number of the second half; the first one follows this; 0: it is not halved
  };
  struct Found {
    std::size_t first;
    Index looks = 0;
  };
  void add(std::size_t begin, std::size_t end);
  void search(std::size_t part, const Box& box, Found& found) const;
  template <class Visit>
  Index search_meeting(std::size_t number, const Box& box, Visit& visit) const {
    const PatchRange& part = parts_[number];
    if (intersect(part.around, box).empty()) return 1;
    if (part.upper > 0) return 1 + search_meeting(number + 1, box, visit) + search_meeting(part.upper, box, visit);
    for (std::size_t i = part.begin; i < part.end; ++i)
      if (!intersect(patches_[order_[i]].box, box).empty()) visit(order_[i]);
    return 1 + static_cast<Index>(part.end - part.begin);
  }

  std::span<const Patch> patches_;
  std::vector<std::size_t> order_{};
  std::vector<PatchRange> parts_{};
};

}  // namespace shardfft
