// Which stretches of a file hold a box of the array in it. Index arithmetic only.
#pragma once

#include <vector>

#include "shardfft/box.hpp"

namespace shardfft::files {

/// Axes as they are numbered: the first one is slowest.
[[nodiscard]] std::vector<int> c_order(int dims);

/// A box of an array whose elements lie in the file in `order` (axes, slowest first) without gaps, as stretches of
/// neighbouring elements: the r-th starts at element file_start(r) of the file. In memory of the same order the box is
/// these stretches one after the other.
class FileRuns {
 public:
  FileRuns(const Box& box, const Shape& global, const std::vector<int>& order);

  [[nodiscard]] Index count() const { return count_; }    ///< stretches; 0 for an empty box
  [[nodiscard]] Index length() const { return length_; }  ///< elements of each
  [[nodiscard]] Index file_start(Index run) const;

 private:
  struct Axis {
    Index lo, extent, stride;  ///< stride: elements in the file
  };
  std::vector<Axis> outer_{};  ///< axes that number the stretches, fastest first
  Index first_ = 0, count_ = 1, length_ = 1;
};

}  // namespace shardfft::files
