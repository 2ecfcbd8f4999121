// The filter of Bluestein's algorithm without a transform, and without a table of it.
//
// A convolution of length L needs exp(i pi k^2 / n) at |k| < n only; what it has elsewhere is free. Let it be g(k) +
// g(k + L) + g(k - L) + ... with
//   g(x) = exp(i pi x^2 / n) W(x),  W = 1 where |x| < n and 0 where |x| > L - n, to less than a roundoff of double.
// Its transform is that of g, at frequencies f = (q + m L) / L for all m. The transform of exp(i pi x^2 / n) is C
// exp(-i pi n f^2), C = sqrt(n) exp(i pi / 4), and that of g is
//   C exp(-i pi n f^2) U(n f),  U = W convolved with exp(i pi x^2 / n) / C.
// U is chosen and W follows: U(y) = erfc((|y| - a) / s) / 2 with s^2 = n / pi makes W two such steps at x = a and -a
// whose s'^2 = (1 - i) n / pi. For a = n + 4.8 sqrt(n) they differ from 0 and 1 by less than 1e-17 outside of a -+ 4.8
// sqrt(n), hence L >= 2n + 9.6 sqrt(n). U is 1 where |f| <= 1, and 0 from 1 + 8.2 / sqrt(n) on. With z = (-1)^n exp(2
// pi i n q / L), 0 <= q < L,
//   H_q = C exp(-i pi n q^2 / L^2) (1 + z + u conj(z) + v z^2),
// where u = U(n + n q / L) is 0 but for a few q at the low end, and v = U(n + n (L - q) / L) but at the high end.
// With q = c + first d, the phase n q^2 / 2 L^2 is n c^2 / 2 L^2 + n c d / (L second) + n d^2 / (2 second^2): products
// of short tables, in which c is a line and d an element of the matrix. Source: the pair of chirps, as in A. Papoulis,
// The Fourier Integral and its Applications, McGraw-Hill 1962; Poisson's sum formula. The choice of U is ours.
#pragma once

#include "engine/native/four_step/line_factors.hpp"

namespace shardfft::native {

/// From so many elements on, the ends of a pencil are two.
inline constexpr Index least_filtered = 400;

/// L: the least length of a convolution of a pencil of n elements.
[[nodiscard]] Index least_filtered_length(Index n);

/// The transform of exp(i pi k^2 / n), |k| < n, divided by its length.
template <class T>
class ChirpFilter {
 public:
  /// n >= least_filtered; halves of at least least_filtered_length(n).
  ChirpFilter(Index n, const FourStepFactors& halves);

  [[nodiscard]] Filter<T> get() const {
    return {.n = halves_,
            .near = near_.get(),
            .turned = turned_.get(),
            .own = own_.get(),
            .ends = ends_,
            .end = end_.get()};
  }
  /// Factors of 64 bytes of lines; `workspace` and `there` as LineFactors has them.
  const T* far(Index lines, const FourStepRoutines<T>& routines, T* workspace, bool there) const {
    return far_.rows(lines, 1, routines, workspace, there);
  }
  [[nodiscard]] Index workspace() const { return far_.row_scalars(); }
  void add_tables(TableBytes& found) const {
    for (const Scalars<T>* table : {&near_, &turned_, &own_, &end_}) table->add_tables(found);
    far_.add_tables(found);
  }

 private:
  FourStepFactors halves_;
  Index ends_;
  Scalars<T> near_, turned_, own_, end_;
  LineFactors<T> far_;
};

}  // namespace shardfft::native
