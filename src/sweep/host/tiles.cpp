#include "sweep/host/tiles.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "support/memory/round_up.hpp"
#include "support/processor/processor_caches.hpp"
#include "support/processor/processor_profile.hpp"
#include "support/squares.hpp"
#include "sweep/host/tile_loops.hpp"
#include "sweep/host/tile_moves.hpp"
#include "sweep/host/tile_visits.hpp"

namespace shardfft {
namespace {

// Sum of squares of the first `pencils` pencils of a tile; the others are zero.
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
  const auto element = static_cast<Index>(size_of(scalar)) * per;
  for (Index v = 0; v < pencils; ++v) {
    const std::byte* pencil = tile + v * format.ld * static_cast<Index>(size_of(scalar));
    if (format.places == nullptr) sum += sum_of_squares(scalar, pencil, format.length * per);
    for (Index k = 0; format.places != nullptr && k < format.length; ++k)
      sum += sum_of_squares(scalar, pencil + format.places[k] * element, per);
  }
  return sum;
}

// The number at `place`, in scalars, and the imaginary part that lies so much further; 0: it has none.
void scale_element(Scalar scalar, std::byte* numbers, Index place, Index imaginary, double factor) {
  const auto scale = [&](auto* x) {
    using T = std::remove_pointer_t<decltype(x)>;
    x[place] *= static_cast<T>(factor);
    if (imaginary > 0) x[place + imaginary] *= static_cast<T>(factor);
  };
  scalar == Scalar::f32 ? scale(reinterpret_cast<float*>(numbers)) : scale(reinterpret_cast<double*>(numbers));
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
      weights_(axis.weights),
      half_(round_up(kernel_->buffer_bytes(), cache_line)) {
  own_ = kernel_->in().pencils;
  reads_rows_ = kernel_->reads_rows() && !twiddles_;
  writes_rows_ = kernel_->writes_rows();
  kernels_per_tile_ = std::clamp((wanted + own_ - 1) / own_, 1, max_kernels_per_tile);
  in_ = together(kernel_->in());
  out_ = together(kernel_->out());
  cyclic_in_ = cyclic_order(in_, axis.owners_in);
  cyclic_out_ = cyclic_order(out_, axis.owners_out);
  takes_contiguous_ = kernel_->takes_contiguous() && !twiddles_ && !cyclic_in_ && !cyclic_out_;
  is_pruned_ = axis.is_pruned();
  cuts_output_ = axis.stored_share() < 1;
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

double TilePass::run(const TileOf& tile, Rows& from, Rows& to, std::byte* scratch, const TileRun& how) const {
  const Pencils read = pencils_of(*tile.box, *tile.walk, tile);
  if (tile.stored == nullptr) return run(read, read, from, to, scratch, how);
  return run(read, pencils_of(tile.stored->box, tile.stored->walk, tile), from, to, scratch, how);
}

// Kernels reach memory by themselves at both ends of a tile, or at one, or pencils are contiguous, or the tile is
// gathered and scattered. Where elements weigh it is, or they do so where contiguous pencils were stored.
double TilePass::run(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, std::byte* scratch,
                     const TileRun& how) const {
  Ends ends;
  const bool weighed = how.adjoint && weighs(), in_memory = weights_.before == 1 && weights_.other < 0;
  if (!how.measures_norm && !weighed && may_run_rows(read)) find_ends(read, stored, from, to, how, ends);
  if (!ends.any() && takes_contiguous_ && (!weighed || in_memory) &&
      !(how.measures_norm && is_pruned_))  // Parseval's theorem is of whole pencils
    if (ContiguousEnds all; find_contiguous(read, stored, from, to, how, all)) {
      const double norm2 = run_contiguous(all, read.count, scratch, how);
      if (weighed) weigh_stored({all.to.data(), static_cast<std::size_t>(read.count)});
      return norm2;
    }
  if (ends.has_from && ends.has_to && !from.in_plane()) prefetch_while_storing(ends, in_row(read.count).count);
  double norm2 = 0;
  transform(
      ends, read.count, scratch,
      [&] {
        load(read, from, scratch);
        if (weighed)
          weigh(read, kernel_->in(), weights_.before, [&](std::size_t kernel) { return buffer(scratch, kernel); });
      },
      [&](std::byte* const* results) {
        if (weighed) weigh(read, kernel_->out(), weights_.after, [&](std::size_t kernel) { return results[kernel]; });
        for (Index done = 0; how.measures_norm && done < read.count; done += own_)
          norm2 +=
              sum_of_squares(scalar_, kernel_->out(), results[done / own_], std::min<Index>(own_, read.count - done));
        store(stored, to, results, how);
      });
  return norm2;
}

// What is asked for a whole pass before it is loaded must stay near: else it is asked for while results are stored.
void TilePass::prefetch_while_storing(Ends& ends, int tiles) const {
  if (ends.from[0].prefetch_distance == 0 || in_.length != out_.length || !rows_stay_near(ends.from[0], in_.length))
    return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tiles); ++i) {
    ends.to[i].next = ends.from[i].rows;
    ends.to[i].next_offset = ends.from[i].offset + ends.from[i].prefetch_distance;
    ends.from[i].prefetch_distance = 0;
  }
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

// Finds the ends of a full tile whose pencils are neighbours in memory. Results are written in place, field by field. A
// wider copy would wait until all earlier stores, of the previous tile, have left for memory.
void TilePass::find_ends(const Pencils& read, const Pencils& stored, Rows& from, Rows& to, const TileRun& how,
                         Ends& ends) const {
  const Index element = element_bytes(), tile = own_ * element;
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
  const bool whole_lines = out_.complex || tile % 64 == 0;  // others are put together before they bypass the cache
  if (writes_rows_ && in_one_row(stored) && (whole_lines || !how.non_temporal()))
    if (const ContiguousLanes out =
            to.contiguous_lanes(stored.begin.at, stored.count, out_.length, element, indices(cyclic_out_));
        out.rows != nullptr) {
      ends.has_to = true;
      for (std::size_t i = 0; i < tiles; ++i) {
        const Index further = offset(stored) + static_cast<Index>(i) * tile;
        const bool past_cache = how.non_temporal() && out.phase >= 0 && (out.phase + further) % 64 == 0;
        ends.to[i] = {.rows = out.rows,
                      .offset = out.offset + further,
                      .scale = how.scale,
                      .non_temporal_lo = past_cache ? out.far_lo : 0,
                      .non_temporal_hi = past_cache ? out.far_hi : 0};
      }
    }
}

void TilePass::load(const Pencils& p, Rows& from, std::byte* scratch) const {
  for_gathers(p, from, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    gather(scalar_, in_, buffer(scratch, kernel), k, lane,
           {r.data, r.count_k, r.count_v, r.step_k, r.step_v, r.conjugated});
  });
  for_products(p, [&](const RecordedProduct& product) { multiply(product, scratch); });
}

void TilePass::multiply(const RecordedProduct& p, std::byte* scratch) const {
  twiddles_->multiply(scalar_, kernel_->in(), buffer(scratch, p.kernel), p.lane, p.count, p.other, p.step);
}

template <class Tile>
void TilePass::weigh(const Pencils& p, const TileFormat& format, double factor, Tile tile) const {
  if (factor == 1) return;
  const TileSteps steps(format);
  for (const AdjointWeights::Element& element : weights_.elements)
    for_segments(p, [&](const Coord& at, Index in_tile, Index here) {
      for (Index i = 0; i < here; ++i) {
        const Index along = p.walk.lane == weights_.other ? i : 0, lane = in_tile + i;
        if (element.other >= 0 && weights_.other_map.index(at[weights_.other] + along) != element.other) continue;
        std::byte* const of_kernel = tile(static_cast<std::size_t>(lane / own_));
        const Index place = format.place(element.k) * steps.k + lane % own_ * steps.v;
        scale_element(scalar_, of_kernel, place, format.complex ? steps.imaginary : 0, factor);
      }
    });
}

void TilePass::weigh_stored(std::span<std::byte* const> pencils) const {
  const Index imaginary = out_.complex ? 1 : 0;
  for (std::byte* const pencil : pencils)
    for (const AdjointWeights::Element& element : weights_.elements)
      scale_element(scalar_, pencil, element.k * (1 + imaginary), imaginary, weights_.after);
}

void TilePass::store(const Pencils& p, Rows& to, std::byte* const* results, const TileRun& how) const {
  const bool in_lines = how.non_temporal() && scalar_ != Scalar::f80;
  const Index element = static_cast<Index>(size_of(scalar_)) * (out_.complex ? 2 : 1);
  for_patches(p, to, [&](const RowPatch& patch, Index v0, const Rectangle<std::byte>& target) {
    if (in_lines && !patch.in_plane && suits_staging(target, element))
      return store_in_lines(patch.k_lo, v0, target, results, how.scale, *how.past_cache);
    for_kernels(patch.k_lo, v0, target, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
      scatter(scalar_, out_, results[kernel], k, lane, r, how.scale, how.non_temporal() && !patch.in_plane);
    });
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
