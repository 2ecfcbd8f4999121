// The sweeps of a transform before they are bound to memory: which axes, on which layout.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/problem.hpp"

namespace shardfft {

struct StageAxis {
  int axis = 0;
  Index n = 1;  ///< logical length
  Transform1d transform = Transform1d::forward;
  int other = -1;   ///< of one half of a split axis (grid/axis_split.hpp): the other half; the second of them to be
                    ///< transformed is multiplied by twiddle factors first
  Index whole = 0;  ///< of both halves together; 0: not a half
  bool few_pencils = false, strided = false;  ///< as in KernelRequest
  Index owners_in = 1,
        owners_out = 1;  ///< of a cyclic axis, before and after it is transformed (grid/cyclic_axis.hpp)

  [[nodiscard]] KernelRequest request(Scalar scalar) const {
    return {.n = n, .transform = transform, .scalar = scalar, .few_pencils = few_pencils, .strided = strided};
  }
};

/// One sweep: its axes in the order in which they are transformed, on a layout that is whole along all of them. `in`
/// and `out` have the same owners; they differ in the extent of the real axis.
struct Stage {
  std::vector<StageAxis> axes{};
  Layout in{}, out{};
};

/// Factor on the result of a transform over n points.
[[nodiscard]] double scale_of(Scaling scaling, double n);

/// The same owners of an array whose extent along `axis` is `n`; `layout` is whole along that axis. Memory order is the
/// natural one.
[[nodiscard]] Layout with_extent(const Layout& layout, int axis, Index n);

/// The same stages with the transforms inverted, from what their last layout holds to their first one.
[[nodiscard]] std::vector<Stage> inverted(std::vector<Stage> stages);

/// The list of the opposite direction: stages and axes reversed, transforms inverted.
[[nodiscard]] std::vector<Stage> reversed(const std::vector<Stage>& stages);

}  // namespace shardfft
