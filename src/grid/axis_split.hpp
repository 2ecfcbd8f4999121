// One long axis as two short ones, as in the six-step transform (Bailey 1990): n = slow * fast elements are transformed
// along the slow half, multiplied by twiddle factors, and transformed along the fast half. Neither needs all n elements
// in cache, and ranks can share the axis out between the two.
//
// Before the transform element j = j_slow * fast + j_fast, afterwards k = k_fast * slow + k_slow: the digits of an
// index change their order.
//
// Real numbers are transformed along the slow half first. So k_slow ends with slow / 2, and the caller keeps
// k = 0 .. n / 2. A larger k_slow is not computed: X[k] is the conjugate of X[n - k], which has a smaller one. The
// caller's array is Hermitian: a result with an index above n / 2 belongs, conjugated, to n - k. If k_slow is 0 or
// slow / 2, both were computed, and the caller has room for one of them.
#pragma once

#include <optional>
#include <vector>

#include "grid/cyclic_axis.hpp"

namespace shardfft {

/// The caller's axis `axis` becomes axes `axis` (of extent `slow`) and `axis + 1` (of extent `fast`) of the array that
/// is swept; the axes behind it move up.
struct AxisSplit {
  int axis = 0;
  Index slow = 1, fast = 1;
  friend bool operator==(const AxisSplit&, const AxisSplit&) = default;

  [[nodiscard]] Index length() const { return slow * fast; }
  /// The swept array's number of a caller's axis (the slow half, for the split axis), and the reverse.
  [[nodiscard]] int inner(int callers) const { return callers <= axis ? callers : callers + 1; }
  [[nodiscard]] int callers(int inner) const { return inner <= axis ? inner : inner - 1; }
};

/// How an index of the axis is made of the two factors' indices: before the transform, after it, or after that of
/// reals, when the caller's axis has n / 2 + 1 elements.
enum class Digits { before, after, hermitian };

/// Extents of the array that is swept.
[[nodiscard]] Shape split(const AxisSplit& s, Digits digits, const Shape& shape);
/// Owners of each axis of the split array, if the caller's axes have `owners` (grid/cyclic_axis.hpp).
[[nodiscard]] Coord owners_of(const AxisSplit& s, Digits digits, const Coord& owners);
/// The elements of a box, in at most three boxes; with Digits::hermitian in up to four times as many, for an element
/// may be computed twice. If the axis is cyclic, the box belongs to one of its `owners`, and each of these boxes falls
/// into as many as the rows have owners.
[[nodiscard]] std::vector<Box> split(const AxisSplit& s, Digits digits, const Box& box, Index owners = 1);
/// Patches of the same memory in the split array. Digits::hermitian: a value that is computed twice is stored once and
/// read twice (`reads`).
[[nodiscard]] std::vector<Patch> split(const AxisSplit& s, Digits digits, const std::vector<Patch>& patches,
                                       Index owners, bool reads);
/// Whether several ranks have the indices of this axis in turn.
[[nodiscard]] bool is_cyclic_along(const Layout& layout, int axis);
/// What the last row of the split array has behind the caller's last element, if that is in `box`; else empty.
[[nodiscard]] Box rest_of_row(const AxisSplit& s, Index extent, const Box& box);
/// The layout of the split array with the same owners. It is a process grid if one has the same boxes, and so compares
/// equal to others. A layout that is cyclic along the split axis becomes cyclic along both factors. If the ranks divide
/// the length of a row, one factor is whole on every rank, and its sweep needs no exchange before it. If the axis is
/// shorter than the factors' product, the owner of its last element owns the rest of the last row.
[[nodiscard]] Layout split(const AxisSplit& s, Digits digits, const Layout& layout);

/// Into factors that are about equal, the one closest to sqrt(n) from below being `fast`; empty where one would be less
/// than `least`. With `even`, `slow` is even where n is: a real transform of an even length takes half of the work.
[[nodiscard]] std::optional<AxisSplit> balanced_split(int axis, Index n, Index least, bool even = false);

}  // namespace shardfft
