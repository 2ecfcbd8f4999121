// The passes of a complex transform over one pencil whose elements are neighbours in memory: contiguous-inl.h. The radices, and so the bits, are those of passes.hpp.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/native/step.hpp"

namespace shardfft::native {

template <class T>
class ContiguousPasses {
 public:
  /// Whether there is code for them.
  [[nodiscard]] static bool can(const std::vector<Index>& radices, const Routines<T>& routines) {
    if (radices.size() < 2 || radices.front() > max_own_radix || routines.first_contiguous[radices.front()] == nullptr) return false;
    Index columns = 1;
    for (std::size_t p = 1; p < radices.size(); ++p) {
      if (radices[p] > max_own_radix || routines.contiguous[radices[p]] == nullptr) return false;
      columns *= radices[p];
    }
    return columns >= routines.lanes && columns * radices.front() <= longest;
  }

  /// `source` gives lane_twiddles(radix, done), which outlive the passes.
  template <class Source>
  ContiguousPasses(const std::vector<Index>& radices, bool swapped, const Routines<T>& routines, Source& source) {
    for (const Index radix : radices) {
      PassArgs<T> args{.radix = radix, .done = n_, .swapped = swapped};
      if (n_ > 1) args.table = source.lane_twiddles(radix, n_);
      passes_.push_back({args, routines.contiguous[radix]});
      n_ *= radix;
    }
    first_ = routines.first_contiguous[radices.front()];
    last_ = routines.last_contiguous[radices.back()];
    put_places();
  }

  [[nodiscard]] Index elements() const { return n_; }  ///< of scratch

  void run(const ContiguousPencil& pencil, T* x) const {
    const PassArgs<T>& first = passes_.front().args;
    first_(first, places_.data(), n_ / first.radix, reinterpret_cast<const T*>(pencil.from), x);
    for (std::size_t p = 1; p + 1 < passes_.size(); ++p) passes_[p].run(passes_[p].args, n_ / (passes_[p].args.done * passes_[p].args.radix), x);
    last_(passes_.back().args, x, pencil);
  }

 private:
  /// Beyond, the scratch leaves the first-level cache in every pass, where a tile is computed block by block.
  static constexpr Index longest = 4096;

  struct Bound {
    PassArgs<T> args;
    Pass<T> run;
  };

  /// Where the first pass puts subsequence m: those that a pass joins follow each other, so that all passes work in place.
  void put_places() {
    places_ = {0};
    for (std::size_t p = passes_.size() - 1; p > 0; --p) {
      const PassArgs<T>& args = passes_[p].args;
      std::vector<Index> next;
      for (Index j = 0; j < args.radix; ++j)
        for (const Index place : places_) next.push_back(place + j * args.done);
      places_ = std::move(next);
    }
  }

  Index n_ = 1;
  std::vector<Bound> passes_{};
  std::vector<Index> places_{};
  FirstContiguousPass<T> first_ = nullptr;
  LastContiguousPass<T> last_ = nullptr;
};

}  // namespace shardfft::native
