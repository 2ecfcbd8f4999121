// The operators of a plan whose axis is a convolution: products with the spectrum of the chirp, one for each direction.
#pragma once

#include "shardfft/operators/modes.hpp"

namespace shardfft {

struct ChirpFilters {
  Operator forward{}, backward{};
  [[nodiscard]] const Operator* of(bool runs_forward) const { return runs_forward ? &forward : &backward; }
};

}  // namespace shardfft
