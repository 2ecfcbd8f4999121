// The seam between a sweep and an exchange whose pieces are encoded: while a part of the array is in cache, whoever
// sends it encodes it from there, and whoever received it decodes it to there.
#pragma once

#include <cstddef>

#include "shardfft/box.hpp"

namespace shardfft {

/// Gives a sweep data that its patches do not hold. Several threads call it at once. It does not throw: whoever asks
/// afterwards learns what went wrong.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;  ///< for each thread, aligned to 64
  /// Writes those elements of `unit` that it has; `plane` is where element unit.lo lies, strides in bytes. With
  /// `non_temporal` past the cache, for which the caller fences.
  virtual void fill(const Box& unit, std::byte* plane, const Coord& strides, std::byte* scratch, bool non_temporal) = 0;
};

/// Takes results of a sweep that its patches do not hold. Rules as for Source; units do not overlap.
class Sink {
 public:
  virtual ~Sink() = default;
  [[nodiscard]] virtual std::size_t scratch_bytes() const = 0;
  /// In this run, whether norm2 is wanted.
  [[nodiscard]] virtual bool wants_norm() const = 0;
  /// Its elements of `unit` are in the plane; `norm2` is the sum of squares of all of the unit's, 0 where that is not
  /// wanted.
  virtual void take(const Box& unit, const std::byte* plane, const Coord& strides, double norm2,
                    std::byte* scratch) = 0;
};

}  // namespace shardfft
