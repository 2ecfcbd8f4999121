#include "support/squares.hpp"

#include <utility>

namespace shardfft {
namespace {

template <class Real>
double of_line(const std::byte* line, Index n) {
  const auto* x = reinterpret_cast<const Real*>(line);
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

// As memory lies: the largest stride first, but before it axes of which there is one index.
void sort_by_stride(Coord& strides, Shape& shape) {
  for (int a = 1; a < shape.dims(); ++a)
    for (int b = a; b > 0 && shape[b - 1] > 1 && (shape[b] == 1 || strides[b - 1] < strides[b]); --b) {
      std::swap(strides[b - 1], strides[b]);
      std::swap(shape[b - 1], shape[b]);
    }
}

}  // namespace

double sum_of_squares(Scalar scalar, const std::byte* line, Index n) { return scalar == Scalar::f32 ? of_line<float>(line, n) : of_line<double>(line, n); }

double sum_of_squares(Scalar scalar, bool complex, const std::byte* data, Coord strides, Shape shape) {
  sort_by_stride(strides, shape);
  const Index per = complex ? 2 : 1;
  const int last = shape.dims() - 1;
  const bool contiguous = strides[last] == per * static_cast<Index>(size_of(scalar));
  const Index at_once = contiguous ? shape[last] : 1;
  double sum = 0;
  Coord at = Coord::filled(shape.dims(), 0);
  for (int a = 0; a >= 0;) {
    const std::byte* p = data;
    for (int b = 0; b <= last; ++b) p += at[b] * strides[b];
    sum += sum_of_squares(scalar, p, per * at_once);
    for (a = contiguous ? last - 1 : last; a >= 0 && ++at[a] == shape[a]; --a) at[a] = 0;
  }
  return sum;
}

}  // namespace shardfft
