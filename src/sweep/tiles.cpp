#include "sweep/tiles.hpp"

#include <algorithm>
#include <array>

#include "support/squares.hpp"
#include "sweep/tile_moves.hpp"

namespace shardfft {
namespace {

constexpr int max_kernels_per_tile = 16;
// Rows of a wide tile that are moved before the next kernel's columns: few enough pages to stay in the first-level TLB.
constexpr Index rows_at_once = 32;

// Visits the parts of a run of pencils that lie in one row: visit(position of the first, number within the tile, how many).
template <class Visit>
void for_segments(const Box& box, const Walk& walk, Index first, Index count, Visit visit) {
  for (Index done = 0; done < count;) {
    const PencilAt p = pencil_at(box, walk, first + done);
    const Index here = std::min(p.left_in_row, count - done);
    visit(p.at, done, here);
    done += here;
  }
}

// Of the first `pencils` pencils of a tile; those behind them are zero.
double sum_of_squares(Scalar scalar, const TileFormat& format, const std::byte* tile, Index pencils) {
  const Index per = format.complex ? 2 : 1;
  if (format.order == TileFormat::Order::lanes) return sum_of_squares(scalar, tile, format.length * format.pencils * per);
  double sum = 0;
  for (Index v = 0; v < pencils; ++v) sum += sum_of_squares(scalar, tile + v * format.ld * static_cast<Index>(size_of(scalar)), format.length * per);
  return sum;
}

}  // namespace

Tiling::Tiling(const Box& box, const Walk& walk, int pencils, Index most_ahead) : pencils_(pencils), total_(pencil_count(box, walk)) {
  row_ = walk.across || walk.lane < 0 ? total_ : box.extent(walk.lane);
  if (total_ == 0) return;
  tiles_per_row_ = (row_ + most_ahead + pencils_ - 1) / pencils_;
  count_ = tiles_per_row_ * (total_ / row_);
}

Index Tiling::start(Index tile_in_row, Index ahead) const { return std::clamp<Index>(tile_in_row * pencils_ - ahead, 0, row_); }
Index Tiling::first(Index tile, Index ahead) const { return row(tile) * row_ + start(tile % tiles_per_row_, ahead); }
Index Tiling::size(Index tile, Index ahead) const { return start(tile % tiles_per_row_ + 1, ahead) - start(tile % tiles_per_row_, ahead); }

TilePass::TilePass(Scalar scalar, const SweepAxis& axis, int wanted)
    : scalar_(scalar), axis_(axis.axis), kernel_(axis.kernel), twiddles_(axis.twiddles), other_(axis.other), half_((kernel_->buffer_bytes() + 63) / 64 * 64) {
  const int own = kernel_->in().pencils;
  kernels_per_tile_ = std::clamp((wanted + own - 1) / own, 1, max_kernels_per_tile);
  in_ = together(kernel_->in());
  out_ = together(kernel_->out());
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

double TilePass::run(const Box& box, const Walk& walk, Index first, Index count, Rows& from, Rows& to, std::byte* scratch, double scale, bool stream,
                     bool looks) const {
  if (!looks && run_rows(box, walk, first, count, from, to, scratch, scale, stream)) return 0;
  const int own = kernel_->in().pencils;
  std::array<std::byte*, max_kernels_per_tile> results{};
  double norm2 = 0;
  load(box, walk, first, count, from, scratch);
  for (Index i = 0; i * own < count; ++i) {
    std::byte* a = scratch + static_cast<std::size_t>(2 * i) * half_;
    if (count - i * own < own) clear_pencils(scalar_, kernel_->in(), a, count - i * own);
    results[static_cast<std::size_t>(i)] = kernel_->run(a, a + half_);
    if (looks) norm2 += sum_of_squares(scalar_, kernel_->out(), results[static_cast<std::size_t>(i)], std::min<Index>(own, count - i * own));
  }
  store(box, walk, first, count, to, results.data(), scale, stream);
  return norm2;
}

// A full tile at whose ends, or at one of them, the passes reach memory by themselves. False where there is no such end: then nothing is done.
bool TilePass::run_rows(const Box& box, const Walk& walk, Index first, Index count, Rows& from, Rows& to, std::byte* scratch, double scale, bool stream) const {
  if (count != kernel_->in().pencils || kernels_per_tile_ != 1) return false;
  Ends ends;
  find_ends(box, walk, first, from, to, scale, stream, ends);
  if (!ends.has_from && !ends.has_to) return false;
  if (!ends.has_from) load(box, walk, first, count, from, scratch);
  std::byte* const result = kernel_->run_rows(ends.has_from ? &ends.from : nullptr, ends.has_to ? &ends.to : nullptr, scratch, scratch + half_);
  if (!ends.has_to) store(box, walk, first, count, to, &result, scale, stream);
  return true;
}

// Where the pencils of a full tile are neighbours in memory. What is found is written where it is used, field by field: copying it in wider pieces than it was written in would
// wait until all earlier stores, of the tile before, have left for memory.
void TilePass::find_ends(const Box& box, const Walk& walk, Index first, Rows& from, Rows& to, double scale, bool stream, Ends& ends) const {
  const Index own = kernel_->in().pencils;
  const bool reads = kernel_->reads_rows() && !twiddles_;
  if (!reads && !kernel_->writes_rows()) return;
  const PencilAt p = pencil_at(box, walk, first);
  if (p.left_in_row < own || walk.lane < 0) return;
  const Index element = 2 * static_cast<Index>(size_of(scalar_)), offset = p.at[walk.lane] * element;
  if (reads)
    if (const Neighbours in = from.neighbours(p.at, own, kernel_->in().length, element); in.rows != nullptr) {
      ends.has_from = true;
      ends.from.rows = in.rows;
      ends.from.offset = offset;
      ends.from.ahead = !from.in_plane();
    }
  if (kernel_->writes_rows())
    if (const Neighbours out = to.neighbours(p.at, own, kernel_->out().length, element); out.rows != nullptr) {
      ends.has_to = true;
      ends.to.rows = out.rows;
      ends.to.offset = offset;
      ends.to.scale = scale;
      ends.to.stream = stream && out.phase >= 0 && (out.phase + offset) % 64 == 0;
    }
}

// Cuts what a tile and the patches of its rows share into pieces that lie in one kernel's tile and one patch: move(kernel number, row, lane, the piece's place).
template <class Move>
void TilePass::for_pieces(const Box& box, const Walk& walk, Index first, Index count, Rows& rows, Move move) const {
  const Index own = in_.pencils;
  for_segments(box, walk, first, count, [&](const Coord& at, Index in_tile, Index here) {
    const Index v_start = walk.lane < 0 ? 0 : at[walk.lane];
    for (const RowPatch& r : rows.row(at)) {
      const Index lo = std::max(v_start, r.v_lo), hi = std::min(v_start + here, r.v_hi);
      const Index block = pencils() == own ? r.k_hi - r.k_lo : rows_at_once;
      for (Index k = r.k_lo; lo < hi && k < r.k_hi; k += block)
        for (Index v = lo; v < hi;) {
          const Index lane = in_tile + v - v_start, n = std::min(hi - v, own - lane % own);
          move(static_cast<std::size_t>(lane / own), k, lane % own,
               Rectangle<std::byte>{r.origin + k * r.step_k + v * r.step_v, std::min(block, r.k_hi - k), n, r.step_k, r.step_v, r.conjugated});
          v += n;
        }
    }
  });
}

void TilePass::load(const Box& box, const Walk& walk, Index first, Index count, Rows& from, std::byte* scratch) const {
  for_pieces(box, walk, first, count, from, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    gather(scalar_, in_, scratch + 2 * kernel * half_, k, lane, {r.data, r.count_k, r.count_v, r.step_k, r.step_v, r.conjugated});
  });
  if (twiddles_) multiply(box, walk, first, count, scratch);
}

void TilePass::multiply(const Box& box, const Walk& walk, Index first, Index count, std::byte* scratch) const {
  const Index own = kernel_->in().pencils, step = walk.lane == other_ ? 1 : 0;
  for_segments(box, walk, first, count, [&](const Coord& at, Index in_tile, Index here) {
    for (Index done = 0; done < here;) {
      const Index lane = in_tile + done, n = std::min(here - done, own - lane % own);
      twiddles_->multiply(scalar_, kernel_->in(), scratch + 2 * static_cast<std::size_t>(lane / own) * half_, lane % own, n, at[other_] + step * done, step);
      done += n;
    }
  });
}

void TilePass::store(const Box& box, const Walk& walk, Index first, Index count, Rows& to, std::byte* const* results, double scale,
                     bool stream) const {
  for_pieces(box, walk, first, count, to, [&](std::size_t kernel, Index k, Index lane, const Rectangle<std::byte>& r) {
    scatter(scalar_, out_, results[kernel], k, lane, r, scale, stream);
  });
}

}  // namespace shardfft
