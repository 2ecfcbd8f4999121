#include "engine/native/chirp.hpp"

#include <algorithm>
#include <tuple>

#include "engine/native/chirp_table.hpp"
#include "engine/native/shared.hpp"

namespace shardfft::native {

namespace {

/// Rows of the pencil.
Index rows_of(Index n, const FourStepFactors& halves) { return (n + halves.second - 1) / halves.second; }

/// exp(-i pi k^2 / n), k = unit j, 0 <= unit, j < 2^30
Root chirp_root(Index n, Index unit, Index j) {
  return RootOfUnity{multiply_mod(unit % (2 * n), unit % (2 * n), 2 * n), 2 * n}.times(j * j).root();
}

/// exp(-2 pi i second / n): what row and column turn each other by
RootOfUnity crossing(Index n, const FourStepFactors& halves) { return {halves.second % n, n}; }

/// For each column: its real parts, then its imaginary parts.
template <class T>
Scalars<T> column_table(Index n, Index columns) {
  Scalars<T> table(2 * columns);
  for (Index j = 0; j < columns; ++j) {
    const Root w = chirp_root(n, 1, j);
    table.get()[j] = static_cast<T>(w.re);
    table.get()[columns + j] = static_cast<T>(w.im);
  }
  return table;
}

/// Found by measuring: beyond, tables of 48 bytes an element (f64) are slower than products.
constexpr Index longest_in_tables = 32768;

}  // namespace

ChirpForm chirp_form(Index n) { return n <= longest_in_tables ? ChirpForm::tables : ChirpForm::products; }

Index least_convolution_length(Index n, ChirpForm form) {
  return form == ChirpForm::tables ? 2 * n - 1 : least_filtered_length(n);
}

template <class T>
ChirpProducts<T>::ChirpProducts(Index n, const FourStepFactors& halves)
    : near(near_factors<T>(crossing(n, halves), rows_of(n, halves), false,
                           [&](Index r) { return chirp_root(n, halves.second, r); })),
      columns(column_table<T>(n, halves.second)),
      far(crossing(n, halves), rows_of(n, halves), tile_starts(halves.second, widest<T>), false),
      filter(n, halves) {}

template <class T>
FourStepChirp<T>::FourStepChirp(Index n, const FourStepFactors& halves, Index lanes, ChirpForm form) : halves_(halves) {
  if (form == ChirpForm::products) {
    products_.emplace(n, halves);
  } else {
    factors_ = chirp_factors<T>(n);
    spectrum_ = chirp_spectrum<T>(n, halves, lanes);
  }
}

template <class T>
Chirp<T> FourStepChirp<T>::factors(Index count, Numbers numbers) const {
  if (!products_) return {.table = factors_->get(), .count = count, .numbers = numbers};
  const T* columns = products_->columns.get();
  return {.near = products_->near.get(),
          .re = columns,
          .im = columns + halves_.second,
          .far_apart = products_->far.row_scalars(),
          .count = count,
          .numbers = numbers};
}

template <class T>
Filter<T> FourStepChirp<T>::filter() const {
  return products_ ? products_->filter.get() : Filter<T>{.n = halves_, .table = spectrum_->get()};
}

template <class T>
const T* FourStepChirp<T>::far_of_columns(Index first, Index tiles, const FourStepRoutines<T>& routines,
                                          T* workspace) const {
  return products_ ? products_->far.rows(first, tiles, routines, workspace) : nullptr;
}

template <class T>
const T* FourStepChirp<T>::far_of_lines(Index lines, const FourStepRoutines<T>& routines, T* workspace,
                                        bool there) const {
  return products_ ? products_->filter.far(lines, routines, workspace, there) : nullptr;
}

template <class T>
Index FourStepChirp<T>::workspace(Index n, const FourStepFactors& halves, ChirpForm form, Index tiles) {
  if (form == ChirpForm::tables) return 0;
  return std::max(tiles * LineFactors<T>::row_scalars(rows_of(n, halves)), LineFactors<T>::row_scalars(halves.second));
}

template <class T>
void FourStepChirp<T>::add_tables(TableBytes& found) const {
  if (factors_) factors_->add_tables(found);
  if (spectrum_) spectrum_->add_tables(found);
  if (!products_) return;
  products_->near.add_tables(found);
  products_->columns.add_tables(found);
  products_->far.add_tables(found);
  products_->filter.add_tables(found);
}

template <class T>
std::shared_ptr<const FourStepChirp<T>> shared_chirp(Index n, const FourStepFactors& halves, Index lanes,
                                                     ChirpForm form) {
  static Shared<std::tuple<Index, Index, ChirpForm, const Routines<double>*>, FourStepChirp<T>>
      known;  // the routines, which transform it, stand for the instruction set
  return known.get({n, halves.first, form, &routines<double>()},
                   [&] { return FourStepChirp<T>(n, halves, lanes, form); });
}

template class FourStepChirp<float>;
template class FourStepChirp<double>;
template std::shared_ptr<const FourStepChirp<float>> shared_chirp<float>(Index, const FourStepFactors&, Index,
                                                                         ChirpForm);
template std::shared_ptr<const FourStepChirp<double>> shared_chirp<double>(Index, const FourStepFactors&, Index,
                                                                           ChirpForm);

}  // namespace shardfft::native
