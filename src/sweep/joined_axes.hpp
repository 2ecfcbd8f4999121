// Axes that go on in each other in memory are one axis.
#pragma once

#include "sweep/sweep.hpp"

namespace shardfft {

/// The same sweep over an array of fewer axes: two neighbouring axes of which none is transformed become one where the second one goes on in the first in every patch, so that a tile's pencils are neighbours beyond the
/// end of a row. Boxes and patches are all whole along the second one then.
[[nodiscard]] SweepSpec with_joined_axes(SweepSpec spec);

}  // namespace shardfft
