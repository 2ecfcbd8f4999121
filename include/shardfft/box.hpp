// Index ranges of a global array. Standard library only.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <utility>

namespace shardfft {

/// Position, extent or count in elements; always 64-bit.
using Index = std::int64_t;

/// Largest number of dimensions of an array.
inline constexpr int max_dims = 8;

class Coord;

/// Any integer type but those of characters and truth values.
template <class T>
concept WholeNumber =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

/// Whole numbers one after the other: std::vector<int>, std::array<std::size_t, 3>, std::span<const long>.
template <class Range>
concept WholeNumbers = !std::same_as<Range, Coord> && std::ranges::contiguous_range<const Range> &&
                       std::ranges::sized_range<const Range> && WholeNumber<std::ranges::range_value_t<const Range>>;

/// One number per axis, axis 0 first (the slowest, as in NumPy). A value: copied freely, never allocates.
class Coord {
 public:
  Coord() = default;
  /// Throws Error(invalid_problem) when there are more than max_dims numbers.
  Coord(std::initializer_list<Index> values) : Coord(std::span(values.begin(), values.size())) {}
  explicit Coord(std::span<const Index> values);
  /// Takes any range of integers: `problem.shape = my_vector`. Throws for numbers beyond 2^63 - 1, too.
  template <WholeNumbers Range>
  Coord(const Range& values) {
    require_dims(std::ranges::size(values));
    for (const auto value : values) append(static_cast<Index>(value), std::in_range<Index>(value));
  }
  /// `dims` times the same number.
  static Coord filled(int dims, Index value);

  [[nodiscard]] int dims() const { return dims_; }
  Index& operator[](int axis) { return values_[static_cast<std::size_t>(axis)]; }
  Index operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] const Index* begin() const { return values_.data(); }
  [[nodiscard]] const Index* end() const { return values_.data() + dims_; }
  friend bool operator==(const Coord&, const Coord&) = default;

 private:
  static void require_dims(std::size_t dims);
  void append(Index value, bool fits);
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
