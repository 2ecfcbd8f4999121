// Addresses of one row of pencils: what is the same for all tiles of a row is computed once.
#pragma once

#include <vector>

#include "grid/patch.hpp"
#include "sweep/pencils.hpp"

namespace shardfft {

/// The part of a patch that meets a row: element (k, v) (coordinates along the walk's axis and lane) is at `origin` + k*step_k + v*step_v.
struct RowPatch {
  std::byte* origin = nullptr;
  Index k_lo = 0, k_hi = 0, v_lo = 0, v_hi = 0;
  Index step_k = 0, step_v = 0;
};

/// Start of each base in one run, on one thread.
struct Bases {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  std::byte* plane = nullptr;
  [[nodiscard]] std::byte* start(const Patch& patch) const;
};

/// Patches that one walk meets, with the row that was resolved last. Never allocates after reserve().
class Rows {
 public:
  void reserve(std::size_t patches);
  /// From now on: the patches of `all` that meet `box`.
  void select(const std::vector<Patch>& all, const Box& box, const Walk& walk, const Bases& bases);
  /// The same for a single patch.
  void select(const Patch& one, const Walk& walk, const Bases& bases);
  /// The patches of the row through `at` (its axis and lane coordinates do not matter).
  [[nodiscard]] const std::vector<RowPatch>& row(const Coord& at);

 private:
  struct Selected {
    const Patch* patch;
    std::byte* start;
  };
  void resolve(const Coord& at);
  [[nodiscard]] bool same_row(const Coord& at) const;

  Walk walk_{};
  std::vector<Selected> selected_{};
  std::vector<RowPatch> row_{};
  Coord at_{};
  bool resolved_ = false;
};

}  // namespace shardfft
