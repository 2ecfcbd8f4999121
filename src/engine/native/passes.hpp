// The order in which the passes of a complex transform run: depth first, so that most of them find their data in the first-level cache.
//
// With radices r_0, ..., r_{P-1} and done_p = r_0 ... r_{p-1}, pass p joins r_p transforms of length done_p of interleaved subsequences into one.
// The first pass fetches its inputs, in digit-reversed order, from the input tile; all others work in place on the output tile, so that the result
// comes out in order. The first `inner_` passes run one after the other on a block that fits the cache, before the next block is begun; each pass
// beyond them runs as soon as the blocks that it joins are ready.
//
// Three passes of radices r, m, r can also work in place altogether: the first of them exchanges the first digit and the last one.
// Source: C. Van Loan, Computational Frameworks for the FFT, SIAM 1992, section 1.3 (decimation in time, Cooley-Tukey).
#pragma once

#include <algorithm>
#include <vector>

#include "engine/native/step.hpp"

namespace shardfft::native {

/// Of the first-level cache, for a tile with its scratch: 48 KiB are usual; with 32 KiB it costs little to be wrong.
inline constexpr Index cache_bytes = 46 * 1024;

template <class T>
class Passes {
 public:
  /// `source` gives what outlives the passes: twiddles(radix, done), matrix(radix), and convolution(radix), which is null for radices that need none.
  /// `in_place`: they may choose to work in place.
  template <class Source>
  Passes(const std::vector<Index>& radices, bool swapped, bool in_place, const Routines<T>& routines, Source& source)
      : step_(2 * routines.lanes), prime_(routines.prime) {
    for (const Index radix : radices) {
      const bool own = radix <= max_own_radix;
      PassArgs<T> args{.radix = radix, .done = n_, .swapped = swapped};
      if (n_ > 1) args.table = source.twiddles(radix, n_);
      if (!own) args.convolution = source.convolution(radix);
      if (!own && args.convolution == nullptr) args.matrix = source.matrix(radix);
      if (args.convolution != nullptr) scratch_ = std::max(scratch_, args.convolution->inner + args.convolution->forward->elements());
      if (n_ == 1) first_ = own ? routines.first[radix] : routines.first_any;
      passes_.push_back({args, own ? routines.pass[radix] : routines.pass_any});
      n_ *= radix;
    }
    divide();
    if (in_place && radices.size() == 3 && radices.back() == radices.front() && radices.front() <= max_own_radix) choose_place(routines, radices.front());
  }

  /// True: `in` of run is `out`. Chosen where one tile fits the first-level cache and two do not.
  [[nodiscard]] bool in_place() const { return square_ != nullptr; }
  [[nodiscard]] Index elements() const { return n_ + scratch_; }  ///< that `out` must hold

  void run(const T* in, T* out) const {
    if (in_place()) return run_in_place(out);
    run_from(static_cast<int>(passes_.size()) - 1, in, out, out + n_ * step_);
  }

 private:
  struct Bound {
    PassArgs<T> args;
    Pass<T> run;
  };

  /// Passes 0 .. p on the block at `out`.
  void run_from(int p, const T* in, T* out, T* scratch) const {
    if (p < inner_) return run_inner(in, out, scratch);
    const Bound& pass = passes_[static_cast<std::size_t>(p)];
    const PassArgs<T>& args = pass.args;
    for (Index j = 0; j < args.radix; ++j) run_from(p - 1, in + j * spacing(args) * step_, out + j * args.done * step_, scratch);
    join(pass, 1, out, scratch);
  }

  void run_inner(const T* in, T* out, T* scratch) const {
    begin(in, out, scratch);
    for (int p = 1; p < inner_; ++p) {
      const Bound& pass = passes_[static_cast<std::size_t>(p)];
      join(pass, block_ / (pass.args.done * pass.args.radix), out, scratch);
    }
  }

  /// The first pass of a block.
  void begin(const T* in, T* out, T* scratch) const {
    const PassArgs<T>& first = passes_.front().args;
    const Index apart = spacing(first);
    if (first.convolution == nullptr) return first_(first, offsets_.data(), static_cast<Index>(offsets_.size()), apart, in, out);
    for (const Index offset : offsets_) {
      prime_(first, nullptr, in + offset * step_, apart, out, 1, scratch);
      out += first.radix * step_;
    }
  }

  void join(const Bound& pass, Index blocks, T* x, T* scratch) const {
    const PassArgs<T>& a = pass.args;
    if (a.convolution == nullptr) return pass.run(a, blocks, x);
    for (Index block = 0; block < blocks; ++block, x += a.radix * a.done * step_)
      for (Index k = 0; k < a.done; ++k) prime_(a, a.table + 2 * k * a.radix, x + k * step_, a.done, x + k * step_, a.done, scratch);
  }

  void run_in_place(T* x) const {
    const auto& [middle, pass_middle] = passes_[1];
    square_(passes_[0].args, middle.radix, x, x + n_ * step_);
    pass_middle(middle, n_ / (middle.radix * middle.done), x);
    passes_[2].run(passes_[2].args, 1, x);
  }

  /// Elements between the first inputs of the transforms that a pass joins.
  [[nodiscard]] Index spacing(const PassArgs<T>& args) const { return n_ / (args.done * args.radix); }
  [[nodiscard]] Index bytes(Index elements) const { return elements * step_ * static_cast<Index>(sizeof(T)); }
  void divide();
  void choose_place(const Routines<T>& routines, Index outer);

  Index step_;              // scalars of an element of all pencils
  Index n_ = 1, block_ = 1;
  int inner_ = 0;
  FirstPass<T> first_ = nullptr;
  SquarePass<T> square_ = nullptr;
  PrimeButterfly<T> prime_;
  Index scratch_ = 0;  // elements behind the result, for primes and for work in place
  std::vector<Bound> passes_{};
  std::vector<Index> offsets_{};  // first inputs of the butterflies of a block
};

/// Bytes of a block for the inner passes: half a first-level cache of 32 KiB, which leaves room for what is fetched.
inline constexpr Index block_bytes = 16 * 1024;

template <class T>
void Passes<T>::choose_place(const Routines<T>& routines, Index outer) {
  const Index saved = outer * outer;
  if (routines.square[outer] == nullptr || bytes(2 * n_) <= cache_bytes || bytes(n_ + saved) > cache_bytes) return;
  square_ = routines.square[outer];
  scratch_ = std::max(scratch_, saved);
}

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
}

}  // namespace shardfft::native
