// The tiles of a small sweep, written down when it is made: in transforms of a few thousand elements, finding where
// pencils lie takes longer than transforming them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sweep/host/rows.hpp"
#include "sweep/host/tile_moves.hpp"

namespace shardfft {

class TilePass;
class TilePath;

/// An address, counted from one of the bases of a run.
struct Address {
  std::int32_t base = 0;  ///< of Base, counted from 1; 0: the address itself
  Index offset = 0;
};

/// Rows of a full tile of neighbours, as Kernel::run_rows() takes them.
struct RecordedRows {
  std::int32_t table = -1;      ///< of all rows' distances from `from`; -1: the tile is gathered, or scattered
  Index prefetch_distance = 0;  ///< as in RowSource
  Address from{};
};
struct RecordedMove {
  RecordedMove(std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r);
  std::uint32_t kernel;  ///< of the tile
  bool conjugated;
  Index k, lane;
  Index count_k, count_v, step_k, step_v;
  Address place;
};
/// A multiplication by twiddle factors as TileTransfer does it.
struct RecordedProduct {
  std::uint32_t kernel = 0;
  Index lane = 0, count = 0, other = 0, step = 0;
};
struct RecordedTile {
  struct Items {
    std::uint32_t first = 0, end = 0;  ///< of all moves, or all products
  };
  std::int32_t pass = 0;
  std::int32_t pencils = 0;
  const TilePath* path = nullptr;
  std::uint32_t alike = 1;      ///< tiles of the same pass and path from this one on
  Index prefetch_distance = 0;  ///< of contiguous pencils
  RecordedRows from{}, to{};
  Items gathers{}, products{}, scatters{};
};

class RecordedTiles {
 public:
  /// Addresses to find tiles with: nothing is there.
  [[nodiscard]] static Bases bases();

  /// The next tile is the first one of a unit that a thread takes.
  void begin_unit() { units_.push_back(tiles_.size()); }
  void begin_tile(std::size_t pass, Index pencils);
  /// Records the rows of the last tile. False if they lie in several bases.
  [[nodiscard]] bool reads(const RowSource& rows, Index length);
  [[nodiscard]] bool writes(const RowTarget& rows, Index length);
  void prefetches(Index distance) { tiles_.back().prefetch_distance = distance; }
  /// The path that recorded the last tile.
  void takes_path(const TilePath* path) { tiles_.back().path = path; }
  void gathers(std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    add(gathers_, tiles_.back().gathers, {kernel, k, lane, r});
  }
  void scatters(std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    add(scatters_, tiles_.back().scatters, {kernel, k, lane, r});
  }
  void multiplies(const RecordedProduct& product) { add(products_, tiles_.back().products, product); }
  /// After the last tile.
  void finish();

  [[nodiscard]] Index moves() const { return static_cast<Index>(gathers_.size() + scatters_.size()); }
  /// All tiles of units first .. last - 1; `scratch` as TilePass::run() takes it.
  void run(Index first, Index last, const std::vector<TilePass>& passes, const Bases& bases, std::byte* scratch,
           const std::function<void()>* poll) const;

  /// What a tile is done with.
  class Replay {
   public:
    Replay(const RecordedTiles& all, const Bases& bases);
    [[nodiscard]] std::byte* address(const Address& place) const {
      return reinterpret_cast<std::byte*>(starts_[static_cast<std::size_t>(place.base)] +
                                          static_cast<std::uintptr_t>(place.offset));
    }
    [[nodiscard]] Index offset(const RecordedRows& rows) const {
      return static_cast<Index>(starts_[static_cast<std::size_t>(rows.from.base)]) + rows.from.offset;
    }
    [[nodiscard]] std::byte* const* rows(const RecordedRows& rows) const {
      return all_->tables_[static_cast<std::size_t>(rows.table)].data();
    }
    template <class Visit>
    void for_gathers(const RecordedTile& tile, Visit visit) const {
      for (std::size_t i = tile.gathers.first; i < tile.gathers.end; ++i)
        visit(all_->gathers_[i], address(all_->gathers_[i].place));
    }
    template <class Visit>
    void for_scatters(const RecordedTile& tile, Visit visit) const {
      for (std::size_t i = tile.scatters.first; i < tile.scatters.end; ++i)
        visit(all_->scatters_[i], address(all_->scatters_[i].place));
    }
    template <class Visit>
    void for_products(const RecordedTile& tile, Visit visit) const {
      for (std::size_t i = tile.products.first; i < tile.products.end; ++i) visit(all_->products_[i]);
    }

   private:
    const RecordedTiles* all_;
    std::array<std::uintptr_t, 4> starts_;
  };

 private:
  [[nodiscard]] std::optional<RecordedRows> rows_of(const std::byte* const* rows, Index offset, Index length);
  template <class T>
  static void add(std::vector<T>& all, RecordedTile::Items& part, const T& one) {
    all.push_back(one);
    part.end = static_cast<std::uint32_t>(all.size());
  }

  std::vector<std::vector<std::byte*>> tables_{};  // addresses that rows have where the first one, `first_row`, is
  std::vector<RecordedTile> tiles_{};
  std::vector<RecordedMove> gathers_{}, scatters_{};
  std::vector<RecordedProduct> products_{};
  std::vector<std::size_t> units_{};  // numbers of their first tiles, and the end
};

}  // namespace shardfft
