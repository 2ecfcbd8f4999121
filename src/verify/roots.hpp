// Roots of unity to about 100 bits.
#pragma once

#include <vector>

#include "shardfft/box.hpp"
#include "verify/double_double.hpp"

namespace shardfft {

/// e^(2 pi i p / q). The fraction is reduced exactly, in integers, before anything is rounded.
///   q      1 to 2^60; any p between -2^60 and 2^60
///   error  below 2^-100
[[nodiscard]] ComplexDD root_of_unity(Index p, Index q);

/// All of them: element j is e^(2 pi i sign j / q), 0 <= j < q, each with an error below 2^-98.
[[nodiscard]] std::vector<ComplexDD> roots_of_unity(Index q, int sign);

/// Any of them, from two tables of about sqrt(q) entries.
class RootTable {
 public:
  RootTable(Index q, int sign);
  /// e^(2 pi i sign j / q) for 0 <= j < q, with an error below 2^-98.
  [[nodiscard]] ComplexDD operator()(Index j) const {
    return coarse_[static_cast<std::size_t>(j >> bits_)] *
           fine_[static_cast<std::size_t>(j & ((Index{1} << bits_) - 1))];
  }

 private:
  int bits_;  ///< of j that `fine_` holds
  std::vector<ComplexDD> fine_{}, coarse_{};
};

}  // namespace shardfft
