// A pass of any odd radix, by definition: sums and differences of mirrored inputs, then products with a matrix of
// cosines and sines.
#if defined(SHARDFFT_NATIVE_PASS_ANY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_PASS_ANY_INL_H_
#undef SHARDFFT_NATIVE_PASS_ANY_INL_H_
#else
#define SHARDFFT_NATIVE_PASS_ANY_INL_H_
#endif

#include "engine/native/passes/butterfly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// Inputs of one butterfly of odd length, folded: x_0, and x_j + x_{R-j}, x_j - x_{R-j} for j = 1 .. R/2.
template <class T>
struct Folded {
  Complex<T> x0;
  Complex<T> sum[max_radix / 2], difference[max_radix / 2];
  HWY_INLINE Folded() {}  // as in Complex
};

template <bool first, class T>
HWY_INLINE void fold_inputs(const PassArgs<T>& a, const Access<T> access, const T* in, Index apart, const T* twiddles,
                            Folded<T>& folded) {
  folded.x0 = access.load(in);
  for (Index j = 1; j <= a.radix / 2; ++j) {
    const Index mirror = a.radix - j;
    Complex<T> x = access.load(in + j * apart), y = access.load(in + mirror * apart);
    if constexpr (first) {
      combine_pair<false, T>(x, y);
    } else {
      const ForAllLanes<T> own{twiddles + 4 * (j - 1)};
      combine_products<T>(x, y, {own[0], own[1]}, {own[2], own[3]});
    }
    folded.sum[j - 1] = x;
    folded.difference[j - 1] = y;
  }
}

/// Outputs u .. u + width - 1 and their mirrors. `matrix`: for every j, `width` pairs of cos and sin of 2 pi u j / R.
template <int width, class T>
HWY_INLINE void expand_outputs(const Access<T> access, Index half, const Folded<T>& folded, const T* matrix, T* low,
                               T* high, Index done) {
  using L = Lanes<T>;
  Complex<T> even[width], odd[width];
  unroll<width>([&](auto i) SHARDFFT_INSIDE {
    even[i] = folded.x0;
    odd[i] = {L::all(T(0)), L::all(T(0))};
  });
  for (Index j = 0; j < half; ++j, matrix += 2 * width) {
    const Complex<T> sum = folded.sum[j], difference = folded.difference[j];
    unroll<width>([&](auto i) SHARDFFT_INSIDE {
      const auto c = L::all(matrix[2 * i]), s = L::all(matrix[2 * i + 1]);
      even[i] = {L::mul_add(c, sum.re, even[i].re), L::mul_add(c, sum.im, even[i].im)};
      odd[i] = {L::mul_add(s, difference.re, odd[i].re), L::mul_add(s, difference.im, odd[i].im)};
    });
  }
  unroll<width>([&](auto i) SHARDFFT_INSIDE {
    access.store({L::add(even[i].re, odd[i].im), L::sub(even[i].im, odd[i].re)}, low + i * done);
    access.store({L::sub(even[i].re, odd[i].im), L::add(even[i].im, odd[i].re)}, high - i * done);
  });
}

template <class T>
HWY_INLINE void sum_up(const PassArgs<T>& a, const Access<T> access, const Folded<T>& folded, T* out, Index done) {
  using L = Lanes<T>;
  const Index half = a.radix / 2;
  Complex<T> y = folded.x0;
  for (Index j = 0; j < half; ++j) y = {L::add(y.re, folded.sum[j].re), L::add(y.im, folded.sum[j].im)};
  access.store(y, out);
  const T* matrix = a.matrix;
  Index u = 1;
  for (; u + 3 <= half; u += 4, matrix += 8 * half)
    expand_outputs<4, T>(access, half, folded, matrix, out + u * done, out + (a.radix - u) * done, done);
  for (; u <= half; ++u, matrix += 2 * half)
    expand_outputs<1, T>(access, half, folded, matrix, out + u * done, out + (a.radix - u) * done, done);
}

template <class T>
void first_pass_any(const PassArgs<T>& a, const Index* offsets, Index butterflies, Index apart, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  Folded<T> folded;
  for (Index i = 0; i < butterflies; ++i, out += a.radix * step) {
    fold_inputs<true, T>(a, access, in + offsets[i] * step, apart * step, nullptr, folded);
    sum_up<T>(a, access, folded, out, step);
  }
}

/// Table: for every k and j = 1 .. radix/2, twiddles j and radix - j.
template <class T>
void pass_any(const PassArgs<T>& a, Index blocks, T* x) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Index apart = a.done * step;
  Folded<T> folded;
  for (Index block = 0; block < blocks; ++block, x += (a.radix - 1) * apart) {
    const T* twiddles = a.table;
    for (Index k = 0; k < a.done; ++k, x += step, twiddles += 2 * (a.radix - 1)) {
      fold_inputs<false, T>(a, access, x, apart, twiddles, folded);
      sum_up<T>(a, access, folded, x, apart);
    }
  }
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
