// Made-up data for tests and benchmarks that depends on the place in the global array only: the same for any ranks,
// layout, memory order and program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// One local box of an array in memory that may be written. `data` points at element box.lo; strides in bytes, one per
/// axis. `steps` as of LocalBox.
struct LocalPart {
  Box box{};
  std::byte* data = nullptr;
  Coord strides{};
  Coord steps{};
};

/// The global array that a part belongs to, and which of the made-up arrays it is to be.
struct Noise {
  Shape global{};  ///< extents in elements
  Precision precision = f64;
  bool complex = true;
  std::uint64_t seed = 1;
};

/// Fills one part. Each real number is uniform in [-1, 1) and is a hash of its element's row-major number in the global
/// array and the seed. 24 bits of it are random, so that f32 and f64 hold the same numbers.
void fill_with_noise(const LocalPart& part, const Noise& noise, int threads);

/// `rank`'s boxes one after the other from `data` on, each in the layout's memory order, of a cyclic layout one local
/// array, as plans have them by default; elements of `element_bytes`. `padded`: an axis along which rows have room for
/// 2 (n/2 + 1) elements, n their own, as with Options::padded_reals; -1: none.
[[nodiscard]] std::vector<LocalPart> parts_in_a_row(const Layout& layout, int rank, std::byte* data,
                                                    Index element_bytes, int padded = -1);
/// Fills them all, with seed 1.
void fill_with_noise(const Layout& layout, int rank, Precision precision, bool complex, Array& memory, int threads,
                     int padded = -1);

/// Sums of squares over one part.
struct Distance {
  double difference2 = 0;  ///< of data * factor - noise
  double noise2 = 0;       ///< of noise
};
[[nodiscard]] Distance distance_from_noise(const LocalPart& part, const Noise& noise, double factor, int threads);

}  // namespace shardfft
