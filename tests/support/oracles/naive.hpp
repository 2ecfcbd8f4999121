// Small arrays held whole on every rank, and their transforms by the definition in long double: the oracle of the plan
// tests.
#pragma once

#include <complex>
#include <vector>

#include "engine/engine.hpp"
#include "shardfft/box.hpp"

namespace shardfft::testing {

using Reference = std::complex<long double>;

/// A whole array in row-major order.
struct Whole {
  Shape shape{};
  std::vector<Reference> values{};
  [[nodiscard]] Reference& at(const Coord& c) { return values[static_cast<std::size_t>(position(c))]; }
  [[nodiscard]] const Reference& at(const Coord& c) const { return values[static_cast<std::size_t>(position(c))]; }
  [[nodiscard]] Index position(const Coord& c) const {
    Index p = 0;
    for (int a = 0; a < shape.dims(); ++a) p = p * shape[a] + c[a];
    return p;
  }
};

/// Calls visit(coordinates) for every element of a box, last axis fastest.
template <class Visit>
void for_each(const Box& box, Visit visit) {
  if (box.empty()) return;
  Coord at = box.lo;
  while (true) {
    visit(at);
    int a = box.dims() - 1;
    while (a >= 0 && ++at[a] == box.hi[a]) {
      at[a] = box.lo[a];
      --a;
    }
    if (a < 0) return;
  }
}

/// A number in [-0.5, 0.5) that depends on the element's global position and a seed.
[[nodiscard]] double random_value(std::uint64_t seed, Index position);

/// Real or complex random array.
[[nodiscard]] Whole random_array(const Shape& shape, bool complex, std::uint64_t seed);

/// sum over j of x[j] exp(sign 2 pi i j k / n) along one axis.
[[nodiscard]] Whole dft(const Whole& x, int axis, int sign);
/// A real-to-real transform along one axis, of real and imaginary parts alike; `orthonormal`: with the weights of one,
/// but unscaled.
[[nodiscard]] Whole real_to_real(const Whole& x, int axis, Transform1d t, bool orthonormal = false);
/// The first n/2 + 1 elements along `axis`.
[[nodiscard]] Whole half(const Whole& x, int axis);
/// All n elements along `axis` from the half spectrum such that the transform along `axis` gives reals: imaginary parts
/// of the first and (even n) middle element are dropped. Other axes must already be in space.
[[nodiscard]] Whole complete_hermitian(const Whole& x, int axis, Index n);

/// The first elements along `axis`, with zeros behind the last where there are fewer than n.
[[nodiscard]] Whole first_points(const Whole& x, int axis, Index n);
/// The m lowest frequencies along `axis`; of an even number below all, both outermost ones are added.
[[nodiscard]] Whole lowest_modes(const Whole& x, int axis, Index m);
/// All n frequencies along `axis` from as many as there are; both outermost ones get half of what they share.
[[nodiscard]] Whole all_modes(const Whole& x, int axis, Index n);

}  // namespace shardfft::testing
