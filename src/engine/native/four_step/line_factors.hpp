// Factors that depend on a line and on where a tile begins.
#pragma once

#include <vector>

#include "engine/native/four_step/four_step_routines.hpp"
#include "engine/native/root_products.hpp"
#include "engine/table_bytes.hpp"
#include "support/memory/buffer.hpp"
#include "support/memory/round_up.hpp"

namespace shardfft::native {

/// Scalars in memory of their own, aligned for vectors.
template <class T>
class Scalars {
 public:
  explicit Scalars(Index count = 0)
      : bytes_(static_cast<std::size_t>(count) * sizeof(T)), memory_(allocate(bytes_, "planning a long transform")) {}
  [[nodiscard]] T* get() const { return reinterpret_cast<T*>(memory_.get()); }
  void add_tables(TableBytes& found) const { found.add(memory_.get(), bytes_); }

 private:
  std::size_t bytes_;
  Memory memory_;
};

/// First columns of tiles of `width` columns; the last tile has the last columns.
[[nodiscard]] std::vector<Index> tile_starts(Index columns, Index width);
/// The starts of parts of such tiles: `part` columns each.
[[nodiscard]] std::vector<Index> part_starts(const std::vector<Index>& starts, Index width, Index part);

/// exp(-2 pi i turn line b) for the lines below `lines` and each start b of a tile. A table of all of them would be as
/// long as the pencil divided by the lanes, and memory that is new takes longer to clear than to fill. So where there
/// are many, a row of them is the product of two from short tables, put together when it is needed.
template <class T>
class LineFactors {
 public:
  /// `backward`: conjugate. Not `filled`: sizes only.
  LineFactors(const RootOfUnity& turn, Index lines, const std::vector<Index>& starts, bool backward,
              bool filled = true);
  [[nodiscard]] static Index row_scalars(Index lines) { return 2 * round_up(lines, widest<T>); }

  /// Rows of re, im pairs for `count` tiles from number `first` on, row_scalars() apart; in `workspace` (so many rows
  /// of it) where they are not in a table. `there`: the last call put them there.
  const T* rows(Index first, Index count, const FourStepRoutines<T>& routines, T* workspace, bool there = false) const;
  [[nodiscard]] Index row_scalars() const { return row_; }
  void add_tables(TableBytes& found) const {
    coarse_.add_tables(found);
    fine_.add_tables(found);
    found.add(places_);
  }

 private:
  void put_row(const RootOfUnity& turn, Index lines, bool backward, T* row) const;

  struct LineFactorsAt {
    Index coarse = 0, fine = 0;  // numbers of rows
  };
  Index row_ = 0, coarse_count_ = 0;
  std::vector<LineFactorsAt> places_{};
  Scalars<T> coarse_{}, fine_{};
};

/// exp(-2 pi i turn line v) for the lines below `lines` and v < widest, times `own(line)`: for every line all real
/// parts, then all imaginary parts.
template <class T, class Own>
Scalars<T> near_factors(const RootOfUnity& turn, Index lines, bool backward, const Own& own) {
  constexpr Index lanes = widest<T>;
  Scalars<T> table(2 * lanes * lines);
  for (Index v = 0; v < lanes; ++v) {
    const Powers powers(turn.times(v), lines);
    for (Index c = 0; c < lines; ++c) {
      const Root a = powers(c), b = own(c);
      table.get()[2 * lanes * c + v] = static_cast<T>(a.re * b.re - a.im * b.im);
      table.get()[2 * lanes * c + lanes + v] = static_cast<T>((backward ? -1 : 1) * (a.re * b.im + a.im * b.re));
    }
  }
  return table;
}

}  // namespace shardfft::native
