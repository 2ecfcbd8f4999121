// Data for benchmarks and for tuning: noise that depends on the place in the global array only, so that it is the same for any ranks and layout.
#pragma once

#include "shardfft/layout.hpp"
#include "shardfft/problem.hpp"
#include "shardfft/view.hpp"

namespace shardfft {

/// Fills this rank's boxes, which lie one after the other in the layout's order. Each real number is uniform in [-1, 1) and is a hash of
/// its element's row-major number in the global array.
void fill_with_noise(const Layout& layout, int rank, Precision precision, bool complex, Array& memory, int threads);

}  // namespace shardfft
