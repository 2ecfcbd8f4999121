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

}  // namespace shardfft
