// Long complex pencils.
#pragma once

#include <fmt/format.h>

#include "engine/native/half.hpp"
#include "engine/native/long_kernel.hpp"
#include "engine/native/sheet.hpp"

namespace shardfft::native {

template <class T>
class LongComplex final : public LongKernel<T> {
 public:
  LongComplex(const KernelRequest& request, const Halves& n, const LongRoutines<T>& moves, const Routines<T>& routines)
      : LongKernel<T>(request), n_(n), moves_(&moves), columns_(n.first, backward(), routines), lines_(n.second, backward(), routines),
        together_(tiles_together<T>(n, routines.lanes)), sheet_(n, routines.lanes, false, backward(), 1, together_) {
    sheet_at_ = this->set_aside(sheet_.scalars());
    tile_apart_ = this->scalars_aside(std::max(columns_.tile_scalars(), lines_.tile_scalars()));
    tiles_at_ = this->set_aside(together_ * tile_apart_);
  }
  [[nodiscard]] std::string describe() const override { return fmt::format("{} x {} in halves: {}, {}", n_.first, n_.second, columns_.describe(), lines_.describe()); }

 private:
  [[nodiscard]] bool backward() const { return this->request_.transform == Transform1d::backward; }

  void transform(T* x, std::byte* scratch) const override {
    T *sheet = reinterpret_cast<T*>(scratch + sheet_at_), *tiles = reinterpret_cast<T*>(scratch + tiles_at_);
    const Sheet<T>& s = sheet_.get();
    for (const Run& run : sheet_.columns()) {
      moves_->load({n_.first, 2 * n_.second, columns_.places(), run.tiles, tile_apart_}, x + 2 * run.start, tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        columns_.in_place(tiles + t * tile_apart_);
        moves_->spread(s, run.first + t, tiles + t * tile_apart_, sheet);
      }
    }
    for (const Run& run : sheet_.lines()) {
      for (Index t = 0; t < run.tiles; ++t) lines_.between(sheet + (run.first + t) * s.apart, tiles + t * tile_apart_);
      moves_->store({n_.second, 2 * n_.first, nullptr, run.tiles, tile_apart_}, tiles, x + 2 * run.start);
    }
  }

  Halves n_;
  const LongRoutines<T>* moves_;
  Half<T> columns_, lines_;
  Index together_;
  OwnSheet<T> sheet_;
  Index tile_apart_ = 0;
  std::size_t sheet_at_ = 0, tiles_at_ = 0;
};

}  // namespace shardfft::native
