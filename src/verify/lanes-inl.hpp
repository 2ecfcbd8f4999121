// Double-double arithmetic on SIMD lanes: one functional (probe or sample) per lane. Included once per target by the
// files that Highway recompiles.
//
// In memory, "quads" hold such numbers: for each index 4 * lanes doubles, re.hi, re.lo, im.hi, im.lo, each for all
// lanes.
#if defined(SHARDFFT_VERIFY_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_VERIFY_LANES_INL
#undef SHARDFFT_VERIFY_LANES_INL
#else
#define SHARDFFT_VERIFY_LANES_INL
#endif

#include "hwy/highway.h"
#include "verify/double_double.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;
using V = hn::Vec<Lanes>;

struct DD {
  V hi, lo;
};
struct CDD {
  DD re, im;
};

HWY_INLINE V neg(V a) { return hn::Neg(a); }
HWY_INLINE DD quick_two_sum(V a, V b) {
  const V s = a + b;
  return {s, b - (s - a)};
}
HWY_INLINE DD two_sum(V a, V b) {
  const V s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}

/// a * b - p, where p is a * b rounded: exact (barring underflow).
#if HWY_NATIVE_FMA
HWY_INLINE V product_error(V a, V b, V p) { return hn::MulSub(a, b, p); }
#else
/// Upper 26 bits of a (Veltkamp).
HWY_INLINE V upper(V a) {
  const V c = a * hn::Set(Lanes(), 134217729.0);
  return c - (c - a);
}
HWY_INLINE V product_error(V a, V b, V p) {
  const V ah = upper(a), bh = upper(b), al = a - ah, bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
#endif
HWY_INLINE DD two_prod(V a, V b) {
  const V p = a * b;
  return {p, product_error(a, b, p)};
}

HWY_INLINE DD neg(DD a) { return {neg(a.hi), neg(a.lo)}; }
HWY_INLINE DD add(DD a, DD b) {
  const DD s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const DD u = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(u.hi, u.lo + t.lo);
}
HWY_INLINE DD mul(DD a, DD b) {
  const DD p = two_prod(a.hi, b.hi);
  return quick_two_sum(p.hi, p.lo + hn::MulAdd(a.hi, b.lo, a.lo * b.hi));
}

HWY_INLINE CDD add(CDD a, CDD b) { return {add(a.re, b.re), add(a.im, b.im)}; }
HWY_INLINE CDD sub(CDD a, CDD b) { return {add(a.re, neg(b.re)), add(a.im, neg(b.im))}; }
/// a * b + c * d, to about 2^-103 of |a b| + |c d|.
HWY_INLINE DD sum_of_products(DD a, DD b, DD c, DD d) {
  const DD p = two_prod(a.hi, b.hi), q = two_prod(c.hi, d.hi), s = two_sum(p.hi, q.hi);
  const V crossed = hn::MulAdd(a.hi, b.lo, a.lo * b.hi) + hn::MulAdd(c.hi, d.lo, c.lo * d.hi);
  return quick_two_sum(s.hi, s.lo + ((p.lo + q.lo) + crossed));
}
/// To about 2^-103 of |a b|.
HWY_INLINE CDD mul(CDD a, CDD b) {
  return {sum_of_products(a.re, b.re, neg(a.im), b.im), sum_of_products(a.re, b.im, a.im, b.re)};
}

/// Lanes [g, g + N) of the quad at `quad`; `lanes` is how many each component has.
HWY_INLINE CDD load(const double* quad, int lanes, int g) {
  const Lanes d;
  return {{hn::LoadU(d, quad + g), hn::LoadU(d, quad + lanes + g)},
          {hn::LoadU(d, quad + 2 * lanes + g), hn::LoadU(d, quad + 3 * lanes + g)}};
}
HWY_INLINE void store(CDD a, double* quad, int lanes, int g) {
  const Lanes d;
  hn::StoreU(a.re.hi, d, quad + g);
  hn::StoreU(a.re.lo, d, quad + lanes + g);
  hn::StoreU(a.im.hi, d, quad + 2 * lanes + g);
  hn::StoreU(a.im.lo, d, quad + 3 * lanes + g);
}
/// Sets all lanes to z.
HWY_INLINE CDD all_lanes(const ComplexDD& z) {
  const Lanes d;
  return {{hn::Set(d, z.re.hi), hn::Set(d, z.re.lo)}, {hn::Set(d, z.im.hi), hn::Set(d, z.im.lo)}};
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
