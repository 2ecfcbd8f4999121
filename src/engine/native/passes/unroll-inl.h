// Loops that are unrolled by the front end, so that arrays indexed by their variable become registers.
#if defined(SHARDFFT_NATIVE_UNROLL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_UNROLL_INL_H_
#undef SHARDFFT_NATIVE_UNROLL_INL_H_
#else
#define SHARDFFT_NATIVE_UNROLL_INL_H_
#endif

#include <type_traits>
#include <utility>

#include "hwy/highway.h"

/// Behind the parameters of every lambda that is unrolled: compiled for the same instruction set as its surroundings,
/// and part of them.
#undef SHARDFFT_INSIDE
#define SHARDFFT_INSIDE HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <class F, int... i>
HWY_INLINE void unroll_over(const F& f, std::integer_sequence<int, i...>) {
  (f(std::integral_constant<int, i>{}), ...);
}

/// f(0), f(1), ..., f(n - 1), where the argument is a constant expression.
template <int n, class F>
HWY_INLINE void unroll(const F& f) {
  unroll_over(f, std::make_integer_sequence<int, n>{});
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
