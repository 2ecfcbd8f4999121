// The vocabulary of the kernels: a pack of scalars, one per pencil. Highway's vectors for float and double, a single
// one for fixed point.
#if defined(SHARDFFT_NATIVE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_LANES_INL_H_
#undef SHARDFFT_NATIVE_LANES_INL_H_
#else
#define SHARDFFT_NATIVE_LANES_INL_H_
#endif

#include <cmath>

#include "hwy/highway.h"
#include "shardfft/box.hpp"
#include "support/fixed.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Whether this is the code for half vectors beside the only instruction set of a build:
/// support/processor/simd_targets.hpp.
inline constexpr bool only_half_vectors = HWY_TARGET == SHARDFFT_BESIDE_STATIC;

/// Whether multiply-adds round once; everywhere they then give the same bits.
#if HWY_NATIVE_FMA
inline constexpr bool is_fused = true;
#elif defined(SHARDFFT_EMULATE_FMA)
inline constexpr bool is_fused = true;
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
  const hn::DFromV<V> d;
  hn::TFromD<decltype(d)> x[hn::MaxLanes(d)], y[hn::MaxLanes(d)], z[hn::MaxLanes(d)];
  hn::StoreU(a, d, x), hn::StoreU(b, d, y), hn::StoreU(c, d, z);
  for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::LoadU(d, z);
}
#else
inline constexpr bool is_fused = false;
template <class V>
HWY_INLINE V fused(V a, V b, V c) {
  return hn::Add(hn::Mul(a, b), c);
}
#endif

template <class T>
struct Lanes {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr Index count = static_cast<Index>(hn::MaxLanes(D()));

  static HWY_INLINE V load(const T* p) { return hn::Load(D(), p); }
  static HWY_INLINE void store(V v, T* p) { hn::Store(v, D(), p); }
  static HWY_INLINE V all(T x) { return hn::Set(D(), x); }
  static HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V sub(V a, V b) { return hn::Sub(a, b); }
  static HWY_INLINE V mul(V a, V b) { return hn::Mul(a, b); }
  static HWY_INLINE V neg(V a) { return hn::Neg(a); }
#if HWY_NATIVE_FMA
  static HWY_INLINE V mul_add(V a, V b, V c) { return hn::MulAdd(a, b, c); }         // a b + c
  static HWY_INLINE V mul_sub(V a, V b, V c) { return hn::MulSub(a, b, c); }         // a b - c
  static HWY_INLINE V neg_mul_add(V a, V b, V c) { return hn::NegMulAdd(a, b, c); }  // c - a b
#else
  static HWY_INLINE V mul_add(V a, V b, V c) { return fused(a, b, c); }
  static HWY_INLINE V mul_sub(V a, V b, V c) { return fused(a, b, neg(c)); }
  static HWY_INLINE V neg_mul_add(V a, V b, V c) { return fused(neg(a), b, c); }
#endif

  /// 2 a - b. Without fused operations 2 a could leave the range of the result.
  static HWY_INLINE V twice_minus(V a, V b) {
    if constexpr (is_fused)
      return mul_sub(all(T(2)), a, b);
    else
      return add(a, sub(a, b));
  }
};

/// One pencil at a time.
template <>
struct Lanes<Fixed> {
  using V = Fixed;
  static constexpr Index count = 1;

  static HWY_INLINE V load(const V* p) { return *p; }
  static HWY_INLINE void store(V v, V* p) { *p = v; }
  static HWY_INLINE V all(V x) { return x; }
  static HWY_INLINE V add(V a, V b) { return a + b; }
  static HWY_INLINE V sub(V a, V b) { return a - b; }
  static HWY_INLINE V mul(V a, V b) { return a * b; }
  static HWY_INLINE V neg(V a) { return -a; }
  static HWY_INLINE V mul_add(V a, V b, V c) { return a * b + c; }
  static HWY_INLINE V mul_sub(V a, V b, V c) { return a * b - c; }
  static HWY_INLINE V neg_mul_add(V a, V b, V c) { return c - a * b; }
  static HWY_INLINE V twice_minus(V a, V b) { return a + (a - b); }
};

/// A value that was loaded, in a register for all its uses. Else gcc makes the load an operand of each instruction that
/// uses it, which costs a load every time, and of vectors of 64 bytes Zen 4 loads one a cycle.
template <class V>
HWY_INLINE V in_register(V x) {
#if HWY_TARGET == HWY_AVX3 && HWY_COMPILER_GCC
  if constexpr (requires { x.raw; }) asm("" : "+v"(x.raw));
#endif
  return x;
}

/// A distance of which the compiler does not know that it was the same a round of the loop before. Else gcc keeps the
/// sums of an address and each of its multiples, in registers that it does not have: it computes and spills more than
/// thirty before a loop of two rounds.
HWY_INLINE Index afresh(Index distance) {
#if HWY_COMPILER_GCC
  asm("" : "+r"(distance));
#endif
  return distance;
}

/// One element of every pencil.
template <class T>
struct Complex {
  using V = typename Lanes<T>::V;
  V re, im;
  // Written out because on Arm gcc compiles those that it makes itself without the instruction set of this namespace,
  // and then refuses to inline what they call.
  HWY_INLINE Complex() {}
  HWY_INLINE Complex(V real, V imaginary) : re(real), im(imaginary) {}
};

template <class T>
HWY_INLINE Complex<T> in_register(const Complex<T>& x) {
  return {in_register(x.re), in_register(x.im)};
}

/// Reads and writes elements of a complex tile; `swapped` exchanges real and imaginary parts.
template <class T>
struct Access {
  using L = Lanes<T>;
  static constexpr Index step = 2 * L::count;  // scalars from one element to the next
  Index re, im;

  explicit HWY_INLINE Access(bool swapped) : re(swapped ? L::count : 0), im(swapped ? 0 : L::count) {}
  HWY_INLINE Complex<T> load(const T* p) const { return {L::load(p + re), L::load(p + im)}; }
  HWY_INLINE void store(const Complex<T>& x, T* p) const {
    L::store(x.re, p + re);
    L::store(x.im, p + im);
  }
};

/// x w with w broadcast
template <class T>
HWY_INLINE Complex<T> times(const Complex<T>& x, typename Lanes<T>::V wr, typename Lanes<T>::V wi) {
  using L = Lanes<T>;
  return {L::neg_mul_add(x.im, wi, L::mul(x.re, wr)), L::mul_add(x.im, wr, L::mul(x.re, wi))};
}

/// x w with w = table[0] + i table[1]
template <class T>
HWY_INLINE Complex<T> times(const Complex<T>& x, const T* table) {
  return times<T>(x, Lanes<T>::all(table[0]), Lanes<T>::all(table[1]));
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
