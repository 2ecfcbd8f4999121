// The four-step kernel of complex pencils.
#pragma once

#include <fmt/format.h>

#include "engine/native/four_step/four_step_base.hpp"

namespace shardfft::native {

template <class T>
class FourStepComplex final : public FourStepBase<T> {
 public:
  FourStepComplex(const KernelRequest& request, const FourStepFactors& n, const FourStepRoutines<T>& moves,
                  const Routines<T>& routines)
      : FourStepBase<T>(request, n, moves, routines, is_backward(request), {.backward = is_backward(request)}) {}
  [[nodiscard]] std::string describe() const override {
    return fmt::format("{} x {} in halves: {}, {}", n_.first, n_.second, columns_.describe(), lines_.describe());
  }

 private:
  using FourStepBase<T>::n_, FourStepBase<T>::moves_, FourStepBase<T>::columns_, FourStepBase<T>::lines_,
      FourStepBase<T>::matrix_, FourStepBase<T>::tile_apart_;
  static bool is_backward(const KernelRequest& request) { return request.transform == Transform1d::backward; }

  void transform(T* x, std::byte* scratch) const override {
    T *matrix = this->matrix_in(scratch), *tiles = this->tiles_in(scratch);
    const FourStepMatrix<T>& s = matrix_.get();
    for (const Run& run : matrix_.columns()) {
      moves_->load({n_.first, 2 * n_.second, columns_.places(), run.tiles, tile_apart_}, x + 2 * run.start, tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        columns_.in_place(tiles + t * tile_apart_);
        moves_->spread(s, run.first + t, this->far(run.first + t, scratch), tiles + t * tile_apart_, matrix);
      }
    }
    for (const Run& run : matrix_.lines()) {
      for (Index t = 0; t < run.tiles; ++t) lines_.between(matrix + (run.first + t) * s.apart, tiles + t * tile_apart_);
      moves_->store({n_.second, 2 * n_.first, nullptr, run.tiles, tile_apart_}, tiles, x + 2 * run.start);
    }
  }
};

}  // namespace shardfft::native
