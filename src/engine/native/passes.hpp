// The order in which the passes of a complex transform run: depth first, so that most of them find their data in the first-level cache.
//
// With radices r_0, ..., r_{P-1} and done_p = r_0 ... r_{p-1}, pass p joins r_p transforms of length done_p of interleaved subsequences into one.
// The first pass wants its inputs in digit-reversed order: either it fetches them so from another tile, or whoever fills the tile has put them so
// (places()) and it works in place, as all others do. The result comes out in order. The first `inner_` passes run one after the other on a block that fits the cache, before the next block is begun; each pass
// beyond them runs as soon as the blocks that it joins are ready.
// Source: C. Van Loan, Computational Frameworks for the FFT, SIAM 1992, section 1.3 (decimation in time, Cooley-Tukey).
#pragma once

#include <vector>

#include "engine/native/step.hpp"

namespace shardfft::native {

template <class T>
class Passes {
 public:
  /// `twiddles(radix, done)` and `matrix(radix)` give tables that outlive the passes.
  template <class Twiddles, class Matrix>
  Passes(const std::vector<int>& radices, bool swapped, const Routines<T>& routines, Twiddles twiddles, Matrix matrix)
      : step_(2 * routines.lanes) {
    for (const int radix : radices) {
      const bool own = radix <= max_own_radix && routines.pass[radix] != nullptr;
      PassArgs<T> args{.radix = radix, .done = n_, .swapped = swapped};
      if (n_ > 1) args.table = twiddles(radix, n_);
      if (!own) args.matrix = matrix(radix);
      if (n_ == 1) first_ = own ? routines.first[radix] : routines.first_any;
      passes_.push_back({args, own ? routines.pass[radix] : routines.pass_any});
      n_ *= radix;
    }
    divide();
  }

  /// From one tile in natural order to another, or in place on one that was filled by places().
  void run(const T* in, T* out) const { run_from(static_cast<int>(passes_.size()) - 1, in, out); }

  /// Where element k must lie for run(x, x).
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

  /// Passes 0 .. p on the block at `out`.
  void run_from(int p, const T* in, T* out) const {
    if (p < inner_) return run_inner(in, out);
    const auto& [args, pass] = passes_[static_cast<std::size_t>(p)];
    const Index apart = in == out ? args.done : spacing(args);
    for (Index j = 0; j < args.radix; ++j) run_from(p - 1, in + j * apart * step_, out + j * args.done * step_);
    pass(args, 1, out);
  }

  void run_inner(const T* in, T* out) const {
    const PassArgs<T>& first = passes_.front().args;
    const bool in_place = in == out;
    first_(first, in_place ? one_after_the_other_.data() : offsets_.data(), static_cast<Index>(offsets_.size()), in_place ? 1 : n_ / first.radix, in, out);
    for (int p = 1; p < inner_; ++p) {
      const auto& [args, pass] = passes_[static_cast<std::size_t>(p)];
      pass(args, block_ / (args.done * args.radix), out);
    }
  }

  /// Elements between the first inputs of the transforms that a pass joins.
  [[nodiscard]] Index spacing(const PassArgs<T>& args) const { return n_ / (args.done * args.radix); }
  void divide();
  void put_places(int p, Index element, Index place, std::vector<Index>& list) const;

  Index step_;              // scalars of an element of all pencils
  Index n_ = 1, block_ = 1;
  int inner_ = 0;
  FirstPass<T> first_ = nullptr;
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
  for (std::size_t i = 0; i < offsets_.size(); ++i) one_after_the_other_.push_back(static_cast<Index>(i) * passes_.front().args.radix);
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
