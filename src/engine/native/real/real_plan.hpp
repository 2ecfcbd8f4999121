// Around which transform a real-to-real transform is computed, and what happens to rows before and after it. Arithmetic
// only.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "engine/native/real/real_rows.hpp"

namespace shardfft::native {

/// What is transformed inside.
[[nodiscard]] KernelRequest inner_request(const KernelRequest& request);

/// Rows of reals are counted in the tile of the inner transform. In this order: elements are put at `in`; rows are
/// cleared, copied, multiplied, mixed; the inner transform; rows are mixed, multiplied; elements are found at `out`.
template <class T>
struct RealPlan {
  std::vector<Index> in{}, out{};
  std::vector<Index> zeros{}, mirror_from{}, mirror_to{};
  RowFactors<T> before{}, after{};
  RowMixes<T> mix_before{}, mix_after{};
};

/// For a tile that the inner transform wants as `inner_in` says.
template <class T>
[[nodiscard]] RealPlan<T> real_plan(const KernelRequest& request, const TileFormat& inner_in);

}  // namespace shardfft::native
