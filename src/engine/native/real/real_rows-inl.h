// Rows of a tile, for one width: L loads, stores and computes with a row.
#if defined(SHARDFFT_NATIVE_REAL_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_REAL_ROWS_INL_H_
#undef SHARDFFT_NATIVE_REAL_ROWS_INL_H_
#else
#define SHARDFFT_NATIVE_REAL_ROWS_INL_H_
#endif

#include <cstddef>

#include "engine/native/passes/lanes-inl.h"
#include "engine/native/real/real_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// A row of one number.
template <class T>
struct Number {
  using V = T;
  static constexpr Index count = 1;

  static HWY_INLINE V load(const T* p) { return *p; }
  static HWY_INLINE void store(V v, T* p) { *p = v; }
  static HWY_INLINE V all(T x) { return x; }
  static HWY_INLINE V mul(V a, V b) { return a * b; }
  static HWY_INLINE V mul_add(V a, V b, V c) { return a * b + c; }
  static HWY_INLINE V neg_mul_add(V a, V b, V c) { return c - a * b; }
};

template <class L, class T>
void scale_rows(const RowFactors<T>& by, T* x) {
  for (std::size_t i = 0; i < by.rows.size(); ++i) {
    T* row = x + by.rows[i] * L::count;
    L::store(L::mul(L::load(row), L::all(by.factors[i])), row);
  }
}

template <class L, class T>
void mix_alone(const RowMixes<T>& m, T* x) {
  const T* by = m.alone_by.data();
  for (const Index at : m.alone) {
    T* row = x + 2 * at * L::count;
    const auto re = L::load(row), im = L::load(row + L::count);
    L::store(L::mul_add(im, L::all(by[1]), L::mul(re, L::all(by[0]))), row);
    L::store(L::mul_add(im, L::all(by[3]), L::mul(re, L::all(by[2]))), row + L::count);
    by += 4;
  }
}

template <bool transposed, class L, class T>
void mix_pairs(const RowMixes<T>& m, T* x) {
  const T* by = m.pairs_by.data();
  for (std::size_t i = 0; i < m.pairs.size(); i += 2) {
    T *low = x + 2 * m.pairs[i] * L::count, *high = x + 2 * m.pairs[i + 1] * L::count;
    const auto a = L::load(low), b = L::load(low + L::count), c = L::load(high), d = L::load(high + L::count);
    const auto p1 = L::all(by[0]), p2 = L::all(by[1]), p3 = L::all(by[2]), p4 = L::all(by[3]), q1 = L::all(by[4]),
               q2 = L::all(by[5]), q3 = L::all(by[6]), q4 = L::all(by[7]);
    if constexpr (transposed) {
      L::store(L::neg_mul_add(d, q2, L::mul_add(c, q1, L::mul_add(b, p2, L::mul(a, p1)))), low);
      L::store(L::mul_add(d, q1, L::mul_add(c, q2, L::neg_mul_add(b, p1, L::mul(a, p2)))), low + L::count);
      L::store(L::mul_add(d, q4, L::mul_add(c, q3, L::neg_mul_add(b, p4, L::mul(a, p3)))), high);
      L::store(L::neg_mul_add(d, q3, L::mul_add(c, q4, L::mul_add(b, p3, L::mul(a, p4)))), high + L::count);
    } else {
      L::store(L::mul_add(d, p4, L::mul_add(c, p3, L::mul_add(b, p2, L::mul(a, p1)))), low);
      L::store(L::mul_add(d, p3, L::neg_mul_add(c, p4, L::neg_mul_add(b, p1, L::mul(a, p2)))), low + L::count);
      L::store(L::mul_add(d, q4, L::mul_add(c, q3, L::mul_add(b, q2, L::mul(a, q1)))), high);
      L::store(L::neg_mul_add(d, q3, L::mul_add(c, q4, L::neg_mul_add(a, q2, L::mul(b, q1)))), high + L::count);
    }
    by += 8;
  }
}

template <class L, class T>
void mix_rows(const RowMixes<T>& m, T* x) {
  mix_alone<L>(m, x);
  m.transposed ? mix_pairs<true, L>(m, x) : mix_pairs<false, L>(m, x);
}

template <class L, class T>
void copy_rows(const RowCopies& c, const T* from, T* to) {
  for (Index i = 0; i < c.count; ++i) {
    const Index source = c.from == nullptr ? i : c.from[i], target = c.to == nullptr ? i : c.to[i];
    L::store(L::load(from + (c.from_times * source + c.from_plus) * L::count),
             to + (c.to_times * target + c.to_plus) * L::count);
  }
}

template <class L, class T>
constexpr RowRoutines<T> make_row_routines() {
  return {
      .pencils = static_cast<int>(L::count), .scale = scale_rows<L, T>, .mix = mix_rows<L, T>, .copy = copy_rows<L, T>};
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
