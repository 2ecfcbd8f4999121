#include "verify/contract.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "support/processor/simd_targets.hpp"
#include "verify/rows.hpp"
#include "verify/spec.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "verify/contract.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "verify/lanes-inl.hpp"

#ifndef SHARDFFT_CONTRACT_ONCE
#define SHARDFFT_CONTRACT_ONCE
namespace shardfft {

/// One piece of a local box, and where its sums go.
struct PieceWork {
  const LocalArray* array = nullptr;
  const Functionals* functionals = nullptr;
  RowPiece piece{};
  double factor = 1;  ///< a power of two
  Arithmetic arithmetic = Arithmetic::double_double;
  double* sums = nullptr;    ///< one quad
  double* energy = nullptr;  ///< one number
};

}  // namespace shardfft
#endif

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

/// Sum of products of a weight and a double, about 104 bits: the sum, and all that was rounded off.
struct CompensatedSum {
  V sum, rest;
  static HWY_INLINE CompensatedSum zero() { return {hn::Zero(Lanes()), hn::Zero(Lanes())}; }
  HWY_INLINE void add_product(V w_hi, V w_lo, V x) {
    const DD p = two_prod(w_hi, x), s = two_sum(sum, p.hi);
    sum = s.hi;
    rest = rest + (s.lo + hn::MulAdd(w_lo, x, p.lo));
  }
  HWY_INLINE DD value() const { return two_sum(sum, rest); }
};
struct PlainSum {
  V sum;
  static HWY_INLINE PlainSum zero() { return {hn::Zero(Lanes())}; }
  HWY_INLINE void add_product(V w_hi, V, V x) { sum = hn::MulAdd(w_hi, x, sum); }
  HWY_INLINE DD value() const { return {sum, hn::Zero(Lanes())}; }
};

template <class T>
HWY_INLINE double read(const std::byte* p, double factor) {
  T x;
  std::memcpy(&x, p, sizeof x);
  return static_cast<double>(x) * factor;
}

/// Sum over a row of weight * element, lanes [g, g + N). Each of the four real products has a sum of its own: shorter
/// chains of additions.
template <class T, bool Complex, class Sum>
CDD row_sum(const std::byte* x, Index stride, Index count, const double* weights, int lanes, int g, double factor) {
  const Lanes d;
  Sum re[2] = {Sum::zero(), Sum::zero()}, im[2] = {Sum::zero(), Sum::zero()};
  for (Index k = 0; k < count; ++k, x += stride, weights += 4 * lanes) {
    const CDD w = load(weights, lanes, g);
    const V xr = hn::Set(d, read<T>(x, factor));
    re[0].add_product(w.re.hi, w.re.lo, xr);
    im[0].add_product(w.im.hi, w.im.lo, xr);
    if constexpr (Complex) {
      const double imaginary = read<T>(x + sizeof(T), factor);
      const V xi = hn::Set(d, imaginary), minus_xi = hn::Set(d, -imaginary);
      re[1].add_product(w.im.hi, w.im.lo, minus_xi);
      im[1].add_product(w.re.hi, w.re.lo, xi);
    }
  }
  if constexpr (!Complex) return {re[0].value(), im[0].value()};
  return {add(re[0].value(), re[1].value()), add(im[0].value(), im[1].value())};
}

/// Sum of |x|^2 over a row; where it runs along the halved axis from `first` on, of as many of them as there are in a
/// spectrum of `half_of`.
template <class T, bool Complex>
double row_energy(const std::byte* x, Index stride, Index count, Index first, Index step, Index half_of,
                  double factor) {
  double sum = 0;
  for (Index k = 0; k < count; ++k, x += stride) {
    const double re = read<T>(x, factor), im = Complex ? read<T>(x + sizeof(T), factor) : 0.0;
    sum += (re * re + im * im) * (half_of != 0 ? multiplicity(first + k * step, half_of) : 1.0);
  }
  return sum;
}

/// Quads of `count` positions that are `step` apart.
inline const double* quads_of(const AxisWeights& weights, Index first, Index count, Index step, Workspace& workspace,
                              Workspace& one) {
  if (step == 1) return weights.quads(first, count, workspace);
  const std::size_t quad = static_cast<std::size_t>(4 * weights.lanes());
  double* all = workspace.of(quad * static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k)
    std::copy_n(weights.quads(first + k * step, 1, one), quad, all + quad * static_cast<std::size_t>(k));
  return all;
}

template <class T, bool Complex, class Sum>
void contract_rows(const PieceWork& work) {
  const LocalBox& local = work.array->boxes[static_cast<std::size_t>(work.piece.box)];
  const Rows rows(local);
  const Functionals& functionals = *work.functionals;
  const int lanes = functionals.lanes(), width = static_cast<int>(hn::Lanes(Lanes()));
  const std::size_t quad = static_cast<std::size_t>(4 * lanes);
  const Index length = work.piece.k1 - work.piece.k0, first = rows.index(work.piece.k0), step = rows.steps[rows.axis];
  const auto weights = [&](int axis) -> const AxisWeights& {
    return *functionals.weights[static_cast<std::size_t>(axis)];
  };
  const bool half_row = rows.axis == functionals.half_axis;

  Workspace row_room, outer_room;
  std::vector<double> totals(quad);
  std::vector<double> prefix(
      quad *
      static_cast<std::size_t>(rows.outer_axes + 1));  // product of the weights of the slowest 0, 1, 2, ... outer axes
  const double* row_weights = quads_of(weights(rows.axis), first, length, step, row_room, outer_room);
  for (int g = 0; g < lanes; g += width) store(all_lanes({DoubleDouble{1.0}, {}}), prefix.data(), lanes, g);
  *work.energy = 0;

  Coord at = rows.position(work.piece.row0);
  int changed = 0;
  for (Index row = work.piece.row0; row < work.piece.row1; ++row, changed = rows.advance(at)) {
    for (int level = changed; level < rows.outer_axes; ++level) {
      const int a = rows.outer[static_cast<std::size_t>(level)];
      const double* w = weights(a).quads(at[a], 1, outer_room);
      const double* before = prefix.data() + quad * static_cast<std::size_t>(level);
      double* after = prefix.data() + quad * static_cast<std::size_t>(level + 1);
      for (int g = 0; g < lanes; g += width)
        store(level == 0 ? load(w, lanes, g) : mul(load(before, lanes, g), load(w, lanes, g)), after, lanes, g);
    }
    const std::byte* x = rows.address(at) + work.piece.k0 * rows.stride;
    const double* row_factor = prefix.data() + quad * static_cast<std::size_t>(rows.outer_axes);
    for (int g = 0; g < lanes; g += width) {
      const CDD sum = row_sum<T, Complex, Sum>(x, rows.stride, length, row_weights, lanes, g, work.factor);
      store(add(load(totals.data(), lanes, g), mul(sum, load(row_factor, lanes, g))), totals.data(), lanes, g);
    }
    const double times =
        functionals.half_axis < 0 || half_row ? 1.0 : multiplicity(at[functionals.half_axis], functionals.half_of);
    *work.energy += times * row_energy<T, Complex>(x, rows.stride, length, first, step,
                                                   half_row ? functionals.half_of : 0, work.factor);
  }
  std::copy(totals.begin(), totals.end(), work.sums);
}

template <class T, bool Complex>
void contract_with(const PieceWork& work) {
  work.arithmetic == Arithmetic::plain ? contract_rows<T, Complex, PlainSum>(work)
                                       : contract_rows<T, Complex, CompensatedSum>(work);
}

void contract_piece(const PieceWork& work) {
  const bool single = work.array->precision == Precision::f32;
  if (work.array->complex) return single ? contract_with<float, true>(work) : contract_with<double, true>(work);
  return single ? contract_with<float, false>(work) : contract_with<double, false>(work);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

HWY_EXPORT(contract_piece);

/// Sum of records, one after the other; each is a quad and, as its last number, an energy.
Contraction sum_in_order(const std::vector<double>& parts, int lanes) {
  const std::size_t step = static_cast<std::size_t>(4 * lanes) + 1;
  Contraction total;
  total.values.resize(static_cast<std::size_t>(lanes));
  for (std::size_t start = 0; start < parts.size(); start += step) {
    const double* q = parts.data() + start;
    for (int l = 0; l < lanes; ++l) {
      ComplexDD& sum = total.values[static_cast<std::size_t>(l)];
      sum = sum + ComplexDD{{q[l], q[lanes + l]}, {q[2 * lanes + l], q[3 * lanes + l]}};
    }
    total.energy += q[4 * lanes];
  }
  return total;
}

/// How much of a row is weighed at once: weights that are made for it, along long axes, should stay in cache (256 kB
/// for eight lanes).
Index row_at_once(const LocalArray& array) {
  const Index longest = *std::max_element(array.global.begin(), array.global.end());
  return longest > longest_table ? 1024 : piece_elements;
}

/// The contraction as one quad and the energy.
std::vector<double> as_numbers(const Contraction& c) {
  const std::size_t lanes = c.values.size();
  std::vector<double> q(4 * lanes + 1, c.energy);
  for (std::size_t l = 0; l < lanes; ++l)
    q[l] = c.values[l].re.hi, q[lanes + l] = c.values[l].re.lo, q[2 * lanes + l] = c.values[l].im.hi,
    q[3 * lanes + l] = c.values[l].im.lo;
  return q;
}

Contraction contract_here(int threads, const LocalArray& array, const Functionals& functionals, double factor,
                          Arithmetic arithmetic) {
  const std::vector<RowPiece> pieces = row_pieces(array.boxes, row_at_once(array));
  const std::size_t quad = static_cast<std::size_t>(4 * functionals.lanes());
  std::vector<double> parts(pieces.size() * (quad + 1));
  on_threads(threads, pieces.size(), [&](std::size_t i) {
    double* sums = parts.data() + i * (quad + 1);
    HWY_DYNAMIC_DISPATCH(contract_piece)
    (PieceWork{&array, &functionals, pieces[i], factor, arithmetic, sums, sums + quad});
  });
  return sum_in_order(parts, functionals.lanes());
}

}  // namespace

Contraction contract(const Comm& comm, const LocalArray& array, const Functionals& functionals, int exponent,
                     Arithmetic arithmetic) {
  const std::vector<double> mine =
      as_numbers(contract_here(threads_of(comm, array), array, functionals, std::ldexp(1.0, exponent), arithmetic));
  std::vector<double> all(mine.size() * static_cast<std::size_t>(comm.size()));
  comm.allgather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return sum_in_order(all, functionals.lanes());
}

}  // namespace shardfft
#endif
