// Runs of a segment's blocks that are contiguous in the plane of a sweep. Codecs read and write them in place.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "shardfft/box.hpp"

namespace shardfft {

/// Whole blocks that are contiguous in memory, in the order in which the segment's elements are encoded; or none.
class PlaneRuns {
 public:
  /// `strides` of the plane in bytes, `order` of the elements of a segment, slowest axis first; blocks of
  /// `block_bytes`.
  PlaneRuns(const Shape& segment, const Coord& strides, const std::vector<int>& order, Index element_bytes,
            Index block_bytes);

  /// Whether the segment is such runs, where its first element lies at `first`: all of them begin at multiples of 64
  /// bytes.
  [[nodiscard]] bool holds(const std::byte* first) const;
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index bytes() const { return bytes_; }  ///< of each
  /// Bytes from the first element to run number `run`.
  [[nodiscard]] Index offset(Index run) const;

 private:
  struct OuterAxis {
    Index n = 1, step = 0;
  };
  Index bytes_ = 0, count_ = 0;
  std::array<OuterAxis, max_dims> outer_{};  // fastest first
  int outers_ = 0;
};

}  // namespace shardfft
