// Which patch holds a box, where there are many.
#pragma once

#include "grid/patch.hpp"

namespace shardfft {

/// Halves the patches again and again, along the axis on which they are spread most, and knows a box around each half: those that are elsewhere are not looked at.
class PatchIndex {
 public:
  /// `patches` outlive this.
  explicit PatchIndex(std::span<const Patch> patches);
  /// The patch that holds all of `box`, which is not empty: the first one where several do, nullptr where none does.
  [[nodiscard]] const Patch* holder(const Box& box) const;
  /// Boxes that holder() compares with this one.
  [[nodiscard]] Index looks(const Box& box) const;

 private:
  struct Part {  // patches order_[begin] ... order_[end - 1]
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

  std::span<const Patch> patches_;
  std::vector<std::size_t> order_{};
  std::vector<Part> parts_{};
};

}  // namespace shardfft
