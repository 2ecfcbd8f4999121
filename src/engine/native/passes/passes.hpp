// The order in which the passes of a complex transform run: depth first, so that most of them find their data in the
// first-level cache.
//
// With radices r_0, ..., r_{P-1} and done_p = r_0 ... r_{p-1}, pass p joins r_p transforms of length done_p of
// interleaved subsequences into one. The first pass wants its inputs in digit-reversed order: either it fetches them so
// from another tile, or whoever fills the tile has put them so (places()) and it works in place, as all others do. The
// result comes out in order. The first `inner_` passes run one after the other on a block that fits the cache, before
// the next block is begun; each pass beyond them runs as soon as the blocks that it joins are ready. Source: C. Van
// Loan, Computational Frameworks for the FFT, SIAM 1992, section 1.3 (decimation in time, Cooley-Tukey).
#pragma once

#include <algorithm>
#include <vector>

#include "engine/native/factors.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

template <class T>
class Passes {
 public:
  /// `source` gives what outlives the passes: twiddles(radix, done), matrix(radix), and convolution(radix), which is
  /// null for radices that need none.
  template <class Source>
  Passes(const std::vector<Index>& radices, bool swapped, const Routines<T>& routines, Source& source)
      : step_(2 * routines.lanes) {
    for (const Index radix : radices) {
      const bool own = is_own_radix(radix);
      PassArgs<T> args{.radix = radix, .done = n_, .swapped = swapped};
      if (n_ > 1) args.table = source.twiddles(radix, n_);
      if (!own) args.convolution = source.convolution(radix);
      if (!own && args.convolution == nullptr) args.matrix = source.matrix(radix);
      if (args.convolution != nullptr) scratch_ = std::max(scratch_, args.convolution->scratch);
      if (n_ == 1) first_ = own ? routines.first[radix] : routines.first_any;
      if (n_ == 1) first_of_rows_ = own ? routines.first_of_rows[radix] : nullptr;
      only_to_rows_ = n_ == 1 && own ? routines.only_to_rows[radix] : nullptr;
      last_to_rows_ = n_ > 1 && own ? routines.last_to_rows[radix] : nullptr;
      passes_.push_back({args, own ? routines.pass[radix] : routines.pass_any});
      n_ *= radix;
    }
    divide();
  }

  [[nodiscard]] Index elements() const { return n_ + scratch_; }  ///< that `out` must hold

  /// From one tile in natural order to another, or in place on one that was filled by places().
  void run(const T* in, T* out) const {
    run_from(last(), {.tile = in, .in_place = in == out}, 0, out, out + n_ * step_);
  }

  /// Whether the first pass can read rows of memory, and whether the last one can write them.
  [[nodiscard]] bool reads_rows() const { return first_of_rows_ != nullptr; }
  [[nodiscard]] bool writes_rows() const { return last_to_rows_ != nullptr || only_to_rows_ != nullptr; }
  /// run(x, x), where the first pass reads from memory and the last one writes there, unless these are null; of all
  /// tiles, which are `apart` scalars from each other: block by block, then some butterflies at a time.
  void run_rows(const RowSource* from, const RowTarget* to, const TilesInRow& tiles, T* x) const {
    const Input in{.tile = from == nullptr ? x : nullptr, .rows = from, .in_place = from == nullptr, .tiles = tiles};
    if (to == nullptr) return run_from(last(), in, 0, x, x + n_ * step_);
    const PassArgs<T>& args = passes_.back().args;
    if (only_to_rows_ != nullptr) {
      for (int i = 0; i < tiles.count; ++i)
        only_to_rows_(args, from == nullptr ? nullptr : from + i, x + i * tiles.apart, to[i]);
      return;
    }
    run_before(last(), in, 0, x, x + n_ * step_);
    const Index at_once = tiles.count == 1 ? args.done : 4;
    for (Index k = 0; k < args.done; k += at_once)
      for (int i = 0; i < tiles.count; ++i)
        last_to_rows_(args, k, std::min(k + at_once, args.done), x + i * tiles.apart, to[i]);
  }

  /// The place of element k in the input of run(x, x).
  [[nodiscard]] std::vector<Index> places() const {
    std::vector<Index> list(static_cast<std::size_t>(n_));
    put_places(static_cast<int>(passes_.size()) - 1, 0, 0, list);
    return list;
  }

 private:
  struct Bound {
    PassArgs<T> args;
    Pass<T> run;
  };

  /// What the first pass reads: the tile where the results go, filled by places(); another tile in natural order; or
  /// memory. Blocks begin `at` elements after its start. It is never copied: a copy would wait until all earlier
  /// stores, of the tile before, have left for memory.
  struct Input {
    const T* tile = nullptr;
    const RowSource* rows = nullptr;  // one for each tile
    bool in_place = false;
    TilesInRow tiles{};  // `apart` in scalars
  };
  [[nodiscard]] int last() const { return static_cast<int>(passes_.size()) - 1; }

  /// Passes 0 .. p on the block at `out`.
  void run_from(int p, const Input& in, Index at, T* out, T* scratch) const {
    if (p < inner_) return run_inner(inner_, in, at, out, scratch);
    run_before(p, in, at, out, scratch);
    for (int i = 0; i < in.tiles.count; ++i)
      join(passes_[static_cast<std::size_t>(p)], 1, out + i * in.tiles.apart, scratch);
  }

  /// Passes 0 .. p - 1 on what pass p joins at `out`.
  void run_before(int p, const Input& in, Index at, T* out, T* scratch) const {
    if (p < inner_) return run_inner(p, in, at, out, scratch);
    const PassArgs<T>& args = passes_[static_cast<std::size_t>(p)].args;
    const Index apart = in.in_place ? args.done : spacing(args);
    for (Index j = 0; j < args.radix; ++j) run_from(p - 1, in, at + j * apart, out + j * args.done * step_, scratch);
  }

  /// The first passes on a block of the inner ones.
  void run_inner(int passes, const Input& in, Index at, T* out, T* scratch) const {
    for (int i = 0; i < in.tiles.count; ++i, out += in.tiles.apart) {
      begin(in, i, at, out, scratch);
      for (int p = 1; p < passes; ++p) {
        const Bound& pass = passes_[static_cast<std::size_t>(p)];
        join(pass, block_ / (pass.args.done * pass.args.radix), out, scratch);
      }
    }
  }

  /// The first pass of a block of tile `number`.
  void begin(const Input& in, int number, Index at, T* out, T* scratch) const {
    const PassArgs<T>& first = passes_.front().args;
    const Index apart = in.in_place ? 1 : spacing(first);
    const std::vector<Index>& offsets = in.in_place ? one_after_the_other_ : offsets_;
    const auto butterflies = static_cast<Index>(offsets.size());
    if (in.tile == nullptr) return first_of_rows_(first, offsets.data(), butterflies, apart, in.rows[number], at, out);
    const T* const tile = in.tile + number * in.tiles.apart + at * step_;
    if (first.convolution == nullptr) return first_(first, offsets.data(), butterflies, apart, tile, out);
    for (const Index offset : offsets) {
      first.convolution->run(first, nullptr, tile + offset * step_, apart, out, 1, scratch);
      out += first.radix * step_;
    }
  }

  void join(const Bound& pass, Index blocks, T* x, T* scratch) const {
    const PassArgs<T>& a = pass.args;
    if (a.convolution == nullptr) return pass.run(a, blocks, x);
    for (Index block = 0; block < blocks; ++block, x += a.radix * a.done * step_)
      for (Index k = 0; k < a.done; ++k)
        a.convolution->run(a, a.table + 2 * k * a.radix, x + k * step_, a.done, x + k * step_, a.done, scratch);
  }

  /// Elements between the first inputs of the transforms that a pass joins.
  [[nodiscard]] Index spacing(const PassArgs<T>& args) const { return n_ / (args.done * args.radix); }
  void divide();
  void put_places(int p, Index element, Index place, std::vector<Index>& list) const;

  Index step_;  // scalars of an element of all pencils
  Index n_ = 1, block_ = 1;
  int inner_ = 0;
  FirstPass<T> first_ = nullptr;
  FirstPassOfRows<T> first_of_rows_ = nullptr;
  LastPassToRows<T> last_to_rows_ = nullptr;
  OnlyPassToRows<T> only_to_rows_ = nullptr;
  Index scratch_ = 0;  // elements behind the result, for primes
  std::vector<Bound> passes_{};
  std::vector<Index> offsets_{};              // first inputs of the butterflies of a block
  std::vector<Index> one_after_the_other_{};  // the same in place
};

/// Bytes of a block for the inner passes: half a first-level cache of 32 KiB, which leaves room for what is fetched.
inline constexpr Index block_bytes = 16 * 1024;

template <class T>
void Passes<T>::divide() {
  for (const Bound& pass : passes_) {
    const Index joined = block_ * pass.args.radix;
    if (inner_ > 0 && joined * step_ * static_cast<Index>(sizeof(T)) > block_bytes) break;
    if (inner_ > 0) {
      const std::size_t before = offsets_.size();
      for (Index j = 1; j < pass.args.radix; ++j)
        for (std::size_t i = 0; i < before; ++i) offsets_.push_back(offsets_[i] + j * spacing(pass.args));
    } else {
      offsets_ = {0};
    }
    block_ = joined;
    ++inner_;
  }
  for (std::size_t i = 0; i < offsets_.size(); ++i)
    one_after_the_other_.push_back(static_cast<Index>(i) * passes_.front().args.radix);
}

template <class T>
void Passes<T>::put_places(int p, Index element, Index place, std::vector<Index>& list) const {
  if (p >= inner_) {
    const PassArgs<T>& args = passes_[static_cast<std::size_t>(p)].args;
    for (Index j = 0; j < args.radix; ++j) put_places(p - 1, element + j * spacing(args), place + j * args.done, list);
    return;
  }
  const Index radix = passes_.front().args.radix;
  for (const Index offset : offsets_)
    for (Index j = 0; j < radix; ++j) list[static_cast<std::size_t>(element + offset + j * (n_ / radix))] = place++;
}

}  // namespace shardfft::native
