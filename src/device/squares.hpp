// Sums of squares of boxes of arrays on a device: norms that decide how much may be lost, without the host.
#pragma once

#include <cstdint>

#include "device/blocks.hpp"

namespace shardfft {

/// A box of one array that is added up by one block of threads.
struct SquaresPart {
  BlockSegment elements{};  ///< `first` and `first_element` mean nothing
  double weight = 1;        ///< of its sum
};

/// sum[u] = sum over parts first_part[u] ... first_part[u + 1] - 1 of weight * sum of squares, always in the same
/// order.
struct SumSquares {
  Scalar scalar = Scalar::f64;
  bool complex = true;
  Index parts = 0, units = 0;
  const SquaresPart* part = nullptr;          ///< [parts]
  const std::uint32_t* first_part = nullptr;  ///< [units + 1]
  MoveBases bases{};
  double* of_part = nullptr;  ///< [parts], scratch
  double* sum = nullptr;      ///< [units]
};

}  // namespace shardfft
