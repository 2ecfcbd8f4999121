// Real-to-real transforms by their definitions (docs/theory/real_to_real.md), in long double.
#pragma once

#include "engine/engine.hpp"

namespace shardfft::testing {

inline constexpr Transform1d all_r2r[] = {Transform1d::cosine1, Transform1d::cosine2, Transform1d::cosine3,
                                          Transform1d::cosine4, Transform1d::sine1,   Transform1d::sine2,
                                          Transform1d::sine3,   Transform1d::sine4,   Transform1d::hartley};

/// By what element j enters result k.
[[nodiscard]] long double r2r_entry(Transform1d t, Index n, Index k, Index j);
/// An entry of the orthogonal matrix: by_sqrt_n, and weights.
[[nodiscard]] long double orthonormal_entry(Transform1d t, Index n, Index k, Index j);

}  // namespace shardfft::testing
