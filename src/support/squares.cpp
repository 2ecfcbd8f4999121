#include "support/squares.hpp"

#include "support/processor/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "support/squares.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;

HWY_INLINE hn::Vec<Doubles> load(const double* x) { return hn::LoadU(Doubles(), x); }
HWY_INLINE hn::Vec<Doubles> load(const float* x) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), x));
}

/// Sum of squares of `rows` rows of n numbers, `step` bytes apart. Sixteen partial sums, whatever the vector length,
/// and no fused operations: every instruction set gives the same bits.
template <class Real>
double squares_of_rows(const std::byte* first, Index rows, Index step, Index n) {
  constexpr Index partial = 16, lanes = static_cast<Index>(hn::MaxLanes(Doubles())), vectors = partial / lanes;
  hn::Vec<Doubles> sums[vectors];
  for (auto& sum : sums) sum = hn::Zero(Doubles());
  double total[partial] = {}, rest[partial] = {};
  for (Index r = 0; r < rows; ++r) {
    const auto* x = reinterpret_cast<const Real*>(first + r * step);
    Index i = 0;
    for (; i + partial <= n; i += partial)
      for (Index v = 0; v < vectors; ++v) {
        const auto number = load(x + i + v * lanes);
        sums[v] = hn::Add(sums[v], hn::Mul(number, number));
      }
    for (Index k = 0; i < n; ++i, ++k) rest[k] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  for (Index v = 0; v < vectors; ++v) hn::StoreU(sums[v], Doubles(), total + v * lanes);
  for (Index k = 0; k < partial; ++k) total[k] += rest[k];
  for (Index half = partial / 2; half > 0; half /= 2)
    for (Index k = 0; k < half; ++k) total[k] += total[k + half];
  return total[0];
}

double squares_of_rows_here(Scalar scalar, const std::byte* first, Index rows, Index step, Index n) {
  return scalar == Scalar::f32 ? squares_of_rows<float>(first, rows, step, n)
                               : squares_of_rows<double>(first, rows, step, n);
}

}  // namespace shardfft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace shardfft {
namespace {

HWY_EXPORT(squares_of_rows_here);

// Sorts axes in memory order, the largest stride first.
void sort_by_stride(Coord& strides, Shape& shape) {
  for (int a = 1; a < shape.dims(); ++a)
    for (int b = a; b > 0 && strides[b - 1] < strides[b]; --b) {
      std::swap(strides[b - 1], strides[b]);
      std::swap(shape[b - 1], shape[b]);
    }
}

// Axes of which there is more than one index; false where there is none of some.
bool only_long_axes(Coord& strides, Shape& shape) {
  int n = 0;
  for (int a = 0; a < shape.dims(); ++a) n += shape[a] != 1;
  Coord long_strides = Coord::filled(n, 0), long_shape = long_strides;
  for (int a = 0, to = 0; a < shape.dims(); ++a) {
    if (shape[a] <= 0) return false;
    if (shape[a] == 1) continue;
    long_strides[to] = strides[a];
    long_shape[to++] = shape[a];
  }
  strides = long_strides;
  shape = long_shape;
  return true;
}

}  // namespace

double sum_of_squares(Scalar scalar, const std::byte* line, Index n) {
  return HWY_DYNAMIC_DISPATCH(squares_of_rows_here)(scalar, line, 1, 0, n);
}

double sum_of_squares(Scalar scalar, bool complex, const std::byte* data, Coord strides, Shape shape) {
  if (!only_long_axes(strides, shape)) return 0;
  sort_by_stride(strides, shape);
  const Index per = complex ? 2 : 1, element = per * static_cast<Index>(size_of(scalar));
  Index line = 1;  // elements that follow each other
  int rows = shape.dims() - 1;
  for (; rows >= 0 && strides[rows] == line * element; --rows) line *= shape[rows];
  if (rows < 0) return sum_of_squares(scalar, data, per * line);
  double sum = 0;
  Coord at = Coord::filled(rows, 0);
  for (int a = 0; a >= 0;) {
    const std::byte* p = data;
    for (int b = 0; b < rows; ++b) p += at[b] * strides[b];
    sum += HWY_DYNAMIC_DISPATCH(squares_of_rows_here)(scalar, p, shape[rows], strides[rows], per * line);
    for (a = rows - 1; a >= 0 && ++at[a] == shape[a]; --a) at[a] = 0;
  }
  return sum;
}

}  // namespace shardfft
#endif
