// The tiles of a small sweep, written down when it is made: in transforms of a few thousand elements, finding where pencils lie takes longer than transforming them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sweep/rows.hpp"
#include "sweep/tile_moves.hpp"

namespace shardfft {

class TilePass;

/// An address, counted from one of the bases of a run.
struct Place {
  std::int32_t base = 0;  ///< of Base, counted from 1; 0: the address itself
  Index offset = 0;
};

/// Rows of a full tile of neighbours, as Kernel::run_rows() takes them.
struct RecordedRows {
  std::int32_t table = -1;  ///< of all rows' distances from `from`; -1: the tile is gathered, or scattered
  bool ahead = false;
  Place from{};
};
struct RecordedMove {
  std::int32_t kernel = 0;  ///< of the tile
  bool conjugated = false;
  Index k = 0, lane = 0;
  Index count_k = 0, count_v = 0, step_k = 0, step_v = 0;
  Place place{};
};
/// As TilePass multiplies by twiddle factors.
struct RecordedProduct {
  std::int32_t kernel = 0;
  Index lane = 0, count = 0, other = 0, step = 0;
};
struct RecordedTile {
  std::int32_t pass = 0;
  std::int32_t pencils = 0;
  RecordedRows from{}, to{};
  std::int32_t gathers = 0, products = 0, scatters = 0;  ///< numbers of its first ones; its last ones come before those of the next tile
};

class RecordedTiles {
 public:
  /// Addresses to find tiles with: nothing is there.
  [[nodiscard]] static Bases bases();

  /// The next tile is the first one of a unit that a thread takes.
  void begin_unit() { units_.push_back(static_cast<std::int32_t>(tiles_.size())); }
  void begin_tile(std::size_t pass, Index pencils);
  /// Of the last tile. False where rows lie in several bases.
  [[nodiscard]] bool reads(const RowSource& rows, Index length);
  [[nodiscard]] bool writes(const RowTarget& rows, Index length);
  void gathers(std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) { add(gathers_, kernel, k, lane, r); }
  void scatters(std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) { add(scatters_, kernel, k, lane, r); }
  void multiplies(const RecordedProduct& product) { products_.push_back(product); }
  /// After the last tile.
  void finish();

  [[nodiscard]] std::size_t size() const { return tiles_.size(); }
  /// All tiles of units first .. last - 1; `scratch` as TilePass::run() takes it. What the last pass stores is multiplied by `scale`.
  void run(Index first, Index last, const std::vector<TilePass>& passes, const Bases& bases, std::byte* scratch, double scale, const std::function<void()>* poll) const;

  /// What a tile is done with.
  class Run {
   public:
    Run(const RecordedTiles& all, const Bases& bases);
    [[nodiscard]] std::byte* address(const Place& place) const { return reinterpret_cast<std::byte*>(starts_[static_cast<std::size_t>(place.base)] + static_cast<std::uintptr_t>(place.offset)); }
    [[nodiscard]] Index offset(const RecordedRows& rows) const { return static_cast<Index>(starts_[static_cast<std::size_t>(rows.from.base)]) + rows.from.offset; }
    [[nodiscard]] std::byte* const* rows(const RecordedRows& rows) const { return all_->tables_[static_cast<std::size_t>(rows.table)].data(); }
    template <class Visit>
    void for_gathers(const RecordedTile& tile, Visit visit) const { for_moves(all_->gathers_, tile.gathers, (&tile)[1].gathers, visit); }
    template <class Visit>
    void for_scatters(const RecordedTile& tile, Visit visit) const { for_moves(all_->scatters_, tile.scatters, (&tile)[1].scatters, visit); }
    template <class Visit>
    void for_products(const RecordedTile& tile, Visit visit) const {
      for (auto i = static_cast<std::size_t>(tile.products); i < static_cast<std::size_t>((&tile)[1].products); ++i) visit(all_->products_[i]);
    }

   private:
    template <class Visit>
    void for_moves(const std::vector<RecordedMove>& moves, std::int32_t first, std::int32_t last, Visit visit) const {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) visit(moves[i], address(moves[i].place));
    }

    const RecordedTiles* all_;
    std::array<std::uintptr_t, 4> starts_;
  };

 private:
  [[nodiscard]] std::optional<RecordedRows> rows_of(const std::byte* const* rows, Index offset, Index length);
  static void add(std::vector<RecordedMove>& moves, std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r);

  std::vector<std::vector<std::byte*>> tables_{};  // addresses that rows have where the first one, `first_row`, is
  std::vector<RecordedTile> tiles_{};              // and one behind the last, where moves end
  std::vector<RecordedMove> gathers_{}, scatters_{};
  std::vector<RecordedProduct> products_{};
  std::vector<std::int32_t> units_{};
};

}  // namespace shardfft
