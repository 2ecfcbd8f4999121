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
#include "support/processor/simd_complex-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
namespace simd = shardfft::HWY_NAMESPACE;
#endif

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

/// The rows that a mix reads and writes: row r of the reals, or the row of element e in memory.
template <class L, class T>
struct InTile {
  T* x;
  HWY_INLINE typename L::V load(Index r, Index) const { return L::load(x + r * L::count); }
  HWY_INLINE void store(typename L::V v, Index r, Index) const { L::store(v, x + r * L::count); }
};

#if HWY_TARGET != HWY_SCALAR

template <class T>
struct FromMemory {
  using L = Lanes<T>;
  const RowSource& from;
  HWY_INLINE typename L::V load(Index, Index e) const {
    if (e < 0) return L::all(T(0));
    const std::byte* row = from.rows[e] + from.offset;
    if (from.prefetch_distance != 0)
      simd::want_soon(reinterpret_cast<const T*>(row + from.prefetch_distance) + L::count - 1);
    return hn::LoadU(typename L::D(), reinterpret_cast<const T*>(row));
  }
};

template <class T>
struct ToMemory {
  using L = Lanes<T>;
  const RowTarget& to;
  HWY_INLINE void store(typename L::V v, Index, Index e) const {
    if (e < 0 || to.rows[e] == nullptr) return;
    if (to.next != nullptr) simd::want_soon(reinterpret_cast<const T*>(to.next[e] + to.next_offset) + L::count - 1);
    if (to.scale != 1) v = L::mul(v, L::all(static_cast<T>(to.scale)));
    T* const row = reinterpret_cast<T*>(to.rows[e] + to.offset);
    to.is_non_temporal(e) ? simd::put<true, T>(v, row) : simd::put<false, T>(v, row);
  }
};

#endif

template <class L, class T, class From, class To>
HWY_INLINE void mix_alone(const RowMixes<T>& m, const From& from, const To& to) {
  const T* by = m.alone_by.data();
  const Index* e = m.alone_elements.data();
  for (const Index at : m.alone) {
    const Index r = 2 * at;
    const auto re = from.load(r, e[0]), im = from.load(r + 1, e[1]);
    to.store(L::mul_add(im, L::all(by[1]), L::mul(re, L::all(by[0]))), r, e[0]);
    to.store(L::mul_add(im, L::all(by[3]), L::mul(re, L::all(by[2]))), r + 1, e[1]);
    by += 4, e += 2;
  }
}

template <bool transposed, class L, class T, class From, class To>
HWY_INLINE void mix_pairs(const RowMixes<T>& m, const From& from, const To& to) {
  const T* by = m.pairs_by.data();
  const Index* e = m.pair_elements.data();
  for (std::size_t i = 0; i < m.pairs.size(); i += 2) {
    const Index low = 2 * m.pairs[i], high = 2 * m.pairs[i + 1];
    const auto a = from.load(low, e[0]), b = from.load(low + 1, e[1]), c = from.load(high, e[2]),
               d = from.load(high + 1, e[3]);
    const auto p1 = L::all(by[0]), p2 = L::all(by[1]), p3 = L::all(by[2]), p4 = L::all(by[3]), q1 = L::all(by[4]),
               q2 = L::all(by[5]), q3 = L::all(by[6]), q4 = L::all(by[7]);
    if constexpr (transposed) {
      to.store(L::neg_mul_add(d, q2, L::mul_add(c, q1, L::mul_add(b, p2, L::mul(a, p1)))), low, e[0]);
      to.store(L::mul_add(d, q1, L::mul_add(c, q2, L::neg_mul_add(b, p1, L::mul(a, p2)))), low + 1, e[1]);
      to.store(L::mul_add(d, q4, L::mul_add(c, q3, L::neg_mul_add(b, p4, L::mul(a, p3)))), high, e[2]);
      to.store(L::neg_mul_add(d, q3, L::mul_add(c, q4, L::mul_add(b, p3, L::mul(a, p4)))), high + 1, e[3]);
    } else {
      to.store(L::mul_add(d, p4, L::mul_add(c, p3, L::mul_add(b, p2, L::mul(a, p1)))), low, e[0]);
      to.store(L::mul_add(d, p3, L::neg_mul_add(c, p4, L::neg_mul_add(b, p1, L::mul(a, p2)))), low + 1, e[1]);
      to.store(L::mul_add(d, q4, L::mul_add(c, q3, L::mul_add(b, q2, L::mul(a, q1)))), high, e[2]);
      to.store(L::neg_mul_add(d, q3, L::mul_add(c, q4, L::neg_mul_add(a, q2, L::mul(b, q1)))), high + 1, e[3]);
    }
    by += 8, e += 4;
  }
}

template <class L, class T, class From, class To>
HWY_INLINE void mix(const RowMixes<T>& m, const From& from, const To& to) {
  mix_alone<L>(m, from, to);
  m.transposed ? mix_pairs<true, L>(m, from, to) : mix_pairs<false, L>(m, from, to);
}

template <class L, class T>
void mix_rows(const RowMixes<T>& m, T* x) {
  mix<L>(m, InTile<L, T>{x}, InTile<L, T>{x});
}

#if HWY_TARGET != HWY_SCALAR
template <class T>
void mix_from_memory(const RowMixes<T>& m, const RowSource& from, T* x) {
  mix<Lanes<T>>(m, FromMemory<T>{from}, InTile<Lanes<T>, T>{x});
}
template <class T>
void mix_to_memory(const RowMixes<T>& m, const T* x, const RowTarget& to) {
  mix<Lanes<T>>(m, InTile<Lanes<T>, const T>{x}, ToMemory<T>{to});
}
#endif

template <class L, class T>
void copy_rows(const RowCopies& c, const T* from, T* to) {
  for (Index i = 0; i < c.count; ++i) {
    const Index source = c.from == nullptr ? i : c.from[i], target = c.to == nullptr ? i : c.to[i];
    L::store(L::load(from + (c.from_times * source + c.from_plus) * L::count),
             to + (c.to_times * target + c.to_plus) * L::count);
  }
}

template <class L, class T>
RowRoutines<T> make_row_routines() {
  RowRoutines<T> r{
      .pencils = static_cast<int>(L::count), .scale = scale_rows<L, T>, .mix = mix_rows<L, T>, .copy = copy_rows<L, T>};
#if HWY_TARGET != HWY_SCALAR
  if constexpr (L::count > 1) r.mix_from = mix_from_memory<T>, r.mix_to = mix_to_memory<T>;
#endif
  return r;
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
