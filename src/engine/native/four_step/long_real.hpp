// Long real pencils and their half spectra, of even and of odd length.
//
// Two columns of reals are the real and the imaginary part of one complex column; from its transform come the lines c
// <= first/2 of both, and the other lines are their conjugates in reversed order. So half of the columns and half of
// the lines are transformed.
#pragma once

#include <fmt/format.h>

#include "engine/native/four_step/long_halves.hpp"

namespace shardfft::native {

template <class T>
class LongReal final : public InHalves<T> {
 public:
  LongReal(const KernelRequest& request, const Halves& n, const LongRoutines<T>& moves, const Routines<T>& routines)
      : InHalves<T>(request, n, moves, routines, is_inverse(request), {.pairs = true}) {}
  [[nodiscard]] std::string describe() const override {
    return fmt::format("real, {} x {} in halves: {}, {}", n_.first, n_.second, columns_.describe(), lines_.describe());
  }

 private:
  using InHalves<T>::n_, InHalves<T>::moves_, InHalves<T>::columns_, InHalves<T>::lines_, InHalves<T>::sheet_,
      InHalves<T>::tile_apart_;
  static bool is_inverse(const KernelRequest& request) { return request.transform == Transform1d::c2r; }

  void transform(T* x, std::byte* scratch) const override {
    is_inverse(this->request_) ? to_reals(x, scratch) : to_spectrum(x, scratch);
  }

  void to_spectrum(T* x, std::byte* scratch) const {
    T *sheet = this->sheet_in(scratch), *tiles = this->tiles_in(scratch);
    const Sheet<T>& s = sheet_.get();
    for (const Run& run : sheet_.columns()) {
      moves_->load_pairs({n_.first, n_.second, columns_.places(), run.tiles, tile_apart_}, x + run.start, tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        columns_.in_place(tiles + t * tile_apart_);
        moves_->spread_pairs(s, 2 * (run.first + t), this->far(run.first + t, scratch), tiles + t * tile_apart_, sheet);
      }
    }
    for (const Run& run : sheet_.lines()) {
      for (Index t = 0; t < run.tiles; ++t) lines_.between(sheet + (run.first + t) * s.apart, tiles + t * tile_apart_);
      moves_->store_mirrored({n_.second, 0, nullptr, run.tiles, tile_apart_}, n_, run.start, tiles, x);
    }
    this->clear_ends(x);
  }

  void to_reals(T* x, std::byte* scratch) const {
    T *sheet = this->sheet_in(scratch), *tiles = this->tiles_in(scratch);
    const Sheet<T>& s = sheet_.get();
    this->clear_ends(x);
    for (const Run& run : sheet_.lines()) {
      moves_->load_mirrored({n_.second, 0, nullptr, run.tiles, tile_apart_}, n_, run.start, x, tiles);
      for (Index t = 0; t < run.tiles; ++t) lines_.between(tiles + t * tile_apart_, sheet + (run.first + t) * s.apart);
    }
    for (const Run& run : sheet_.columns()) {
      for (Index t = 0; t < run.tiles; ++t) {
        moves_->collect_pairs(s, 2 * (run.first + t), this->far(run.first + t, scratch), columns_.places(), sheet,
                              tiles + t * tile_apart_);
        columns_.in_place(tiles + t * tile_apart_);
      }
      moves_->store_pairs({n_.first, n_.second, nullptr, run.tiles, tile_apart_}, tiles, x + run.start);
    }
  }
};

}  // namespace shardfft::native
