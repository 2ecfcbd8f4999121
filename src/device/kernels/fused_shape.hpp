// How blocks of a fused transform share pencils, and where elements are in a block's tile. Constants wherever a kernel
// is compiled for one length.
#pragma once

#include <bit>
#include <cstdint>

#include "shardfft/box.hpp"
#include "support/hd.hpp"

namespace shardfft {

/// Pencils that a block takes, each of m complex numbers. Neighbours fill half a cache line of a GPU, 64 bytes; of long
/// ones a sector, so that two blocks have room on a multiprocessor.
constexpr int fused_at_once(int scalar_bytes, Index m) { return (m > 1024 ? 32 : 64) / (2 * scalar_bytes); }

/// Transforms that a pencil is put together from: 4 for products that cuFFTDx has no kernel for, such as 768 and 1280.
constexpr int fused_parts(Index m) {
  return m > 512 && m % 128 == 0 && !std::has_single_bit(static_cast<std::uint64_t>(m)) ? 4 : 1;
}

/// `length` > 0: m is known to the compiler. Threads carry at most `per_thread` complex numbers each.
template <int at_once_, int threads_, int per_thread_, int parts_ = 1, int length_ = 0>
struct FusedShape {
  static constexpr int at_once = at_once_, threads = threads_, per_thread = per_thread_, parts = parts_,
                       length = length_;
  static constexpr int rows = threads / at_once;  ///< threads for each pencil
  /// First element of thread t of a pencil where neighbours lie across: so that few are in one bank of the tile.
  [[nodiscard]] static SHARDFFT_HD constexpr int first_across(bool in, int t) {
    return in && parts > 1 ? t % (rows / parts) * parts + t / (rows / parts) : t;
  }
  /// Every thread carries exactly so many: nothing must be compared.
  static constexpr bool exact = length == rows * per_thread;
};

/// A pencil's part r has elements r, r + parts, ... before the transform, and the r-th piece of the result after it.
/// Neighbours of 16 bytes or 8 lie in different banks of shared memory, along pencils and across.
template <class T, class Shape>
struct FusedTile {
  static constexpr int banks = 128 / (2 * static_cast<int>(sizeof(T)));  ///< complex numbers in all of them
  int m_ = 1;

  [[nodiscard]] SHARDFFT_HD constexpr int m() const { return Shape::length > 0 ? Shape::length : m_; }
  [[nodiscard]] SHARDFFT_HD constexpr int part() const { return m() / Shape::parts; }
  [[nodiscard]] SHARDFFT_HD constexpr int part_pitch() const {
    return (part() + banks - 1) / banks * banks + (Shape::parts > 1 ? banks / Shape::parts : 0);
  }
  /// With room for element m, which half spectra have.
  [[nodiscard]] SHARDFFT_HD constexpr int pitch() const {
    return Shape::parts * part_pitch() + (banks / Shape::at_once > 1 ? banks / Shape::at_once : 1);
  }
  [[nodiscard]] SHARDFFT_HD constexpr int elements() const { return Shape::at_once * pitch(); }

  /// The place of element k of pencil v, 0 <= k <= m, before the transform and after it.
  [[nodiscard]] SHARDFFT_HD constexpr int before(int v, int k) const {
    if constexpr (Shape::parts == 1) return v * pitch() + k;
    const auto number = static_cast<unsigned>(k);
    return v * pitch() +
           static_cast<int>(number % Shape::parts * static_cast<unsigned>(part_pitch()) + number / Shape::parts);
  }
  [[nodiscard]] SHARDFFT_HD constexpr int after(int v, int k) const {
    if constexpr (Shape::parts == 1) return v * pitch() + k;
    const auto number = static_cast<unsigned>(k), size = static_cast<unsigned>(part());
    return v * pitch() + static_cast<int>(number / size * static_cast<unsigned>(part_pitch()) + number % size);
  }
  /// The start of transform `number` of the tile's at_once * parts transforms.
  [[nodiscard]] SHARDFFT_HD constexpr int start(int number) const {
    return number / Shape::parts * pitch() + number % Shape::parts * part_pitch();
  }
};

}  // namespace shardfft
