// What is done to a tile beside the transforms of its parts: reals, and pencils that are put together from parts.
#pragma once

#include "device/kernels/fused_shape.hpp"
#include "device/kernels/fused_table.hpp"
#include "device/kernels/pack.hpp"

namespace shardfft {

/// A barrier is between any two steps. The one on the chip is forward; backward it is that of the conjugate.
template <class T, class Shape>
struct FusedSteps {
  using Element = Pack<T, 2>;

  FusedTile<T, Shape> place{};
  FusedTableView table{};
  bool real_in = false, real_out = false;
  T sign = 1, scale[2] = {1, 1};  ///< of imaginary parts before the transform; of both parts after it

  /// Elements of the transform, before it and after it.
  SHARDFFT_HD void enter(Element& x) const { x.of[1] *= sign; }
  SHARDFFT_HD void leave(Element& x) const { x = {{x.of[0] * scale[0], x.of[1] * scale[1]}}; }

  // Reals x of length n = 2 m are the complex numbers z_j = x_2j + i x_2j+1. With X their half spectrum, Z that of z, w
  // = exp(-2 pi i k / n), and b' the conjugate of b:
  //   E = (Z_k + Z_m-k') / 2, O = (Z_k - Z_m-k') / 2i, X_k = E + w O, X_m-k' = E - w O; and back, without factors: Z_k
  //   = (X_k + X_m-k') + i w' (X_k - X_m-k'). source Press, Teukolsky, Vetterling, Flannery, Numerical Recipes, 3rd
  //   ed., section 12.3

  /// c2r: half spectra become what a complex transform makes reals of. What no array of reals has, imaginary parts of
  /// the first and the last element, is ignored.
  SHARDFFT_HD void from_half_spectra(int thread, Element* tile) const {
    const int v = thread / Shape::rows;
    for (int k = thread % Shape::rows; 2 * k <= place.m(); k += Shape::rows) {
      Element &x = tile[place.before(v, k)], &y = tile[place.before(v, place.m() - k)];
      if (k == 0) {
        x = {{x.of[0] + y.of[0], x.of[0] - y.of[0]}};
        continue;
      }
      const Element root = Element::load(table.roots + k * static_cast<int>(sizeof(Element)));
      const T e[2] = {x.of[0] + y.of[0], x.of[1] - y.of[1]}, d[2] = {x.of[0] - y.of[0], x.of[1] + y.of[1]};
      const T o[2] = {d[0] * root.of[0] + d[1] * root.of[1], d[1] * root.of[0] - d[0] * root.of[1]};
      x = {{e[0] - o[1], e[1] + o[0]}};
      y = {{e[0] + o[1], o[0] - e[1]}};
    }
  }
  /// r2c: the reverse, after a complex transform.
  SHARDFFT_HD void to_half_spectra(int thread, Element* tile) const {
    const int v = thread / Shape::rows;
    for (int k = thread % Shape::rows; 2 * k <= place.m(); k += Shape::rows) {
      Element &x = tile[place.after(v, k)], &y = tile[place.after(v, place.m() - k)];
      if (k == 0) {
        y = {{x.of[0] - x.of[1], 0}};
        x = {{x.of[0] + x.of[1], 0}};
        continue;
      }
      const Element root = Element::load(table.roots + k * static_cast<int>(sizeof(Element)));
      const T half = static_cast<T>(0.5);
      const T a[2] = {half * x.of[0], half * x.of[1]},
              b[2] = {half * y.of[0], -half * y.of[1]};  // halves first: sums may be too large
      const T e[2] = {a[0] + b[0], a[1] + b[1]}, o[2] = {a[1] - b[1], b[0] - a[0]};
      const T t[2] = {o[0] * root.of[0] - o[1] * root.of[1], o[0] * root.of[1] + o[1] * root.of[0]};
      x = {{e[0] + t[0], e[1] + t[1]}};
      y = {{e[0] - t[0], t[1] - e[1]}};
    }
  }

  /// Puts pencils together from the transforms Y_r of their 4 parts, and lets them leave: X_k+qm/4 = sum over r of
  /// (-i)^(q r) w^(r k) Y_r,k with w = exp(-2 pi i / m). source Cooley, Tukey, 1965
  SHARDFFT_HD void join_parts(int thread, Element* tile) const {
    static_assert(Shape::parts == 1 || Shape::parts == 4);
    if constexpr (Shape::parts == 4) {
      const int v = thread / Shape::rows, pitch = place.part_pitch();
      for (int k = thread % Shape::rows; k < place.part(); k += Shape::rows) {
        Element* const y = tile + place.after(v, k);
        const Element a = y[0], b = turned(y[pitch], 1, k), c = turned(y[2 * pitch], 2, k),
                      d = turned(y[3 * pitch], 3, k);
        const Element e = sum(a, c), f = difference(a, c), g = sum(b, d), h = difference(b, d);
        const Element x[4] = {sum(e, g),
                              {{f.of[0] + h.of[1], f.of[1] - h.of[0]}},
                              difference(e, g),
                              {{f.of[0] - h.of[1], f.of[1] + h.of[0]}}};
        SHARDFFT_UNROLL
        for (int q = 0; q < 4; ++q) {
          y[q * pitch] = x[q];
          leave(y[q * pitch]);
        }
      }
    }
  }

 private:
  [[nodiscard]] static SHARDFFT_HD Element sum(const Element& a, const Element& b) {
    return {{a.of[0] + b.of[0], a.of[1] + b.of[1]}};
  }
  [[nodiscard]] static SHARDFFT_HD Element difference(const Element& a, const Element& b) {
    return {{a.of[0] - b.of[0], a.of[1] - b.of[1]}};
  }
  // y w^(r k)
  [[nodiscard]] SHARDFFT_HD Element turned(const Element& y, int r, int k) const {
    const Element w = Element::load(table.twiddles + ((r - 1) * place.part() + k) * static_cast<int>(sizeof(Element)));
    return {{y.of[0] * w.of[0] - y.of[1] * w.of[1], y.of[0] * w.of[1] + y.of[1] * w.of[0]}};
  }
};

}  // namespace shardfft
