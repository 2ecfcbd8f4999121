#include "sweep/host/tiles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "support/processor/processor_caches.hpp"
#include "support/processor/processor_profile.hpp"
#include "support/squares.hpp"
#include "sweep/host/tile_moves.hpp"

namespace shardfft {
namespace {

constexpr int max_kernels_per_tile = 16;
// Rows of a wide tile that are moved before the next kernel's columns: few enough pages to stay in the first-level TLB.
constexpr Index rows_at_once = 32;
constexpr std::size_t most_together = 8;  // contiguous pencils of a call

// Of the first `pencils` pencils of a tile; those behind them are zero.
double sum_of_squares(Scalar scalar, const TileFormat& format, const std::byte* tile, Index pencils) {
  const Index per = format.complex ? 2 : 1;
  if (format.order == TileFormat::Order::lanes && format.places == nullptr)
    return sum_of_squares(scalar, tile, format.length * format.pencils * per);
  double sum = 0;
  if (format.order == TileFormat::Order::lanes) {
    const Index row = format.pencils * per;
    for (Index k = 0; k < format.length; ++k)
      sum += sum_of_squares(scalar, tile + format.place(k) * row * static_cast<Index>(size_of(scalar)), row);
    return sum;
  }
  for (Index v = 0; v < pencils; ++v)
    sum += sum_of_squares(scalar, tile + v * format.ld * static_cast<Index>(size_of(scalar)), format.length * per);
  return sum;
}

// Of the first and the last element of a row of complex numbers: real parts alone, or both.
double squares_at_ends(Scalar scalar, const std::byte* row, Index length, Index parts) {
  return sum_of_squares(scalar, row, parts) +
         sum_of_squares(scalar, row + (length - 1) * 2 * static_cast<Index>(size_of(scalar)), parts);
}

// Whether a line of each of these rows has room in a core's second-level cache at the same time: the powers of two that
// are in their distance decide how many of its sets they share. What is asked for a whole pass before it is loaded must
// stay there.
bool rows_stay_near(const RowSource& source, Index length) {
  if (length < 2) return false;
  const auto apart = static_cast<Index>(reinterpret_cast<std::uintptr_t>(source.rows[1]) -
                                        reinterpret_cast<std::uintptr_t>(source.rows[0]));
  return (apart & -apart) * length <= processor_profile().pass_prefetch_bytes;
}

}  // namespace

Tiling::Tiling(const Box& box, const Walk& walk, int pencils, Index most_ahead, bool full)
    : pencils_(pencils), total_(pencil_count(box, walk)), full_(full) {
  row_ = walk.across || walk.lane < 0 ? total_ : box.extent(walk.lane);
  if (total_ == 0) return;
  tiles_per_row_ = (row_ + most_ahead + pencils_ - 1) / pencils_;
  count_ = tiles_per_row_ * (total_ / row_);
}

Index Tiling::start(Index tile_in_row, Index ahead) const {
  return std::clamp<Index>(tile_in_row * pencils_ - ahead, 0, row_);
}
Index Tiling::first(Index tile, Index ahead) const {
  const Index from = start(tile % tiles_per_row_, ahead);
  return row(tile) * row_ + (full_ ? std::min(from, row_ - pencils_) : from);
}
Index Tiling::size(Index tile, Index ahead) const {
  return full_ ? pencils_ : start(tile % tiles_per_row_ + 1, ahead) - start(tile % tiles_per_row_, ahead);
}

TilePass::TilePass(Scalar scalar, const SweepAxis& axis, int wanted)
    : scalar_(scalar),
      axis_(axis.axis),
      scale_(axis.scale),
      kernel_(axis.kernel),
      twiddles_(axis.twiddles),
      other_(axis.other),
      other_map_(axis.other_map),
      half_((kernel_->buffer_bytes() + 63) / 64 * 64) {
  own_ = kernel_->in().pencils;
  reads_rows_ = kernel_->reads_rows() && !twiddles_;
  writes_rows_ = kernel_->writes_rows();
  kernels_per_tile_ = std::clamp((wanted + own_ - 1) / own_, 1, max_kernels_per_tile);
  in_ = together(kernel_->in());
  out_ = together(kernel_->out());
  cyclic_in_ = cyclic_order(in_, axis.owners_in);
  cyclic_out_ = cyclic_order(out_, axis.owners_out);
  takes_contiguous_ = kernel_->takes_contiguous() && !twiddles_ && !cyclic_in_ && !cyclic_out_;
}

// Gather and scatter put the elements in order by their places; kernels know nothing of it.
std::shared_ptr<const TilePass::CyclicOrder> TilePass::cyclic_order(TileFormat& format, Index owners) {
  const CyclicMap map{format.length, owners};
  if (owners == 1) return nullptr;
  auto result = std::make_shared<CyclicOrder>();
  result->indices.reserve(static_cast<std::size_t>(map.n));
  result->places.reserve(static_cast<std::size_t>(map.n));
  for (Index at = 0; at < map.n; ++at) {
    result->indices.push_back(map.index(at));
    result->places.push_back(format.place(map.index(at)));
  }
  format.places = result->places.data();
  return result;
}

// Kernels of one pencil, one after the other, are one tile to gather and scatter.
TileFormat TilePass::together(TileFormat format) const {
  if (format.order != TileFormat::Order::rows || format.pencils != 1) return format;
  format.pencils = kernels_per_tile_;
  format.ld = static_cast<Index>(2 * half_ / size_of(scalar_));
  return format;
}

std::size_t TilePass::buffer_bytes() const { return static_cast<std::size_t>(kernels_per_tile_) * 2 * half_; }

Box TilePass::after(Box box) const {
  box.hi[axis_] = box.lo[axis_] + kernel_->out().length;
  return box;
}

double TilePass::run(const Box& box, const Walk& walk, Index first, Index count, Rows& from, Rows& to,
                     std::byte* scratch, double scale, PartialLines* past_cache, bool measures_norm,
                     const WalkedBox* stored) const {
  const Pencils p{box, walk, first, count, pencil_at(box, walk, first)};
  if (stored == nullptr) return run(p, p, from, to, scratch, scale, past_cache, measures_norm);
  return run(p, {stored->box, stored->walk, first, count, pencil_at(stored->box, stored->walk, first)}, from, to,
             scratch, scale, past_cache, measures_norm);
}

double TilePass::run(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, std::byte* scratch, double scale,
                     PartialLines* past_cache, bool measures_norm) const {
  if (!measures_norm && run_rows(read, stored, from, to, scratch, scale, past_cache)) return 0;
  if (takes_contiguous_)
    if (ContiguousEnds ends; find_contiguous(read, stored, from, to, past_cache != nullptr, ends))
      return run_contiguous(ends, read.count, scratch, scale, measures_norm);
  const int own = own_;
  const Index count = read.count;
  std::array<std::byte*, max_kernels_per_tile> results;
  double norm2 = 0;
  load(read, from, scratch);
  for (Index i = 0; i * own < count; ++i) {
    std::byte* a = buffer(scratch, static_cast<std::size_t>(i));
    if (count - i * own < own) clear_pencils(scalar_, kernel_->in(), a, count - i * own);
    results[static_cast<std::size_t>(i)] = kernel_->run(a, a + half_);
    if (measures_norm)
      norm2 += sum_of_squares(scalar_, kernel_->out(), results[static_cast<std::size_t>(i)],
                              std::min<Index>(own, count - i * own));
  }
  store(stored, to, results.data(), scale, past_cache);
  return norm2;
}

// A full tile at whose ends, or at one of them, the passes reach memory by themselves. False where there is no such
// end: then nothing is done.
bool TilePass::run_rows(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, std::byte* scratch,
                        double scale, PartialLines* past_cache) const {
  if (!may_run_rows(read)) return false;
  Ends ends;
  find_ends(read, stored, from, to, scale, past_cache != nullptr, ends);
  if (!ends.has_from && !ends.has_to) return false;
  if (!ends.has_from) load(read, from, scratch);
  const TilesInRow tiles = in_row(read.count);
  if (ends.has_from && ends.has_to && ends.from[0].prefetch_distance != 0 && !from.in_plane() &&
      in_.length == out_.length && rows_stay_near(ends.from[0], in_.length))
    for (std::size_t i = 0; i < static_cast<std::size_t>(tiles.count); ++i) {
      ends.to[i].next = ends.from[i].rows;
      ends.to[i].next_offset = ends.from[i].offset + ends.from[i].prefetch_distance;
      ends.from[i].prefetch_distance = 0;
    }
  std::byte* const result = kernel_->run_rows(ends.has_from ? ends.from.data() : nullptr,
                                              ends.has_to ? ends.to.data() : nullptr, tiles, scratch, scratch + half_);
  if (ends.has_to) return true;
  const std::array<std::byte*, most_in_row> results{result, result + tiles.apart};
  store(stored, to, results.data(), scale, past_cache);
  return true;
}

// Where pencils are contiguous in memory at both ends, which need no tile. False where they are not.
bool TilePass::find_contiguous(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, bool non_temporal,
                               ContiguousEnds& ends) const {
  const Index scalar = static_cast<Index>(size_of(scalar_)), element_in = scalar * (in_.complex ? 2 : 1),
              element_out = scalar * (out_.complex ? 2 : 1);
  if (read.count > most_contiguous) return false;
  ends.non_temporal = non_temporal;
  if (non_temporal)
    for_patches(stored, to, [&](const RowPatch& patch, Index, const Rectangle<std::byte>&) {
      ends.non_temporal = ends.non_temporal && !patch.in_plane;
    });
  // Back to reals, a full tile is up to a tenth faster than pencil after pencil, unless whole lines go past the cache.
  const bool real_out = !out_.complex, alone = 2 * read.count <= in_.pencils;
  if (real_out && !ends.non_temporal && !alone) return false;
  const auto add = [](auto& list, Index v0, const Rectangle<std::byte>& r) {
    for (Index v = 0; v < r.count_v; ++v) list[static_cast<std::size_t>(v0 + v)] = r.data + v * r.step_v;
  };
  bool possible = true;
  for_patches(read, from, [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) {
    possible = possible && r.count_k == in_.length && r.step_k == element_in && !r.conjugated;
    if (possible) add(ends.from, v0, r), ends.prefetch_distance = r.step_v;
  });
  if (!possible) return false;
  for_patches(stored, to, [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) {
    possible = possible && r.count_k == out_.length && r.step_k == element_out && !r.conjugated;
    ends.whole_lines = ends.whole_lines && reinterpret_cast<std::uintptr_t>(r.data) % 64 == 0 &&
                       (r.count_v == 1 || r.step_v % 64 == 0);
    if (possible) add(ends.to, v0, r);
  });
  constexpr Index soon = 8192;  // bytes
  const Index pencil = in_.length * element_in;
  ends.prefetch_distance = from.in_plane() ? 0 : ends.prefetch_distance * ((soon + pencil - 1) / pencil);
  ends.whole_lines = ends.whole_lines && out_.length * element_out % 64 == 0;
  return possible && (ends.whole_lines || !real_out || alone);
}

// What is to be stored past the cache, and has lines in parts, is put together in the second buffer, since kernels
// reach whole lines only.
void TilePass::run_contiguous(std::span<const ContiguousPencil> pencils, bool whole_lines, std::byte* scratch) const {
  if (whole_lines || !pencils.front().non_temporal) return kernel_->run_contiguous(pencils, scratch);
  const Index bytes = out_.length * static_cast<Index>(size_of(scalar_)) * (out_.complex ? 2 : 1),
              room = (bytes + 63) / 64 * 64 + 64;
  const std::size_t together = std::clamp<std::size_t>(half_ / static_cast<std::size_t>(room), 1,
                                                       most_together);  // a pencil and its line have room in any buffer
  UnsetArray<ContiguousPencil, most_together> here;
  while (!pencils.empty()) {
    const std::size_t count = std::min(together, pencils.size());
    for (std::size_t i = 0; i < count; ++i) {
      here[i] = pencils[i];
      here[i].to =
          scratch + half_ + static_cast<Index>(i) * room + reinterpret_cast<std::uintptr_t>(pencils[i].to) % 64;
      here[i].non_temporal = false;
    }
    kernel_->run_contiguous({here.data(), count}, scratch);
    for (std::size_t i = 0; i < count; ++i) store_lines(pencils[i].to, 0, here[i].to, 0, 1, bytes, nullptr);
    pencils = pencils.subspan(count);
  }
}

// With `measures_norm`, by Parseval's theorem: what is read is at owner here, what is stored may be in memory already.
// Sums are of results that were not scaled.
double TilePass::run_contiguous(const ContiguousEnds& ends, Index count, std::byte* scratch, double scale,
                                bool measures_norm) const {
  const std::size_t together =
      measures_norm ? 1 : most_together;  // what was summed up is transformed while it is in the first-level cache
  const bool from_half = !out_.complex,
             to_half = !in_.complex;  // a half spectrum, all of whose elements but the ends stand for two
  double norm2 = 0;
  UnsetArray<ContiguousPencil, most_together> pencils;
  for (std::size_t v = 0; v < static_cast<std::size_t>(count); v += together) {
    const std::size_t here = std::min(together, static_cast<std::size_t>(count) - v);
    double squares = 0;
    for (std::size_t i = 0; i < here; ++i) {
      const std::byte* from = ends.from[v + i];
      pencils[i] = {from, ends.to[v + i], ends.prefetch_distance, scale, ends.non_temporal};
      if (!measures_norm) continue;
      const double all = sum_of_squares(scalar_, from, in_.length * (to_half ? 1 : 2));
      squares += from_half ? 2 * (all - squares_at_ends(scalar_, from, in_.length, 2)) +
                                 squares_at_ends(scalar_, from, in_.length, 1)
                           : all;
    }
    run_contiguous({pencils.data(), here}, ends.whole_lines, scratch);
    squares *= static_cast<double>(std::max(in_.length, out_.length));
    if (measures_norm && to_half) {
      for (std::size_t i = 0; i < here; ++i)
        squares += squares_at_ends(scalar_, ends.to[v + i], out_.length, 2) / (scale * scale);
      squares /= 2;
    }
    norm2 += squares;
  }
  return norm2;
}

// Bytes from what a tile reads of each row to what the next one reads: further along the row, in the next row, or where
// the next unit begins; 0: none follows. Of short pencils further along in any case: to find out takes longer than it
// saves.
Index TilePass::to_next_tile(const Pencils& read, const Rows& from, Index element) const {
  constexpr Index short_pencils = 32;
  if (read.begin.left_in_row > read.count || in_.length < short_pencils) return read.count * element;
  const Index next = read.first + read.count;
  if (next < pencil_count(read.box, read.walk))
    return from.to_next_tile(read.begin.at, pencil_at(read.box, read.walk, next).at);
  return from.next() != nullptr ? from.to_next_tile(read.begin.at, *from.next()) : 0;
}

// Where the pencils of a full tile are neighbours in memory. What is found is written where it is used, field by field:
// copying it in wider pieces than it was written in would wait until all earlier stores, of the tile before, have left
// for memory.
void TilePass::find_ends(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, double scale,
                         bool non_temporal, Ends& ends) const {
  const Index element = 2 * static_cast<Index>(size_of(scalar_)), tile = own_ * element;
  const auto in_one_row = [&](const Pencils& p) { return p.begin.left_in_row >= p.count && p.walk.lane >= 0; };
  const auto offset = [&](const Pencils& p) { return p.begin.at[p.walk.lane] * element; };
  const auto tiles = static_cast<std::size_t>(in_row(read.count).count);
  if (reads_rows_ && in_one_row(read))
    if (const ContiguousLanes in =
            from.contiguous_lanes(read.begin.at, read.count, in_.length, element, indices(cyclic_in_));
        in.rows != nullptr) {
      const Index ahead = !from.in_plane() || asks_in_planes_ ? to_next_tile(read, from, element) : 0;
      ends.has_from = true;
      for (std::size_t i = 0; i < tiles; ++i) {
        ends.from[i] = {.rows = in.rows,
                        .offset = in.offset + offset(read) + static_cast<Index>(i) * tile,
                        .prefetch_distance = ahead};
      }
    }
  if (writes_rows_ && in_one_row(stored))
    if (const ContiguousLanes out =
            to.contiguous_lanes(stored.begin.at, stored.count, out_.length, element, indices(cyclic_out_));
        out.rows != nullptr) {
      ends.has_to = true;
      for (std::size_t i = 0; i < tiles; ++i) {
        const Index further = offset(stored) + static_cast<Index>(i) * tile;
        const bool past_cache = non_temporal && out.phase >= 0 && (out.phase + further) % 64 == 0;
        ends.to[i] = {.rows = out.rows,
                      .offset = out.offset + further,
                      .scale = scale,
                      .non_temporal_lo = past_cache ? out.far_lo : 0,
                      .non_temporal_hi = past_cache ? out.far_hi : 0};
      }
    }
}

// Visits the parts of a run of pencils that lie in one row: visit(position of the first, number within the tile, how
// many).
template <class Visit>
void TilePass::for_segments(const Pencils& p, Visit visit) {
  Index done = std::min(p.begin.left_in_row, p.count);
  visit(p.begin.at, Index{0}, done);
  while (done < p.count) {
    const PencilAt next = pencil_at(p.box, p.walk, p.first + done);
    const Index here = std::min(next.left_in_row, p.count - done);
    visit(next.at, done, here);
    done += here;
  }
}

// Visits what a tile and the patches of its rows share: visit(the patch's part of the row, pencil of the tile at which
// it begins, place).
template <class Visit>
void TilePass::for_patches(const Pencils& p, Rows& rows, Visit visit) {
  const Walk& walk = p.walk;
  for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
    const Index v_start = walk.lane < 0 ? 0 : at[walk.lane];
    for (const RowPatch& r : rows.row(at)) {
      const Index lo = std::max(v_start, r.v_lo), hi = std::min(v_start + here, r.v_hi);
      if (lo >= hi) continue;
      visit(r, in_tile + lo - v_start,
            Rectangle<std::byte>{r.origin + r.k_lo * r.step_k + lo * r.step_v, r.k_hi - r.k_lo, hi - lo, r.step_k,
                                 r.step_v, r.conjugated});
    }
  });
}

// Cuts a rectangle, from element `k0` of pencil `v0` of the tile on, into pieces that lie in one kernel's tile:
// move(kernel number, element, lane, piece).
template <class Move>
void TilePass::for_kernels(Index k0, Index v0, const Rectangle<std::byte>& r, Move move) const {
  const Index own = in_.pencils, block = pencils() == own ? r.count_k : rows_at_once;
  for (Index k = 0; k < r.count_k; k += block)
    for (Index v = 0; v < r.count_v;) {
      const Index lane = v0 + v, n = std::min(r.count_v - v, own - lane % own);
      move(static_cast<std::size_t>(lane / own), k0 + k, lane % own,
           Rectangle<std::byte>{r.data + k * r.step_k + v * r.step_v, std::min(block, r.count_k - k), n, r.step_k,
                                r.step_v, r.conjugated});  // written as in find_ends, not copied
      v += n;
    }
}

template <class Move>
void TilePass::for_gathers(const Pencils& p, Rows& from, Move move) const {
  for_patches(p, from, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& source) {
    for_kernels(patch.k_lo, v0, source, move);
  });
}

void TilePass::load(const Pencils& p, Rows& from, std::byte* scratch) const {
  for_gathers(p, from, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    gather(scalar_, in_, buffer(scratch, kernel), k, lane,
           {r.data, r.count_k, r.count_v, r.step_k, r.step_v, r.conjugated});
  });
  for_products(p, [&](const RecordedProduct& product) { multiply(product, scratch); });
}

template <class Multiply>
void TilePass::for_products(const Pencils& p, Multiply multiply) const {
  if (!twiddles_) return;
  const Index own = own_;
  const bool along = p.walk.lane == other_;
  for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
    for (Index done = 0; done < here;) {
      const Index lane = in_tile + done, other = at[other_] + (along ? done : 0);
      const Index left = along ? other_map_.left_of_owner(other) : here;
      const Index n = std::min({here - done, own - lane % own, left});
      multiply(RecordedProduct{static_cast<std::uint32_t>(lane / own), lane % own, n, other_map_.index(other),
                               along ? other_map_.owners : 0});
      done += n;
    }
  });
}

void TilePass::multiply(const RecordedProduct& p, std::byte* scratch) const {
  twiddles_->multiply(scalar_, kernel_->in(), buffer(scratch, p.kernel), p.lane, p.count, p.other, p.step);
}

void TilePass::store(const Pencils& p, Rows& to, std::byte* const* results, double scale,
                     PartialLines* past_cache) const {
  const bool in_lines = past_cache != nullptr && scalar_ != Scalar::f80;
  const Index element = static_cast<Index>(size_of(scalar_)) * (out_.complex ? 2 : 1);
  for_patches(p, to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    if (in_lines && !patch.in_plane && suits_staging(target, element))
      return store_in_lines(patch.k_lo, v0, target, results, scale, *past_cache);
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      scatter(scalar_, out_, results[kernel], k, lane, r, scale, past_cache != nullptr && !patch.in_plane);
    });
  });
}

bool TilePass::record(const Box& box, const Walk& walk, Index first, Index count, Rows& from, Rows& to,
                      std::size_t pass, RecordedTiles& recorded, const WalkedBox* stored) const {
  const Pencils p{box, walk, first, count, pencil_at(box, walk, first)};
  const Pencils at_end =
      stored == nullptr ? p
                        : Pencils{stored->box, stored->walk, first, count, pencil_at(stored->box, stored->walk, first)};
  recorded.begin_tile(pass, count);
  Ends ends;
  ContiguousEnds contiguous;
  if (takes_contiguous_ && find_contiguous(p, at_end, from, to, /*non_temporal=*/false, contiguous)) {
    recorded.is_contiguous(contiguous.prefetch_distance);  // pencils are counted through the tile, whole ones: kernels
                                                           // and blocks of rows are for tiles
    for_patches(p, from,
                [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.gathers(0, 0, v0, r); });
    for_patches(at_end, to,
                [&](const RowPatch&, Index v0, const Rectangle<std::byte>& r) { recorded.scatters(0, 0, v0, r); });
    return true;
  }
  if (may_run_rows(p)) find_ends(p, at_end, from, to, 1, /*non_temporal=*/false, ends);
  if (ends.has_from && !recorded.reads(ends.from[0], in_.length)) return false;
  if (ends.has_to && !recorded.writes(ends.to[0], out_.length)) return false;
  if (!ends.has_from)
    for_gathers(p, from, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.gathers(kernel, k, lane, r);
    });
  if (!ends.has_from) for_products(p, [&](const RecordedProduct& product) { recorded.multiplies(product); });
  if (ends.has_to) return true;
  for_patches(at_end, to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      recorded.scatters(kernel, k, lane, r);
    });
  });
  return true;
}

void TilePass::replay(const RecordedTile& tile, const RecordedTiles::Run& run, std::byte* scratch, double scale) const {
  if (tile.contiguous) {
    ContiguousEnds ends;
    run.for_gathers(tile, [&](const RecordedMove& m, const std::byte* data) {
      for (Index v = 0; v < m.count_v; ++v) ends.from[static_cast<std::size_t>(m.lane + v)] = data + v * m.step_v;
    });
    run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
      for (Index v = 0; v < m.count_v; ++v) ends.to[static_cast<std::size_t>(m.lane + v)] = data + v * m.step_v;
    });
    ends.prefetch_distance = tile.prefetch_distance;
    run_contiguous(ends, tile.pencils, scratch, scale, /*measures_norm=*/false);
    return;
  }
  const bool has_from = tile.from.table >= 0, has_to = tile.to.table >= 0;
  std::array<std::byte*, max_kernels_per_tile> results;
  if (!has_from) {
    run.for_gathers(tile, [&](const RecordedMove& m, std::byte* data) {
      gather(scalar_, in_, buffer(scratch, m.kernel), m.k, m.lane,
             {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated});
    });
    run.for_products(tile, [&](const RecordedProduct& product) { multiply(product, scratch); });
  }
  if (has_from || has_to) {
    UnsetArray<RowSource, most_in_row> from;
    UnsetArray<RowTarget, most_in_row> to;
    const TilesInRow tiles = in_row(tile.pencils);
    for (int i = 0; i < tiles.count; ++i) {
      const Index further = i * own_ * 2 * static_cast<Index>(size_of(scalar_));
      if (has_from)
        from[static_cast<std::size_t>(i)] = {.rows = run.rows(tile.from),
                                             .offset = run.offset(tile.from) + further,
                                             .prefetch_distance = tile.from.prefetch_distance};
      if (has_to)
        to[static_cast<std::size_t>(i)] = {
            .rows = run.rows(tile.to), .offset = run.offset(tile.to) + further, .scale = scale};
    }
    std::byte* const result = kernel_->run_rows(has_from ? from.data() : nullptr, has_to ? to.data() : nullptr, tiles,
                                                scratch, scratch + half_);
    if (has_to) return;
    for (int i = 0; i < tiles.count; ++i) results[static_cast<std::size_t>(i)] = result + i * tiles.apart;
  } else {
    for (Index i = 0; i * own_ < tile.pencils; ++i) {
      std::byte* a = buffer(scratch, static_cast<std::size_t>(i));
      if (tile.pencils - i * own_ < own_) clear_pencils(scalar_, kernel_->in(), a, tile.pencils - i * own_);
      results[static_cast<std::size_t>(i)] = kernel_->run(a, a + half_);
    }
  }
  run.for_scatters(tile, [&](const RecordedMove& m, std::byte* data) {
    scatter(scalar_, out_, results[m.kernel], m.k, m.lane,
            {data, m.count_k, m.count_v, m.step_k, m.step_v, m.conjugated}, scale, false);
  });
}

void TilePass::store_in_lines(Index k0, Index v0, const Rectangle<std::byte>& target, std::byte* const* results,
                              double scale, PartialLines& partial) const {
  const Index element = static_cast<Index>(size_of(scalar_)) * (out_.complex ? 2 : 1);
  alignas(64) std::array<std::byte, staging_bytes> memory;  // left as it is: only what was put there is stored
  through_staging_tiles(target, element, in_.pencils, partial.from(k0), memory.data(),
                        [&](const Rectangle<std::byte>& staging, Index k, Index v) {
                          for_kernels(k0 + k, v0 + v, staging,
                                      [&](std::size_t kernel, Index at, Index lane, const Rectangle<std::byte>& r) {
                                        scatter(scalar_, out_, results[kernel], at, lane, r, scale, false);
                                      });
                        });
}

}  // namespace shardfft
