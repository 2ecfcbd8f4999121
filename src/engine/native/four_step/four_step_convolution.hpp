// Long pencils whose length has a large prime factor: Bluestein's algorithm (convolution-inl.h), with a four-step
// convolution.
//
// The spectrum of the convolution stays in the matrix, in tiles of lines: it is multiplied by that of the chirp there,
// and goes back the way it came. So nothing is put in order, and the padded pencil is read and written three times.
#pragma once

#include <fmt/format.h>

#include "engine/native/chirp.hpp"
#include "engine/native/four_step/factor_pass.hpp"
#include "engine/native/four_step/four_step_kernel.hpp"
#include "engine/native/four_step/four_step_matrix.hpp"

namespace shardfft::native {

template <class T>
class FourStepConvolution final : public FourStepKernel<T> {
 public:
  FourStepConvolution(const KernelRequest& request, const FourStepFactors& n, const FourStepRoutines<T>& moves,
                      const Routines<T>& routines, ChirpForm form)
      : FourStepKernel<T>(request),
        n_(n),
        lanes_(routines.lanes),
        moves_(&moves),
        columns_(n.first, false, routines, request.looks_only),
        lines_(n.second, false, routines, request.looks_only),
        columns_back_(n.first, true, routines, request.looks_only),
        lines_back_(n.second, true, routines, request.looks_only),
        together_(tiles_together<T>(n, lanes_)),
        matrix_(n, lanes_, false, false, together_, !request.looks_only),
        chirp_(request.looks_only ? nullptr : shared_chirp<T>(request.n, n, lanes_, form)) {
    this->need_pencil(
        2 * (request.n + 2 * widest<T>));  // whole vectors are read and written, and half spectra become whole ones
    matrix_at_ = this->set_aside(matrix_.scalars());
    tile_apart_ = this->scalars_aside(std::max(columns_.tile_scalars(), lines_.tile_scalars()));
    tiles_at_ = this->set_aside(together_ * tile_apart_);
    factors_at_ = this->set_aside(
        std::max(matrix_.workspace(), FourStepChirp<T>::workspace(request.n, n, form, together_ / vectors())));
  }
  [[nodiscard]] std::string describe() const override {
    return fmt::format("({} by bluestein {} = {} x {} in halves: {}, {})", this->request_.n, n_.length(), n_.first,
                       n_.second, columns_.describe(), lines_.describe());
  }
  void add_tables(TableBytes& found) const override {
    for (const FactorPass<T>* pass : {&columns_, &lines_, &columns_back_, &lines_back_}) pass->add_tables(found);
    matrix_.add_tables(found);
    if (chirp_) chirp_->add_tables(found);
  }

 private:
  [[nodiscard]] Index vectors() const { return widest<T> / lanes_; }  ///< in 64 bytes, for which factors are made
  [[nodiscard]] bool is(Transform1d t) const { return this->request_.transform == t; }

  void transform(T* x, std::byte* scratch) const override {
    const Index n = this->request_.n;
    const bool from_reals = is(Transform1d::r2c), to_reals = is(Transform1d::c2r);
    if (to_reals) complete(x);
    const Numbers turned = is(Transform1d::forward) || from_reals ? Numbers::complex : Numbers::swapped;
    std::fill_n(x + (from_reals ? n : 2 * n), 2 * widest<T>, T(0));
    chirp_in(x, chirp_->factors(n, from_reals ? Numbers::real : turned), scratch);
    convolve(scratch);
    chirp_out(x, chirp_->factors(from_reals ? n / 2 + 1 : n, to_reals ? Numbers::real : turned), scratch);
    if (from_reals) this->clear_ends(x);
  }

  [[nodiscard]] T* at(std::size_t place, std::byte* scratch) const { return reinterpret_cast<T*>(scratch + place); }
  /// Factors of the matrix, of the chirp and of the filter.
  const T* matrix_far(Index tile, std::byte* scratch) const {
    return matrix_.far(tile, *moves_, at(factors_at_, scratch));
  }
  const T* chirp_far(const Run& run, std::byte* scratch) const {
    return chirp_->far_of_columns(run.first / vectors(), run.tiles / vectors(), *moves_, at(factors_at_, scratch));
  }
  const T* filter_far(Index group, std::byte* scratch) const {
    return chirp_->far_of_lines(group / vectors(), *moves_, at(factors_at_, scratch), group % vectors() != 0);
  }

  void chirp_in(const T* x, const Chirp<T>& chirp, std::byte* scratch) const {
    T *matrix = at(matrix_at_, scratch), *tiles = at(tiles_at_, scratch);
    for (const Run& run : matrix_.columns()) {
      moves_->load_chirped({n_.first, n_.second, columns_.places(), run.tiles, tile_apart_}, chirp, run.start,
                           chirp_far(run, scratch), x, tiles);
      for (Index t = 0; t < run.tiles; ++t) {
        columns_.in_place(tiles + t * tile_apart_);
        moves_->spread(matrix_.get(), run.first + t, matrix_far(run.first + t, scratch), tiles + t * tile_apart_,
                       matrix);
      }
    }
  }

  void convolve(std::byte* scratch) const {
    const Filter<T> filter = chirp_->filter();
    T* const tile = at(tiles_at_, scratch);
    for (Index group = 0; group < matrix_.get().groups; ++group) {
      T* const lines = at(matrix_at_, scratch) + group * matrix_.get().apart;
      lines_.between(lines, tile);
      moves_->filter(filter, group, matrix_.get().first_line(group, lanes_), filter_far(group, scratch), tile);
      lines_back_.between(tile, lines);
    }
  }

  void chirp_out(T* x, const Chirp<T>& chirp, std::byte* scratch) const {
    T *matrix = at(matrix_at_, scratch), *tiles = at(tiles_at_, scratch);
    for (const Run& run : matrix_.columns()) {
      for (Index t = 0; t < run.tiles; ++t) {
        moves_->collect(matrix_.get(), run.first + t, matrix_far(run.first + t, scratch), columns_.places(), matrix,
                        tiles + t * tile_apart_);
        columns_back_.in_place(tiles + t * tile_apart_);
      }
      moves_->store_chirped({n_.first, n_.second, nullptr, run.tiles, tile_apart_}, chirp, run.start,
                            chirp_far(run, scratch), tiles, x);
    }
  }

  /// The half spectrum at x becomes a whole one.
  void complete(T* x) const {
    this->clear_ends(x);
    const Index n = this->request_.n;
    for (Index k = n / 2 + 1; k < n; ++k) {
      x[2 * k] = x[2 * (n - k)];
      x[2 * k + 1] = -x[2 * (n - k) + 1];
    }
  }

  FourStepFactors n_;
  Index lanes_;
  const FourStepRoutines<T>* moves_;
  FactorPass<T> columns_, lines_, columns_back_, lines_back_;
  Index together_;
  OwnMatrix<T> matrix_;
  std::shared_ptr<const FourStepChirp<T>> chirp_;
  Index tile_apart_ = 0;
  std::size_t matrix_at_ = 0, tiles_at_ = 0, factors_at_ = 0;
};

}  // namespace shardfft::native
