// Index ranges of a global array. Standard library only.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace shardfft {

/// Position, extent or count in elements; always 64-bit.
using Index = std::int64_t;

/// Largest number of dimensions of an array.
inline constexpr int max_dims = 8;

/// One number per axis, axis 0 first (the slowest, as in NumPy). A value: copied freely, never allocates.
class Coord {
 public:
  Coord() = default;
  /// Throws Error(invalid_problem) when there are more than max_dims numbers.
  Coord(std::initializer_list<Index> values) : Coord(std::span(values.begin(), values.size())) {}
  explicit Coord(std::span<const Index> values);
  /// `dims` times the same number.
  static Coord filled(int dims, Index value);

  [[nodiscard]] int dims() const { return dims_; }
  Index& operator[](int axis) { return values_[static_cast<std::size_t>(axis)]; }
  Index operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] const Index* begin() const { return values_.data(); }
  [[nodiscard]] const Index* end() const { return values_.data() + dims_; }
  friend bool operator==(const Coord&, const Coord&) = default;

 private:
  std::array<Index, max_dims> values_{};
  int dims_ = 0;
};

/// Extents of an array, in elements.
using Shape = Coord;

/// Product of all numbers; 1 without axes. Throws Error(invalid_problem) when it exceeds 2^63 - 1.
[[nodiscard]] Index product(const Coord& c);
/// "512 x 512 x 512"
[[nodiscard]] std::string to_string(const Coord& c);

/// Half-open range [lo, hi) of the global array, one entry per axis.
struct Box {
  Coord lo{}, hi{};

  [[nodiscard]] int dims() const { return lo.dims(); }
  /// Elements along `axis`; never negative.
  [[nodiscard]] Index extent(int axis) const { return hi[axis] > lo[axis] ? hi[axis] - lo[axis] : 0; }
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] Index count() const;  ///< elements; 0 when empty
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool contains(const Coord& at) const;
  friend bool operator==(const Box&, const Box&) = default;
};

/// The box that covers an array of this shape.
[[nodiscard]] Box whole(const Shape& shape);
/// What two boxes share; empty when they do not meet.
[[nodiscard]] Box intersect(const Box& a, const Box& b);
/// Whether two boxes of elements share any.
[[nodiscard]] inline bool meet(const Box& a, const Box& b) {
  for (int d = 0; d < a.dims(); ++d)
    if (a.lo[d] >= b.hi[d] || b.lo[d] >= a.hi[d]) return false;
  return true;
}
/// "[0,4)x[2,7)"
[[nodiscard]] std::string to_string(const Box& box);

}  // namespace shardfft
