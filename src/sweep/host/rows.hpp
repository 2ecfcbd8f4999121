// Addresses of one row of pencils: what is the same for all tiles of a row is computed once.
#pragma once

#include <vector>

#include "grid/patch_index.hpp"
#include "sweep/pencils.hpp"

namespace shardfft {

/// The part of a patch that meets a row: element (k, v) (coordinates along the walk's axis and lane) is at `origin` +
/// k*step_k + v*step_v.
struct RowPatch {
  std::byte* origin = nullptr;
  Index k_lo = 0, k_hi = 0, v_lo = 0, v_hi = 0;
  Index step_k = 0, step_v = 0;
  bool conjugated = false;
  bool in_plane = false;  ///< which is in cache, and read again soon
};

/// What is the same for all tiles of one run, on one thread: where each base starts, the factor of the last pass,
/// whether AdjointWeights count.
struct Bases {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::byte* plane = nullptr;
  double factor = 1;
  bool adjoint = false;
  [[nodiscard]] std::byte* start(const Patch& patch) const;
  /// The address of an element of the patch's box.
  [[nodiscard]] std::byte* element(const Patch& patch, const Coord& at) const {
    return start(patch) + offset_between(patch.box.lo, at, patch.strides);
  }
};

/// Places of a tile's elements if neighbouring pencils are neighbours in memory. Element k of pencil v (its coordinate)
/// is at rows[k] + offset + v * element bytes.
struct ContiguousLanes {
  std::byte* const* rows = nullptr;  ///< nullptr: they do not lie so
  Index offset = 0;
  Index far_lo = 0, far_hi = 0;  ///< elements that are not in a plane: far_lo <= k < far_hi; or all, where those have
                                 ///< others between them
  Index phase = -1;              ///< rows[k] + offset modulo 64, the same for all of these; -1: it is not
};

/// Patches that one walk meets, with the row that was resolved last. Never allocates after reserve().
class PencilRows {
 public:
  void reserve(std::size_t patches, Index length);
  /// From now on: the patches of `all` that meet `box`.
  void select(const PatchIndex& all, const Box& box, const Walk& walk, const Bases& bases);
  /// Selects a single patch.
  void select(const Patch& one, const Walk& walk, const Bases& bases);
  /// The patches of the row through `at` (its axis and lane coordinates do not matter).
  [[nodiscard]] const std::vector<RowPatch>& row(const Coord& at);
  /// Whether the first of them is in a plane, which is in cache.
  [[nodiscard]] bool in_plane() const { return !selected_.empty() && selected_.front().patch->base == Base::plane; }
  /// Tiles will continue at `at` after this walk. Not copied; valid until the next select().
  void goes_on_at(const Coord& at) { next_ = &at; }
  [[nodiscard]] const Coord* next() const { return next_; }  ///< nullptr: nowhere
  /// Bytes from one pencil to another one, as they lie in the first of the patches.
  [[nodiscard]] Index to_next_tile(const Coord& from, const Coord& to) const;
  /// Lanes of pencils v .. v + count - 1 of that row: `length` elements of `element` bytes each. `indices`: the row's
  /// number of each element; nullptr: their own.
  [[nodiscard]] ContiguousLanes contiguous_lanes(const Coord& at, Index count, Index length, Index element,
                                                 const Index* indices = nullptr);

 private:
  struct Selected {
    const Patch* patch;
    std::byte* start;
  };
  void resolve(const Coord& at);
  [[nodiscard]] bool move_to(const Coord& at);
  void move(RowPatch& row, Index bytes);
  void find_far(Index length);
  void find_phase();
  bool find_starts(Index lo, Index hi, Index length, Index element, const Index* indices);
  [[nodiscard]] bool same_row(const Coord& at) const;
  [[nodiscard]] Index distance(const Selected& in, const Coord& from, const Coord& to) const;

  Walk walk_{};
  std::vector<Selected> selected_{};
  std::vector<RowPatch> row_{};
  std::vector<std::byte*> starts_{};  // of element k, less row_offset_, for pencils start_lo_ .. start_hi_ - 1; these
                                      // are empty when nothing is known
  const Index* indices_ = nullptr;    // with which they were found
  Index start_lo_ = 0, start_hi_ = 0, far_lo_ = 0, far_hi_ = 0, phase_ = -1;
  Index row_offset_ = 0;  // bytes from the row in which they were found to this one
  const Coord* next_ = nullptr;
  Coord at_{};  // of the row, along all axes but the walk's two
  bool resolved_ = false;
};

}  // namespace shardfft
