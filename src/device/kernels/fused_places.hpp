// Places of the elements of a fused transform's pencils: the pencils of a block, and each thread's way through one.
#pragma once

#include "device/kernels/fused_table.hpp"
#include "support/hd.hpp"

namespace shardfft {

/// The pencils of block `number` of a family: from `first` on, at one place of the outer axes.
struct FusedGroup {
  const PreparedFamily& family;
  std::uint32_t outer = 0;  ///< place of the outer axes, counted
  Index first = 0;

  SHARDFFT_HD FusedGroup(const PreparedFamily& f, std::uint32_t number, int at_once) : family(f) {
    outer = f.by_tiles(number);
    first = static_cast<Index>(number - outer * f.tiles) * at_once;
  }
  /// Whether the group has a pencil `v`.
  [[nodiscard]] SHARDFFT_HD bool has(int v) const { return v < family.pencils - first; }
  /// Bytes from the base to where pencil `first` has its first element of a stretch.
  [[nodiscard]] SHARDFFT_HD Index offset(const PreparedStretch& s) const {
    Index at = s.at + first * s.pencil_step;
    std::uint32_t left = outer;
    SHARDFFT_NO_UNROLL
    for (int axis = family.outer_axes - 1; axis > 0; --axis) {
      const std::uint32_t next = family.by_outer[axis](left);
      at += static_cast<Index>(left - next * family.outer[axis]) * s.outer_step[axis];
      left = next;
    }
    return at + static_cast<Index>(left) * s.outer_step[0];
  }
};

/// Bytes of MoveBase::fixed count from nullptr, to which no offset may be added.
[[nodiscard]] SHARDFFT_HD inline std::byte* from_base(std::byte* base, Index bytes) {
  auto* const at =
      reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(bytes));
#ifdef __CUDA_ARCH__
  __builtin_assume(__isGlobal(at));  // not shared memory: accesses need not find out
#endif
  return at;
}

struct FusedPlace {
  std::byte* memory = nullptr;
  int k = 0;  ///< index along the pencil
};

/// A thread's numbers begin, begin + rows, ... of pencil v, where one stretch has all elements in order: neither a
/// search nor a division, and one addition for each of them.
class LoneStretch {
 public:
  /// Numbers whose addresses are known before the first one is read; 0: all of a thread's.
  static constexpr int batch = 0;
  SHARDFFT_HD LoneStretch(const FusedGroup& group, const PreparedStretch& s, std::byte* base, int v, int begin,
                          int rows)
      : row_(from_base(base, group.offset(s) + v * s.pencil_step)),
        next_(row_ + begin * s.step),
        step_(s.step),
        jump_(rows * s.step),
        rows_(rows),
        k_(begin) {}
  [[nodiscard]] SHARDFFT_HD FusedPlace next() {
    const FusedPlace here{next_, k_};
    next_ += jump_;
    k_ += rows_;
    return here;
  }
  [[nodiscard]] SHARDFFT_HD FusedPlace at(int number) const { return {row_ + number * step_, number}; }

 private:
  std::byte *row_, *next_;
  Index step_, jump_;
  int rows_, k_;
};

/// A walk over several stretches. When a number lies in another stretch than the previous one, that stretch is
/// searched.
class SearchedStretches {
 public:
  static constexpr int batch = 4;
  SHARDFFT_HD SearchedStretches(const FusedGroup& group, const PreparedStretch* stretches, int count,
                                const MoveBases& bases, int v, int begin, int rows)
      : group_(group), stretches_(stretches), count_(count), bases_(bases), v_(v), number_(begin), rows_(rows) {}
  [[nodiscard]] SHARDFFT_HD FusedPlace next() {
    const FusedPlace here = at(number_);
    number_ += rows_;
    return here;
  }
  [[nodiscard]] SHARDFFT_HD FusedPlace at(int number) {
    if (number < begin_ || number >= end_) look_up(number);
    const int in = number - begin_;
    return {start_ + in * step_, first_ + in * stride_};
  }

 private:
  SHARDFFT_HD void look_up(int number) {
    const PreparedStretch* low = stretches_;
    for (int count = count_; count > 1;) {
      const int half = count / 2;
      const bool upper = low[half].begin <= number;
      low = upper ? low + half : low;
      count = upper ? count - half : half;
    }
    begin_ = low->begin, end_ = low->end, first_ = low->first, stride_ = low->stride, step_ = low->step;
    start_ = from_base(bases_.start[static_cast<int>(low->base)], group_.offset(*low) + v_ * low->pencil_step);
  }

  const FusedGroup& group_;
  const PreparedStretch* stretches_;
  int count_;
  const MoveBases& bases_;
  int v_, number_, rows_;
  int begin_ = 0, end_ = 0, first_ = 0, stride_ = 1;
  Index step_ = 0;
  std::byte* start_ = nullptr;
};

}  // namespace shardfft
