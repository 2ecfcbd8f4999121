// Long real pencils and their half spectra, of even and of odd length.
//
// Two columns of reals are the real and the imaginary part of one complex column; from its transform come the lines c
// <= first/2 of both, and the other lines are their conjugates in reversed order. So half of the columns and half of
// the lines are transformed.
#pragma once

#include <fmt/format.h>

#include "engine/native/four_step/four_step_base.hpp"

namespace shardfft::native {

template <class T>
class FourStepReal final : public FourStepBase<T> {
 public:
  FourStepReal(const KernelRequest& request, const FourStepFactors& n, const FourStepRoutines<T>& moves,
               const Routines<T>& routines)
      : FourStepBase<T>(request, n, moves, routines, is_inverse(request), {.pairs = true}) {}
  [[nodiscard]] std::string describe() const override {
    return fmt::format("real, {} x {} in halves: {}, {}", n_.first, n_.second, columns_.describe(), lines_.describe());
  }

 private:
  using FourStepBase<T>::n_, FourStepBase<T>::moves_, FourStepBase<T>::columns_, FourStepBase<T>::lines_,
      FourStepBase<T>::matrix_, FourStepBase<T>::tile_apart_;
  static bool is_inverse(const KernelRequest& request) { return request.transform == Transform1d::c2r; }

  void transform(T* x, std::byte* scratch) const override {
    is_inverse(this->request_) ? to_reals(x, scratch) : to_spectrum(x, scratch);
  }

  void to_spectrum(T* x, std::byte* scratch) const {
    T *matrix = this->matrix_in(scratch), *tiles = this->tiles_in(scratch);
    const FourStepMatrix<T>& s = matrix_.get();
    for (const Run& run : matrix_.columns()) {
      moves_->load_pairs({n_.first, n_.second, columns_.places(), run.tiles, tile_apart_}, x + run.start, tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        columns_.in_place(tiles + t * tile_apart_);
        moves_->spread_pairs(s, run.first + t, this->far(run.first + t, scratch), tiles + t * tile_apart_, matrix);
      }
    }
    for (const Run& run : matrix_.lines()) {
      for (Index t = 0; t < run.tiles; ++t) lines_.between(matrix + (run.first + t) * s.apart, tiles + t * tile_apart_);
      moves_->store_mirrored({n_.second, 0, nullptr, run.tiles, tile_apart_}, n_, run.start, tiles, x);
    }
    this->clear_ends(x);
  }

  void to_reals(T* x, std::byte* scratch) const {
    T *matrix = this->matrix_in(scratch), *tiles = this->tiles_in(scratch);
    const FourStepMatrix<T>& s = matrix_.get();
    this->clear_ends(x);
    for (const Run& run : matrix_.lines()) {
      moves_->load_mirrored({n_.second, 0, nullptr, run.tiles, tile_apart_}, n_, run.start, x, tiles);
      for (Index t = 0; t < run.tiles; ++t) lines_.between(tiles + t * tile_apart_, matrix + (run.first + t) * s.apart);
    }
    for (const Run& run : matrix_.columns()) {
      for (Index t = 0; t < run.tiles; ++t) {
        moves_->collect_pairs(s, run.first + t, this->far(run.first + t, scratch), columns_.places(), matrix,
                              tiles + t * tile_apart_);
        columns_.in_place(tiles + t * tile_apart_);
      }
      moves_->store_pairs({n_.first, n_.second, nullptr, run.tiles, tile_apart_}, tiles, x + run.start);
    }
  }
};

}  // namespace shardfft::native
