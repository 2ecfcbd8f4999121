// Passes of decimation in time over a tile; passes.hpp says in which order they run.
#if defined(SHARDFFT_NATIVE_PASSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_PASSES_INL_H_
#undef SHARDFFT_NATIVE_PASSES_INL_H_
#else
#define SHARDFFT_NATIVE_PASSES_INL_H_
#endif

#include "engine/native/passes/butterfly-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

template <int R, class T>
void first_pass(const PassArgs<T>& a, const Index* offsets, Index butterflies, Index apart, const T* in, T* out) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  apart *= step;
  for (Index i = 0; i < butterflies; ++i, out += R * step) {
    const T* from = in + offsets[i] * step;
    Butterfly<R, T>::run([&](auto j) SHARDFFT_INSIDE { return access.load(from + j * apart); },
                         [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { access.store(y, out + u * step); });
  }
}

template <int R, class T>
void pass(const PassArgs<T>& a, Index blocks, T* x) {
  constexpr Index step = Access<T>::step;
  const Access<T> access(a.swapped);
  const Index apart = a.done * step;
  for (Index block = 0; block < blocks; ++block, x += (R - 1) * apart) {
    const T* table = a.table;
    for (Index k = 0; k < a.done; ++k, x += step, table += twiddle_count(R)) {
      twiddle_and_join<R, T>([&](auto j) SHARDFFT_INSIDE { return access.load(x + j * apart); },
                             [&](auto u, const Complex<T>& y) SHARDFFT_INSIDE { access.store(y, x + u * apart); },
                             ForAllLanes<T>{table});
    }
  }
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
