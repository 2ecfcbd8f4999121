// Separable linear functionals of a distributed array, in one pass over the data.
#pragma once

#include <vector>

#include "verify/verify.hpp"
#include "verify/weights.hpp"

namespace shardfft {

/// Lane l stands for the functional  x -> sum over all positions of x * product over axes a of weights[a] at
/// position[a].
struct Functionals {
  std::vector<std::unique_ptr<AxisWeights>> weights{};  ///< one per axis; all with the same lanes
  int half_axis = -1;  ///< along which the array is half of a spectrum; none when negative
  Index half_of = 0;   ///< and the extent of the whole one there: |x|^2 counts multiplicity(position, half_of) times in
                       ///< Contraction::energy

  [[nodiscard]] int lanes() const { return weights.front()->lanes(); }
};

struct Contraction {
  std::vector<ComplexDD> values{};  ///< one per lane
  double energy = 0;                ///< weighted sum of |x|^2, to about 1e-13
};

enum class Arithmetic {
  double_double,  ///< relative error below 1e-25 of sum |x w|
  plain           ///< doubles inside a row, relative error below 1e-13: enough to judge f32
};

/// Collective. All functionals of 2^exponent * array, the same bits on every rank. The time goes into 11 operations per
/// real product in double_double.
[[nodiscard]] Contraction contract(const Comm& comm, const LocalArray& array, const Functionals& functionals,
                                   int exponent, Arithmetic arithmetic);

/// Collective. Largest absolute value of all reals; NaN or infinite when any of them is.
[[nodiscard]] double largest(const Comm& comm, const LocalArray& array);

}  // namespace shardfft
