// What long complex and long real pencils share: two halves, the sheet between them, and tiles.
#pragma once

#include "engine/native/four_step/half.hpp"
#include "engine/native/four_step/long_kernel.hpp"
#include "engine/native/four_step/sheet.hpp"

namespace shardfft::native {

template <class T>
class InHalves : public LongKernel<T> {
 protected:
  /// Of the factors in the sheet, and of its columns: as OwnSheet takes them.
  struct Factors {
    bool pairs = false, backward = false;
    double scale = 1;
  };

  InHalves(const KernelRequest& request, const Halves& n, const LongRoutines<T>& moves, const Routines<T>& routines,
           bool backward, const Factors& factors)
      : LongKernel<T>(request),
        n_(n),
        moves_(&moves),
        columns_(n.first, backward, routines, request.looks_only),
        lines_(n.second, backward, routines, request.looks_only),
        together_(tiles_together<T>(n, routines.lanes)),
        sheet_(n, routines.lanes, factors.pairs, factors.backward, factors.scale, together_, !request.looks_only) {
    sheet_at_ = this->set_aside(sheet_.scalars() + lines_.scratch_scalars());
    tile_apart_ = this->scalars_aside(std::max(columns_.tile_scalars(), lines_.tile_scalars()));
    tiles_at_ = this->set_aside(together_ * tile_apart_);
    factors_at_ = this->set_aside(sheet_.room());
  }

  [[nodiscard]] T* sheet_in(std::byte* scratch) const { return reinterpret_cast<T*>(scratch + sheet_at_); }
  /// The sheet's factors of a tile of columns.
  const T* far(Index tile, std::byte* scratch) const {
    return sheet_.far(tile, *moves_, reinterpret_cast<T*>(scratch + factors_at_));
  }
  [[nodiscard]] T* tiles_in(std::byte* scratch) const { return reinterpret_cast<T*>(scratch + tiles_at_); }

  Halves n_;
  const LongRoutines<T>* moves_;
  Half<T> columns_, lines_;
  Index together_;
  OwnSheet<T> sheet_;
  Index tile_apart_ = 0;

 private:
  std::size_t sheet_at_ = 0, tiles_at_ = 0, factors_at_ = 0;
};

}  // namespace shardfft::native
