// The routines of four_step_routines.hpp.
#if defined(SHARDFFT_NATIVE_LONG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_LONG_INL_H_
#undef SHARDFFT_NATIVE_LONG_INL_H_
#else
#define SHARDFFT_NATIVE_LONG_INL_H_
#endif

#include <type_traits>

#include "engine/native/four_step/four_step_routines.hpp"
#include "engine/native/passes/lanes-inl.h"
#include "engine/native/passes/unroll-inl.h"
#include "support/processor/simd_complex-inl.h"
#include "support/processor/simd_transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

namespace simd = shardfft::HWY_NAMESPACE;

/// Vectors in 64 bytes, for which factors are made.
template <class T>
inline constexpr Index vectors_in_widest = widest<T> / Lanes<T>::count;

template <class T>
HWY_INLINE typename Lanes<T>::V load_any(const T* p) {
  return hn::LoadU(typename Lanes<T>::D(), p);
}

template <class T>
HWY_INLINE void store_any(typename Lanes<T>::V x, T* p) {
  hn::StoreU(x, typename Lanes<T>::D(), p);
}

/// Neighbours in memory, one for each lane.
template <class T>
HWY_INLINE Complex<T> take_contiguous(const T* p) {
  Complex<T> x;
  simd::deinterleave<T>(load_any(p), load_any(p + Lanes<T>::count), x.re, x.im);
  return x;
}

template <class T>
HWY_INLINE void put_contiguous(const Complex<T>& x, T* p) {
  typename Lanes<T>::V a, b;
  simd::interleave<T>(x.re, x.im, a, b);
  store_any<T>(a, p);
  store_any<T>(b, p + Lanes<T>::count);
}

/// The lanes' conjugates in reversed order.
template <class T>
HWY_INLINE Complex<T> mirrored(const Complex<T>& x) {
  const typename Lanes<T>::D d;
  return {hn::Reverse(d, x.re), hn::Neg(hn::Reverse(d, x.im))};
}

/// f(row, number of the tile, where that has the row)
template <class T, class F>
HWY_INLINE void for_rows(const Columns& m, T* tiles, const F& f) {
  for (Index r = 0; r < m.rows; ++r) {
    T* at = tiles + (m.places == nullptr ? r : m.places[r]) * Access<std::remove_const_t<T>>::step;
    for (Index t = 0; t < m.tiles; ++t, at += m.tile_apart) f(r, t, at);
  }
}

template <class T>
void load_columns(const Columns& m, const T* from, T* tiles) {
  const Access<T> access(false);
  for_rows(m, tiles, [&](Index r, Index t, T* at) SHARDFFT_INSIDE {
    access.store(take_contiguous<T>(from + r * m.apart + t * access.step), at);
  });
}

template <class T>
void store_columns(const Columns& m, const T* tiles, T* to) {
  const Access<T> access(false);
  for_rows(m, tiles, [&](Index r, Index t, const T* at) SHARDFFT_INSIDE {
    put_contiguous<T>(access.load(at), to + r * m.apart + t * access.step);
  });
}

/// The first real column of tile t of a run.
template <class T>
HWY_INLINE Index pair_column(Index t) {
  constexpr Index vectors = vectors_in_widest<T>;
  return t / vectors * 2 * widest<T> + t % vectors * Lanes<T>::count;
}

template <class T>
void load_pairs(const Columns& m, const T* from, T* tiles) {
  const Access<T> access(false);
  for_rows(m, tiles, [&](Index r, Index t, T* at) SHARDFFT_INSIDE {
    const T* row = from + r * m.apart + pair_column<T>(t);
    access.store({load_any(row), load_any(row + widest<T>)}, at);
  });
}

template <class T>
void store_pairs(const Columns& m, const T* tiles, T* to) {
  const Access<T> access(false);
  for_rows(m, tiles, [&](Index r, Index t, const T* at) SHARDFFT_INSIDE {
    const Complex<T> x = access.load(at);
    T* row = to + r * m.apart + pair_column<T>(t);
    store_any<T>(x.re, row);
    store_any<T>(x.im, row + widest<T>);
  });
}

// Row d of a spectrum has the elements c + first * d. Those in its second half are conjugates of the elements n - c -
// first * d: rows from (second + 1) / 2 on, where c <= first / 2.
inline Index mirror_of(const FourStepFactors& n, Index line, Index d, Index lanes) {
  return n.length() - n.first * d - line - lanes + 1;
}

template <class T>
void load_mirrored(const Columns& m, const FourStepFactors& n, Index line, const T* spectrum, T* tiles) {
  constexpr Index L = Lanes<T>::count;
  const Access<T> access(false);
  const Index direct = (n.second + 1) / 2;
  for_rows(m, tiles, [&](Index d, Index t, T* at) SHARDFFT_INSIDE {
    const Index c = line + t * L;
    access.store(d < direct ? take_contiguous<T>(spectrum + 2 * (c + n.first * d))
                            : mirrored<T>(take_contiguous<T>(spectrum + 2 * mirror_of(n, c, d, L))),
                 at);
  });
}

template <class T>
void store_mirrored(const Columns& m, const FourStepFactors& n, Index line, const T* tiles, T* spectrum) {
  constexpr Index L = Lanes<T>::count;
  const Access<T> access(false);
  const Index direct = (n.second + 1) / 2;
  for_rows(m, tiles, [&](Index d, Index t, const T* at) SHARDFFT_INSIDE {
    const Index c = line + t * L;
    if (d < direct)
      put_contiguous<T>(access.load(at), spectrum + 2 * (c + n.first * d));
    else
      put_contiguous<T>(mirrored<T>(access.load(at)), spectrum + 2 * mirror_of(n, c, d, L));
  });
}

/// Vector `vector` of row `row` of a table with all real parts, then all imaginary parts, of 64 bytes each.
template <class T>
HWY_INLINE Complex<T> load_widest(const T* table, Index row, Index vector) {
  const T* at = table + 2 * widest<T> * row + vector * Lanes<T>::count;
  return {load_any(at), load_any(at + widest<T>)};
}

/// Chirp factors of row r of tile t of a run, from `column` on. The first one belongs to element k.
template <class T>
HWY_INLINE Complex<T> chirp_of(const Chirp<T>& chirp, Index r, Index t, Index column, Index k, const T* far) {
  if (chirp.table != nullptr) return take_contiguous<T>(chirp.table + 2 * k);
  constexpr Index vectors = vectors_in_widest<T>;
  const Complex<T> x =
      times<T>(load_widest<T>(chirp.near, r, t % vectors), far + t / vectors * chirp.far_apart + 2 * r);
  return times<T>(x, load_any(chirp.re + column), load_any(chirp.im + column));
}

template <class T>
void load_chirped(const Columns& m, const Chirp<T>& chirp, Index first, const T* far, const T* from, T* tiles) {
  const Access<T> access(false);
  const auto zero = Lanes<T>::all(T(0));
  for_rows(m, tiles, [&](Index r, Index t, T* at) SHARDFFT_INSIDE {
    const Index column = first + t * Lanes<T>::count, k = r * m.apart + column;
    // all of 64 bytes, as wider vectors do it: products of the zeros behind the pencil may be -0
    if (k - t % vectors_in_widest<T> * Lanes<T>::count >= chirp.count) return access.store({zero, zero}, at);
    Complex<T> x =
        chirp.numbers == Numbers::real ? Complex<T>{load_any(from + k), zero} : take_contiguous<T>(from + 2 * k);
    if (chirp.numbers == Numbers::swapped) x = {x.im, x.re};
    const Complex<T> w = chirp_of<T>(chirp, r, t, column, k, far);
    access.store(times<T>(x, w.re, w.im), at);
  });
}

template <class T>
void store_chirped(const Columns& m, const Chirp<T>& chirp, Index first, const T* far, const T* tiles, T* to) {
  const Access<T> access(false);
  for_rows(m, tiles, [&](Index r, Index t, const T* at) SHARDFFT_INSIDE {
    const Index column = first + t * Lanes<T>::count, k = r * m.apart + column;
    if (k >= chirp.count) return;
    const Complex<T> w = chirp_of<T>(chirp, r, t, column, k, far);
    const Complex<T> x = times<T>(access.load(at), w.re, w.im);
    if (chirp.numbers == Numbers::real)
      store_any<T>(x.im, to + k);  // what is real comes from a backward transform, whose parts are exchanged
    else
      put_contiguous<T>(chirp.numbers == Numbers::swapped ? Complex<T>{x.im, x.re} : x, to + 2 * k);
  });
}

/// Columns of a tile: where they begin, and their vector of the 64 bytes whose factors `far` are.
template <class T>
struct TileColumns {
  Index start = 0, vector = 0;
  const T* far = nullptr;
  HWY_INLINE TileColumns(const FourStepMatrix<T>& s, Index tile, const T* factors)
      : start(s.starts[tile]), vector(tile % vectors_in_widest<T>), far(factors) {}
  /// Those `widest` further on.
  HWY_INLINE TileColumns second(const FourStepMatrix<T>& s) const {
    TileColumns next = *this;
    next.start += widest<T>;
    next.far += s.far_apart;
    return next;
  }
};

/// Factor of line c.
template <class T>
HWY_INLINE Complex<T> factor(const FourStepMatrix<T>& s, const TileColumns<T>& at, Index c) {
  return times<T>(load_widest<T>(s.near, c, at.vector), at.far + 2 * c);
}

/// row(c): line c of the columns.
template <class T, class Row>
HWY_INLINE void spread_lines(const FourStepMatrix<T>& s, const TileColumns<T>& at, T* matrix, const Row& row) {
  constexpr int L = static_cast<int>(Lanes<T>::count);
  const Access<T> access(false);
  T* to = matrix + at.start * access.step;
  for (Index group = 0; group < s.groups; ++group, to += s.apart) {
    const Index c = s.first_line(group, L);
    typename Lanes<T>::V re[L], im[L];
    unroll<L>([&](auto i) SHARDFFT_INSIDE {
      const Complex<T> w = factor<T>(s, at, c + i), x = times<T>(row(c + i), w.re, w.im);
      re[i] = x.re, im[i] = x.im;
    });
    simd::transpose<T>(re);
    simd::transpose<T>(im);
    unroll<L>([&](auto v) SHARDFFT_INSIDE { access.store({re[v], im[v]}, to + v * access.step); });
  }
}

template <class T>
void spread(const FourStepMatrix<T>& s, Index number, const T* far, const T* tile, T* matrix) {
  const Access<T> access(false);
  spread_lines<T>(s, {s, number, far}, matrix,
                  [&](Index c) SHARDFFT_INSIDE { return access.load(tile + c * access.step); });
}

// The transforms of two real columns x and y, from that of z = x + iy: X_c = (Z_c + conj Z_{-c}) / 2,
// Y_c = -i (Z_c - conj Z_{-c}) / 2. FourStepFactors are added: the sum of both could leave the range of the result.
template <class T>
void spread_pairs(const FourStepMatrix<T>& s, Index number, const T* far, const T* tile, T* matrix) {
  using L = Lanes<T>;
  const Access<T> access(false);
  const auto at = [&](Index c) SHARDFFT_INSIDE { return access.load(tile + c * access.step); };
  const auto half = L::all(T(0.5));
  const TileColumns<T> columns(s, number, far);
  const auto mirror = [&](Index c) SHARDFFT_INSIDE { return at(c == 0 ? 0 : s.n.first - c); };
  spread_lines<T>(s, columns, matrix, [&](Index c) SHARDFFT_INSIDE {
    const Complex<T> z = at(c), m = mirror(c);
    return Complex<T>{L::mul_add(half, z.re, L::mul(half, m.re)), L::mul_sub(half, z.im, L::mul(half, m.im))};
  });
  spread_lines<T>(s, columns.second(s), matrix, [&](Index c) SHARDFFT_INSIDE {
    const Complex<T> z = at(c), m = mirror(c);
    return Complex<T>{L::mul_add(half, z.im, L::mul(half, m.im)), L::mul_sub(half, m.re, L::mul(half, z.re))};
  });
}

/// take(c, x): line c of the columns.
template <class T, class Take>
HWY_INLINE void collect_lines(const FourStepMatrix<T>& s, const TileColumns<T>& at, const T* matrix, const Take& take) {
  constexpr int L = static_cast<int>(Lanes<T>::count);
  const Access<T> access(false);
  const T* from = matrix + at.start * access.step;
  for (Index group = 0; group < s.groups; ++group, from += s.apart) {
    const Index c = s.first_line(group, L);
    typename Lanes<T>::V re[L], im[L];
    unroll<L>([&](auto v) SHARDFFT_INSIDE {
      const Complex<T> x = access.load(from + v * access.step);
      re[v] = x.re, im[v] = x.im;
    });
    simd::transpose<T>(re);
    simd::transpose<T>(im);
    unroll<L>([&](auto i) SHARDFFT_INSIDE {
      if (c + i < group / vectors_in_widest<T> * widest<T>) return;  // was in a group before
      const Complex<T> w = factor<T>(s, at, c + i);
      take(c + i, times<T>({re[i], im[i]}, w.re, Lanes<T>::neg(w.im)));
    });
  }
}

template <class T>
void collect(const FourStepMatrix<T>& s, Index number, const T* far, const Index* places, const T* matrix, T* tile) {
  const Access<T> access(false);
  collect_lines<T>(s, {s, number, far}, matrix, [&](Index c, const Complex<T>& x) SHARDFFT_INSIDE {
    access.store(x, tile + (places == nullptr ? c : places[c]) * access.step);
  });
}

// Z_c = X_c + i Y_c and Z_{-c} = conj X_c + i conj Y_c. X waits in Z's places.
template <class T>
void collect_pairs(const FourStepMatrix<T>& s, Index number, const T* far, const Index* places, const T* matrix,
                   T* tile) {
  using L = Lanes<T>;
  const Access<T> access(false);
  collect<T>(s, number, far, places, matrix, tile);
  collect_lines<T>(s, TileColumns<T>(s, number, far).second(s), matrix,
                   [&](Index c, const Complex<T>& y) SHARDFFT_INSIDE {
                     const Index mirror = c == 0 ? 0 : s.n.first - c;
                     T* const at = tile + (places == nullptr ? c : places[c]) * access.step;
                     const Complex<T> x = access.load(at);
                     access.store({L::add(x.re, y.im), L::sub(y.re, x.im)},
                                  tile + (places == nullptr ? mirror : places[mirror]) * access.step);
                     access.store({L::sub(x.re, y.im), L::add(x.im, y.re)}, at);
                   });
}

template <class T>
void multiply_tile(Index elements, const T* factors, T* tile) {
  const Access<T> access(false);
  for (Index k = 0; k < elements; ++k, factors += access.step, tile += access.step) {
    const Complex<T> w{load_any(factors), load_any(factors + Lanes<T>::count)};
    access.store(times<T>(access.load(tile), w.re, w.im), tile);
  }
}

template <class T>
void filter_lines(const Filter<T>& f, Index group, Index line, const T* far, T* tile) {
  using L = Lanes<T>;
  constexpr Index step = Access<T>::step;
  if (f.table != nullptr) return multiply_tile<T>(f.n.second, f.table + group * f.n.second * step, tile);
  const Access<T> access(false);
  const typename L::D d;
  constexpr Index vectors = vectors_in_widest<T>;
  const Index vector = group % vectors, widest_group = group / vectors;
  const Complex<T> own = load_widest<T>(f.own, 2 * widest_group, vector),
                   turn = load_widest<T>(f.own, 2 * widest_group + 1, vector), both = times<T>(own, turn.re, turn.im);
  const auto apply = [&](Index k, const Complex<T>& weight) SHARDFFT_INSIDE {
    const Complex<T> w = times<T>(times<T>(load_widest<T>(f.near, k, vector), far + 2 * k), weight.re, weight.im);
    access.store(times<T>(access.load(tile + k * step), w.re, w.im), tile + k * step);
  };
  const auto at_end = [&](Index k, const Complex<T>& z, const Complex<T>& more, typename L::V u) SHARDFFT_INSIDE {
    const auto re = L::mul_add(u, more.re, L::add(L::all(T(1)), z.re)), im = L::mul_add(u, more.im, z.im);
    apply(k, times<T>(own, re, im));
  };
  for (Index k = 0; k < f.ends; ++k) {
    const Complex<T> z = times<T>(turn, f.turned + 2 * k);
    at_end(k, z, {z.re, L::neg(z.im)}, load_any(f.end + line + k * f.n.first));
  }
  for (Index k = f.ends; k < f.n.second - f.ends; ++k) {
    const auto re = L::all(f.turned[2 * k]), im = L::all(f.turned[2 * k + 1]);
    apply(k, {L::neg_mul_add(both.im, im, L::mul_add(both.re, re, own.re)),
              L::mul_add(both.re, im, L::mul_add(both.im, re, own.im))});
  }
  for (Index k = f.n.second - f.ends; k < f.n.second; ++k) {
    const Complex<T> z = times<T>(turn, f.turned + 2 * k);
    const Index from_end = (f.n.second - k) * f.n.first - line;
    at_end(k, z, times<T>(z, z.re, z.im), hn::Reverse(d, load_any(f.end + from_end - L::count + 1)));
  }
}

template <class T>
void multiply_pairs(Index count, const T* a, const T* b, T* to) {
  for (Index k = 0; k < 2 * count; k += Access<T>::step) {
    const Complex<T> w = take_contiguous<T>(b + k);
    put_contiguous<T>(times<T>(take_contiguous<T>(a + k), w.re, w.im), to + k);
  }
}

template <class T>
const FourStepRoutines<T>* make_four_step_routines() {
  static const FourStepRoutines<T> table{load_columns<T>,  store_columns<T>,  load_pairs<T>,   store_pairs<T>,
                                         load_mirrored<T>, store_mirrored<T>, load_chirped<T>, store_chirped<T>,
                                         spread<T>,        spread_pairs<T>,   collect<T>,      collect_pairs<T>,
                                         filter_lines<T>,  multiply_pairs<T>};
  return &table;
}

#else

template <class T>
const FourStepRoutines<T>* make_four_step_routines() {
  return nullptr;
}

#endif

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
