// One transform over the tiles of a box: gather, transform, scale, scatter.
#pragma once

#include <array>
#include <span>

#include "support/memory/unset_array.hpp"
#include "sweep/host/recorded_tiles.hpp"
#include "sweep/host/rows.hpp"
#include "sweep/host/whole_lines.hpp"
#include "sweep/pencils.hpp"
#include "sweep/sweep.hpp"

namespace shardfft {

/// How a walk cuts a box into tiles of at most `pencils` pencils. In a row that begins `ahead` pencils after the start
/// of a cache line, 0 to `most_ahead`, the first tile is shorter by so many, and the last one may be empty. With `full`
/// (rows hold a tile at least, and nothing is ahead) the last tile of a row begins early enough to be full: some
/// pencils are in two tiles then.
class Tiling {
 public:
  Tiling(const Box& box, const Walk& walk, int pencils, Index most_ahead = 0, bool full = false);
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index row(Index tile) const { return tile / tiles_per_row_; }
  [[nodiscard]] Index first(Index tile, Index ahead = 0) const;  ///< number of its first pencil
  [[nodiscard]] Index size(Index tile, Index ahead = 0) const;   ///< how many pencils

 private:
  /// Its first pencil, counted from the start of the row.
  [[nodiscard]] Index start(Index tile_in_row, Index ahead) const;

  Index pencils_, total_, row_, tiles_per_row_ = 0, count_ = 0;
  bool full_;
};

/// Pencils first .. first + count - 1 of a box as `walk` counts them; there may be none.
struct TileOf {
  const Box* box = nullptr;
  const Walk* walk = nullptr;
  Index first = 0, count = 0;
  /// The box over fewer axes that the tile is stored to, if not over those it is read from. Its pencils have the same
  /// numbers there.
  const WalkedBox* stored = nullptr;
};

/// What a run does beside the transform of a tile.
struct TileRun {
  double scale = 1;
  /// With AdjointWeights, but for the one on all results, which is part of `scale`.
  bool adjoint = false;
  /// Stores bypass the cache where whole lines are written; lines that were begun wait here for the next tile, at the
  /// end for the caller to store. nullptr: all stores go through the cache.
  PartialLines* past_cache = nullptr;
  /// Sums up the squares of the results before they are scaled.
  bool measures_norm = false;
  [[nodiscard]] bool non_temporal() const { return past_cache != nullptr; }
};

/// One axis of a sweep, ready to run on tiles.
class TilePass {
 public:
  /// `wanted`: pencils of a tile, rounded up to a multiple of the kernel's; 0 means the kernel's own number.
  TilePass(Scalar scalar, const SweepAxis& axis, int wanted);

  [[nodiscard]] int axis() const { return axis_; }
  [[nodiscard]] double scale(bool adjoint) const { return adjoint ? scale_ * weights_.all : scale_; }
  [[nodiscard]] bool weighs() const { return !weights_.elements.empty(); }  ///< as part of an adjoint
  [[nodiscard]] int pencils() const { return kernels_per_tile_ * kernel_pencils(); }
  [[nodiscard]] int kernel_pencils() const { return kernel_->in().pencils; }
  [[nodiscard]] Index length_out() const { return kernel_->out().length; }
  /// The kernel, by itself, of full tiles of neighbours.
  [[nodiscard]] bool reaches_rows() const { return reads_rows_ || writes_rows_; }
  /// The plane between the axes of a sweep is larger than what stays in a core's own cache: the next tile's lines are
  /// asked for in planes, too.
  void asks_in_planes() { asks_in_planes_ = true; }
  /// The kernel reaches memory by itself for the two kernels' tiles of a wide one, too.
  void takes_two_in_row() { in_row_ = kernels_per_tile_ == most_in_row ? most_in_row : 1; }
  [[nodiscard]] std::size_t buffer_bytes() const;  ///< of scratch for one tile
  [[nodiscard]] Box after(Box box) const;          ///< the box in the output's index space

  /// Returns the sum of squares that `how` asks for, else 0.
  double run(const TileOf& tile, Rows& from, Rows& to, std::byte* scratch, const TileRun& how) const;

  /// Writes down what run() would do, as pass number `pass`, with `from` and `to` found with RecordedTiles::bases(),
  /// storing through the cache and without a look. False where that cannot be written down.
  [[nodiscard]] bool record(const TileOf& tile, Rows& from, Rows& to, std::size_t pass, RecordedTiles& recorded) const;
  void replay(const RecordedTile& tile, const RecordedTiles::Run& run, std::byte* scratch, double scale) const;

 private:
  [[nodiscard]] TileFormat together(TileFormat format) const;
  /// A cyclic axis in the order by owner: the index of each element, and its place in the tile.
  struct CyclicOrder {
    std::vector<Index> indices, places;
  };
  [[nodiscard]] static std::shared_ptr<const CyclicOrder> cyclic_order(TileFormat& format, Index owners);
  [[nodiscard]] static const Index* indices(const std::shared_ptr<const CyclicOrder>& order) {
    return order ? order->indices.data() : nullptr;
  }
  struct Pencils {  // of one tile
    const Box& box;
    const Walk& walk;
    Index first, count;
    PencilAt begin;
  };
  [[nodiscard]] static Pencils pencils_of(const Box& box, const Walk& walk, const TileOf& tile) {
    return {box, walk, tile.first, tile.count, pencil_at(box, walk, tile.first)};
  }
  template <class Visit>
  static void for_segments(const Pencils& p, Visit visit);
  template <class Visit>
  static void for_patches(const Pencils& p, Rows& rows, Visit visit);
  template <class Move>
  void for_kernels(Index k0, Index v0, const Rectangle<std::byte>& r, Move move) const;
  void store_in_lines(Index k0, Index v0, const Rectangle<std::byte>& target, std::byte* const* results, double scale,
                      PartialLines& partial) const;
  static constexpr int most_in_row = 2, max_kernels_per_tile = 16;
  struct Ends {  // those at which the passes reach memory by themselves, of each kernel's tile
    bool has_from = false, has_to = false;
    [[nodiscard]] bool any() const { return has_from || has_to; }
    UnsetArray<RowSource, most_in_row> from;
    UnsetArray<RowTarget, most_in_row> to;
  };
  double run(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, std::byte* scratch,
             const TileRun& how) const;
  /// One tile: load() gathers it unless the kernel reads memory by itself, store(results) scatters it likewise.
  template <class Load, class Store>
  void transform(Ends& ends, Index pencils, std::byte* scratch, Load load, Store store) const;
  void prefetch_while_storing(Ends& ends, int tiles) const;
  void replay_contiguous(const RecordedTile& tile, const RecordedTiles::Run& run, std::byte* scratch,
                         double scale) const;
  static constexpr Index most_contiguous = 256;
  struct ContiguousEnds {  // of the pencils of a tile
    std::array<const std::byte*, most_contiguous> from;
    std::array<std::byte*, most_contiguous> to;
    Index prefetch_distance = 0;
    bool non_temporal = false;
    bool whole_lines = true;  // is all that is stored, of each pencil
  };
  [[nodiscard]] bool find_contiguous(const Pencils& read, const Pencils& stored, Rows& from, Rows& to,
                                     const TileRun& how, ContiguousEnds& ends) const;
  double run_contiguous(const ContiguousEnds& ends, Index count, std::byte* scratch, const TileRun& how) const;
  void run_contiguous(std::span<const ContiguousPencil> pencils, bool whole_lines, std::byte* scratch) const;
  [[nodiscard]] Index to_next_tile(const Pencils& read, const Rows& from, Index element) const;
  void find_ends(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, const TileRun& how,
                 Ends& ends) const;
  [[nodiscard]] bool may_run_rows(const Pencils& p) const {
    return in_row_ == kernels_per_tile_ && (p.count == own_ || p.count == in_row_ * own_);
  }
  /// Bytes of an element of a kernel that reaches memory by itself. Such a kernel is complex at both ends, or real.
  [[nodiscard]] Index element_bytes() const { return static_cast<Index>(size_of(scalar_)) * (out_.complex ? 2 : 1); }
  [[nodiscard]] TilesInRow in_row(Index count) const {
    return {count == own_ ? 1 : in_row_, static_cast<Index>(2 * half_)};
  }
  [[nodiscard]] std::byte* buffer(std::byte* scratch, std::size_t kernel) const { return scratch + 2 * kernel * half_; }
  template <class Move>
  void for_gathers(const Pencils& p, Rows& from, Move move) const;
  template <class Multiply>
  void for_products(const Pencils& p, Multiply multiply) const;
  void multiply(const RecordedProduct& product, std::byte* scratch) const;
  /// The elements that weigh, where the pencils' tiles lie: tile(number of the kernel's tile).
  template <class Tile>
  void weigh(const Pencils& p, const TileFormat& format, double factor, Tile tile) const;
  void weigh_stored(std::span<std::byte* const> pencils) const;  ///< of complex or real numbers, contiguous
  void load(const Pencils& p, Rows& from, std::byte* scratch) const;
  void store(const Pencils& p, Rows& to, std::byte* const* results, const TileRun& how) const;

  Scalar scalar_;
  int axis_;
  double scale_;
  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Twiddles> twiddles_;
  int other_;
  TileFormat in_{}, out_{};  // what is gathered, what is scattered
  std::shared_ptr<const CyclicOrder> cyclic_in_{}, cyclic_out_{};
  CyclicMap other_map_{};
  AdjointWeights weights_{};
  std::size_t half_ = 0;  // bytes of one kernel buffer, rounded to lines
  int kernels_per_tile_ = 1;
  int own_ = 1;     // the kernel's pencils
  int in_row_ = 1;  // tiles of the kernel for which it reaches memory by itself
  bool reads_rows_ = false, writes_rows_ = false, takes_contiguous_ = false, asks_in_planes_ = false;
  bool is_pruned_ = false, cuts_output_ = false;  // has fewer points or modes than are computed; of the results
};

}  // namespace shardfft
