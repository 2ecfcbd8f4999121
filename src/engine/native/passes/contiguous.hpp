// A transform of one pencil whose elements are neighbours in memory: contiguous-inl.h, and around it for reals
// contiguous_real-inl.h. The radices, and so the bits, are those of passes.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/native/factors.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

template <class T>
class ContiguousPasses {
 public:
  /// Whether there is code for them.
  [[nodiscard]] static bool can(const std::vector<Index>& radices, const Routines<T>& routines) {
    if (radices.size() < 2 || !is_own_radix(radices.front()) || routines.first_contiguous[radices.front()] == nullptr)
      return false;
    Index columns = 1;
    for (std::size_t p = 1; p < radices.size(); ++p) {
      if (!is_own_radix(radices[p]) || routines.contiguous[radices[p]] == nullptr) return false;
      columns *= radices[p];
    }
    const Index n = columns * radices.front(), lanes = routines.lanes;
    if (n < least_along && radices.front() % lanes != 0) return false;
    if (columns >= lanes) return n <= longest;
    return lanes >= least_shared_lanes && (2 * columns == lanes || (2 * columns > lanes && n >= least_overlapping));
  }

  /// `source` gives lane_twiddles(radix, done, lanes), which outlive the passes.
  template <class Source>
  ContiguousPasses(const std::vector<Index>& radices, bool swapped, const Routines<T>& routines, Source& source)
      : routines_(&routines) {
    for (const Index radix : radices) {
      PassArgs<T> args{.radix = radix, .done = n_, .swapped = swapped};
      if (n_ > 1) args.table = source.lane_twiddles(radix, n_, routines.lanes);
      passes_.push_back({args, routines.contiguous[radix]});
      n_ *= radix;
    }
    const Index lanes = routines.lanes;
    whole_vectors_ = radices.front() % lanes == 0;
    half_ = 2 * (n_ + lanes + 64 / static_cast<Index>(sizeof(T)));
    first_ = routines.first_contiguous[radices.front()];
    last_ = routines.last_contiguous[radices.back()];
    lay_out();
  }

  /// Whether all passes are over whole vectors. Results that are whole lines can then be stored past the cache.
  [[nodiscard]] bool are_whole_vectors() const { return whole_vectors_; }
  [[nodiscard]] int lanes() const { return routines_->lanes; }

  /// After the passes: the half spectrum of twice as many reals. Tables, which outlive the passes: those of split_real
  /// and join_real.
  template <class Source>
  void then_split(const T* table, Source& source) {
    real_ = {.n = n_, .table = source.lane_pairs(table, n_, routines_->lanes)}, splits_ = true;
    lay_out();
  }
  /// Before them: from a half spectrum.
  template <class Source>
  void join_first(const T* table, Source& source) {
    real_ = {.n = n_, .table = source.lane_pairs(table, n_, routines_->lanes)}, joins_ = true;
    lay_out();
  }

  /// `x`: scratch of as many elements as the tiles of all lanes. One pencil, or pair of them, after the other: several
  /// at a time, pass by pass, are as fast while they stay in a quarter of the first-level cache, and slower beyond.
  void run(std::span<const ContiguousPencil> pencils, T* x) const {
    if (!pairs_) {
      for (const ContiguousPencil& pencil : pencils) run(pencil, pencil, x, x);
      return;
    }
    for (std::size_t i = 0; i < pencils.size(); i += 2) {
      const bool two = i + 1 < pencils.size();
      run(pencils[i], pencils[i + (two ? 1 : 0)], x, two ? x + room() : x);
    }
  }

 private:
  /// Beyond, the scratch leaves the first-level cache in every pass, where a tile is computed block by block.
  static constexpr Index longest = 4096;
  /// Vectors whose halves overlap are worth it from this length on (n = 40 in eight lanes takes 1.25 times as long, 48
  /// is as fast as a tile).
  static constexpr Index least_overlapping = 48;

  struct Bound {
    PassArgs<T> args;
    ContiguousPass<T> run;
  };

  /// Scalars of the scratch of a pencil: both halves, unless it is never moved from one to the other.
  [[nodiscard]] Index room() const { return format_.step == 2 && !joins_ ? 2 * n_ : 2 * half_; }

  /// One pencil, or two that share vectors of the first pass, each with both halves of its scratch.
  void run(const ContiguousPencil& one, const ContiguousPencil& two, T* x, T* y) const {
    const T *from = begin(one, x), *other = x == y ? from : begin(two, y);
    FirstColumns<T> columns = columns_;
    columns.from[0] = from, columns.from[1] = other + 2 * shift_;
    columns.out[0] = x, columns.out[1] = y;
    columns.places[0] = places_.data(), columns.places[1] = places_.data() + shift_;
    first_(passes_.front().args, format_, columns);
    finish(one, x);
    if (x != y) finish(two, y);
  }

  const T* begin(const ContiguousPencil& pencil, T* x) const {
    const T* const from = reinterpret_cast<const T*>(pencil.from);
    if (!joins_) return from;
    routines_->join_contiguous(real_, from, x + half_);
    return x + half_;
  }

  /// Passes over whole vectors work in place, others from one half of the scratch to the other one.
  void finish(const ContiguousPencil& pencil, T* x) const {
    Index to = whole_vectors_ ? 0 : half_;
    for (std::size_t p = 1; p < passes_.size() - (splits_ ? 0 : 1); ++p, x += to, to = -to)
      passes_[p].run(passes_[p].args, format_, n_ / (passes_[p].args.done * passes_[p].args.radix), x, to);
    splits_ ? split(x, pencil) : last_(passes_.back().args, format_, x, pencil);
  }

  /// Half spectra of n + 1 elements are no whole lines: they are never stored past the cache.
  void split(const T* x, const ContiguousPencil& pencil) const {
    routines_->split_contiguous(
        real_, x, format_.im,
        pencil.prefetch_distance == 0 ? nullptr : reinterpret_cast<const T*>(pencil.from + pencil.prefetch_distance),
        reinterpret_cast<T*>(pencil.to), static_cast<T>(pencil.scale));
  }

  /// What is split is read in both directions, so its parts lie apart.
  void lay_out() {
    format_ = whole_vectors_ && !splits_ ? PencilFormat{.step = 2, .im = routines_->lanes}
                                         : PencilFormat{.step = 1, .im = half_ / 2};
    put_places();
    put_columns();
  }

  /// Finds where the first pass puts subsequence m. Subsequences that a pass joins are neighbours, so all passes work
  /// in place.
  void put_places() {
    places_ = {0};
    for (std::size_t p = passes_.size() - 1; p > 0; --p) {
      const PassArgs<T>& args = passes_[p].args;
      std::vector<Index> next;
      for (Index j = 0; j < args.radix; ++j)
        for (const Index place : places_) next.push_back(place + format_.step * j * args.done);
      places_ = std::move(next);
    }
  }

  /// Vectors of the first pass are full, but for columns that are computed twice. Where half a vector counts, and both
  /// pencils stay in the first-level cache and have room, two pencils share them if one has an odd number of halves.
  void put_columns() {
    const Index count = n_ / passes_.front().args.radix, lanes = routines_->lanes, half = lanes / 2;
    pairs_ = count <= 4 * lanes && (count + half - 1) / half % 2 == 1 && 2 * room() <= 2 * lanes * n_;
    shift_ = pairs_ ? 0 : std::min(half, count - half);
    columns_ = {.count = count,
                .step = pairs_ ? half : lanes,
                .last = pairs_ ? count - half : std::max<Index>(count - lanes, 0)};
  }

  const Routines<T>* routines_;
  Index n_ = 1;
  bool splits_ = false, joins_ = false;
  bool whole_vectors_ = false;  ///< in all passes
  Index half_ = 0;              ///< scalars of half the scratch of a pencil
  PencilFormat format_{};
  StepArgs<T> real_{};
  std::vector<Bound> passes_{};
  std::vector<Index> places_{};
  FirstColumns<T> columns_{};  ///< but for what differs from pencil to pencil
  Index shift_ = 0;            ///< columns from the first half of a vector to the second one, of one pencil
  bool pairs_ = false;         ///< two pencils share vectors
  FirstContiguousPass<T> first_ = nullptr;
  LastContiguousPass<T> last_ = nullptr;
};

}  // namespace shardfft::native
