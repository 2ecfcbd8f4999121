// How far two arrays are apart.
#pragma once

#include "shardfft/exact_sum.hpp"
#include "shardfft/verify.hpp"

namespace shardfft {

/// How far a second array b is from a.
struct Difference {
  double max = 0;       ///< largest |b - a|; two NaNs are equal, one is infinitely far from a number
  Coord where{};        ///< of that, the first one in C order; of no dimensions if the arrays are equal
  double rms = 0;       ///< root of the mean of |b - a|^2
  double relative = 0;  ///< L2 norm of b - a over that of a; infinite if a is 0 and b is not
};

/// Adds up the difference of two arrays part by part, in any order and on any ranks: the same bits. One thread at a
/// time adds.
class Differences {
 public:
  explicit Differences(const Shape& global) : global_(global) {}
  /// Takes one box of both arrays. `T`: float, double or std::complex of them.
  template <class T>
  void add(const LocalBox& a, const LocalBox& b);
  void add(const Differences& other);
  [[nodiscard]] Difference over_ranks(const Comm& comm) const;  ///< collective

 private:
  void note(double distance, Index place);
  Shape global_;
  ExactSum squares_{}, squares_of_a_{};
  double max_ = 0;
  Index where_ = -1;  ///< in C order
};

}  // namespace shardfft
