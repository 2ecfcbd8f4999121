// The vector code of the four-step algorithm (four_step_pencil.hpp): moves between memory, tiles and the matrix.
#pragma once

#include "engine/native/four_step/four_step_factors.hpp"
#include "engine/native/step.hpp"

namespace shardfft::native {

/// What lies between the two passes of a transform of n = first * second elements: element b of line c, c < lines, b <
/// second. A group of as many lines as a vector has lanes is a tile in natural order.
///
/// Lines and columns are divided as for vectors of 64 bytes, of which narrower ones are parts, so that all have the
/// same factors. The last 64 bytes hold the last lines, or columns, which may be in those before, too.
template <class T>
struct FourStepMatrix {
  FourStepFactors n{};
  Index lines = 0;  ///< `first`, or first/2 + 1 for reals
  Index groups = 0;
  Index apart = 0;  ///< scalars from one group to the next
  const T* near =
      nullptr;  ///< exp(-+2 pi i c v / n), v < widest, for every line c: all real parts, then all imaginary parts
  Index far_apart = 0;  ///< scalars from the factors of 64 bytes of columns to the next: exp(-+2 pi i c b / n) for b
                        ///< the first of them and every line c, as re, im
  const Index* starts = nullptr;  ///< first columns of tiles; with pairs, of their real parts

  [[nodiscard]] Index first_line(Index group, Index lanes) const {
    const Index vectors = widest<T> / lanes, first = group / vectors * widest<T>;
    return (first < lines - widest<T> ? first : lines - widest<T>)+group % vectors * lanes;
  }
};

/// Rows of numbers in memory, of which a tile takes as many columns as there are lanes. Several neighbouring tiles go
/// together, so that what is read or written of each row is long.
struct Columns {
  Index rows = 0;
  Index apart = 0;                ///< scalars from one row to the next
  const Index* places = nullptr;  ///< where a tile has row r; null: in natural order
  Index tiles = 1;
  Index tile_apart = 0;  ///< scalars from one tile to the next
};

/// What the elements of a pencil are, in memory.
enum class Numbers { complex, swapped, real };  ///< swapped: complex, real and imaginary parts exchanged

/// A pencil and its chirp exp(-i pi k^2 / n), k = r second + b: from a table, or the product of three, which depend on
/// the row r and the lane, on the row and the tile, and on the column b.
template <class T>
struct Chirp {
  const T* table = nullptr;              ///< re, im of every element, and zeros behind them; or null
  const T* near = nullptr;               ///< of every row: `widest` real parts, then as many imaginary parts
  const T *re = nullptr, *im = nullptr;  ///< of every column
  Index far_apart = 0;                   ///< scalars from those of 64 bytes to the next: re, im of every row
  Index count = 0;                       ///< elements that are there to be read, or wanted
  Numbers numbers = Numbers::complex;
};

/// What the spectrum of a convolution in a matrix is multiplied with: from a table, or, filter.hpp says why,
///   own near far (1 + z) with z = turn turned; at the low end of the pencil 1 + z + u conj(z), at its high end 1 + z +
///   u z^2.
template <class T>
struct Filter {
  FourStepFactors n{};
  const T* table =
      nullptr;  ///< of every group and element: all lanes' real parts, then all lanes' imaginary parts; or null
  const T* near = nullptr;    ///< of every element d: `widest` real parts, then as many imaginary parts
  const T* turned = nullptr;  ///< of every element: re, im
  const T* own = nullptr;     ///< of every `widest` lines: own and turn, both as near
  Index ends = 0;             ///< elements d of either end that are at the end of the pencil
  const T* end = nullptr;  ///< u of element q < first * ends of the pencil, and of the one that is as far from the end
};

/// Code of one instruction set for one scalar type.
template <class T>
struct FourStepRoutines {
  /// Complex columns from memory to a tile and back.
  void (*load)(const Columns&, const T* from, T* tile) = nullptr;
  void (*store)(const Columns&, const T* tile, T* to) = nullptr;
  /// Real columns, and as imaginary parts those that are `widest` further on.
  void (*load_pairs)(const Columns&, const T* from, T* tile) = nullptr;
  void (*store_pairs)(const Columns&, const T* tile, T* to) = nullptr;
  /// Elements line, line + 1, ... of each row of the spectrum of a real pencil, of which only the first half is in
  /// memory; and back.
  void (*load_mirrored)(const Columns&, const FourStepFactors&, Index line, const T* spectrum, T* tile) = nullptr;
  void (*store_mirrored)(const Columns&, const FourStepFactors&, Index line, const T* tile, T* spectrum) = nullptr;
  /// Columns from number `first` on, times their chirps.
  void (*load_chirped)(const Columns&, const Chirp<T>&, Index first, const T* far, const T* from, T* tile) = nullptr;
  void (*store_chirped)(const Columns&, const Chirp<T>&, Index first, const T* far, const T* tile, T* to) = nullptr;
  /// Tile `number` of columns, times the factors of the matrix, to the matrix.
  void (*spread)(const FourStepMatrix<T>&, Index number, const T* far, const T* tile, T* matrix) = nullptr;
  void (*spread_pairs)(const FourStepMatrix<T>&, Index number, const T* far, const T* tile, T* matrix) = nullptr;
  /// The reverse, times the conjugate factors.
  void (*collect)(const FourStepMatrix<T>&, Index number, const T* far, const Index* places, const T* matrix,
                  T* tile) = nullptr;
  void (*collect_pairs)(const FourStepMatrix<T>&, Index number, const T* far, const Index* places, const T* matrix,
                        T* tile) = nullptr;
  /// Group `group` of lines, in a tile, times its part of the filter; `far`: re, im of every element.
  void (*filter)(const Filter<T>&, Index group, Index line, const T* far, T* tile) = nullptr;
  /// to[k] = a[k] b[k], re, im pairs; a multiple of the lanes.
  void (*multiply_pairs)(Index count, const T* a, const T* b, T* to) = nullptr;
};

/// For the best instruction set of this machine; null where there are no vectors.
template <class T>
const FourStepRoutines<T>* four_step_routines();
template <>
const FourStepRoutines<float>* four_step_routines<float>();
template <>
const FourStepRoutines<double>* four_step_routines<double>();

}  // namespace shardfft::native
