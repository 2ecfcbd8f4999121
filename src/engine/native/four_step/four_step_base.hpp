// What complex and real four-step kernels share: two factors, the matrix between them, and tiles.
#pragma once

#include "engine/native/four_step/factor_pass.hpp"
#include "engine/native/four_step/four_step_kernel.hpp"
#include "engine/native/four_step/four_step_matrix.hpp"

namespace shardfft::native {

template <class T>
class FourStepBase : public FourStepKernel<T> {
 public:
  void add_tables(TableBytes& found) const override {
    columns_.add_tables(found);
    lines_.add_tables(found);
    matrix_.add_tables(found);
  }

 protected:
  /// Form and direction of the factors in the matrix and in its columns, as OwnMatrix takes them.
  struct Factors {
    bool pairs = false, backward = false;
  };

  FourStepBase(const KernelRequest& request, const FourStepFactors& n, const FourStepRoutines<T>& moves,
               const Routines<T>& routines, bool backward, const Factors& factors)
      : FourStepKernel<T>(request),
        n_(n),
        moves_(&moves),
        columns_(n.first, backward, routines, request.looks_only),
        lines_(n.second, backward, routines, request.looks_only),
        together_(tiles_together<T>(n, routines.lanes)),
        matrix_(n, routines.lanes, factors.pairs, factors.backward, together_, !request.looks_only) {
    matrix_at_ = this->set_aside(matrix_.scalars() + lines_.scratch_scalars());
    tile_apart_ = this->scalars_aside(std::max(columns_.tile_scalars(), lines_.tile_scalars()));
    tiles_at_ = this->set_aside(together_ * tile_apart_);
    factors_at_ = this->set_aside(matrix_.workspace());
  }

  [[nodiscard]] T* matrix_in(std::byte* scratch) const { return reinterpret_cast<T*>(scratch + matrix_at_); }
  /// The matrix's factors of a tile of columns.
  const T* far(Index tile, std::byte* scratch) const {
    return matrix_.far(tile, *moves_, reinterpret_cast<T*>(scratch + factors_at_));
  }
  [[nodiscard]] T* tiles_in(std::byte* scratch) const { return reinterpret_cast<T*>(scratch + tiles_at_); }

  FourStepFactors n_;
  const FourStepRoutines<T>* moves_;
  FactorPass<T> columns_, lines_;
  Index together_;
  OwnMatrix<T> matrix_;
  Index tile_apart_ = 0;

 private:
  std::size_t matrix_at_ = 0, tiles_at_ = 0, factors_at_ = 0;
};

}  // namespace shardfft::native
