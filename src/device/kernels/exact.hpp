// Arithmetic where every operation is rounded by itself, to nearest even, on host and GPU alike. Compilers for GPUs
// contract a * b + c into one rounding unless they are told not to, and so they are here, at each operation: no flag of
// the build changes a bit of what is computed with these. (On the host -ffp-contract=off is what everything is built
// with.)
#pragma once

#include <cstdint>
#include <cstring>

#include "support/hd.hpp"

namespace shardfft::kernels {

#if defined(__CUDA_ARCH__)
SHARDFFT_HD inline double mul(double a, double b) { return __dmul_rn(a, b); }
SHARDFFT_HD inline double add(double a, double b) { return __dadd_rn(a, b); }
SHARDFFT_HD inline double sub(double a, double b) { return __dsub_rn(a, b); }
SHARDFFT_HD inline double div(double a, double b) { return __ddiv_rn(a, b); }
SHARDFFT_HD inline float mul(float a, float b) { return __fmul_rn(a, b); }
SHARDFFT_HD inline float add(float a, float b) { return __fadd_rn(a, b); }
SHARDFFT_HD inline float sub(float a, float b) { return __fsub_rn(a, b); }
SHARDFFT_HD inline float div(float a, float b) { return __fdiv_rn(a, b); }
#else
#if defined(__clang__)
#define SHARDFFT_EACH_ROUNDED \
  _Pragma("clang fp contract(off)")  // HIP's compiler, whose own names of such operations may be contracted
#else
#define SHARDFFT_EACH_ROUNDED
#endif
template <class T>
SHARDFFT_HD inline T mul(T a, T b) {
  SHARDFFT_EACH_ROUNDED
  return a * b;
}
template <class T>
SHARDFFT_HD inline T add(T a, T b) {
  SHARDFFT_EACH_ROUNDED
  return a + b;
}
template <class T>
SHARDFFT_HD inline T sub(T a, T b) {
  SHARDFFT_EACH_ROUNDED
  return a - b;
}
template <class T>
SHARDFFT_HD inline T div(T a, T b) {
  SHARDFFT_EACH_ROUNDED
  return a / b;
}
#undef SHARDFFT_EACH_ROUNDED
#endif

/// Reinterprets the bits as another type of that size.
template <class To, class From>
SHARDFFT_HD inline To same_bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}

/// Neither Inf nor NaN.
SHARDFFT_HD inline bool is_finite(double x) { return (same_bits<std::uint64_t>(x) >> 52 & 2047) != 2047; }
SHARDFFT_HD inline bool is_finite(float x) { return (same_bits<std::uint32_t>(x) >> 23 & 255) != 255; }

/// 1 / x, rounded once.
template <class T>
SHARDFFT_HD inline T inverse(T x) {
  return div(static_cast<T>(1), x);
}

}  // namespace shardfft::kernels
