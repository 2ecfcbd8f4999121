// The passes of one radix, for one instruction set. radices.cpp.in compiles some at a time.
#if defined(SHARDFFT_NATIVE_RADIX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SHARDFFT_NATIVE_RADIX_INL_H_
#undef SHARDFFT_NATIVE_RADIX_INL_H_
#else
#define SHARDFFT_NATIVE_RADIX_INL_H_
#endif

#include "engine/native/passes/contiguous-inl.h"
#include "engine/native/passes/memory_rows-inl.h"
#include "engine/native/passes/passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace shardfft::native::HWY_NAMESPACE {

/// Adds the passes of radix R to a table.
template <int R, class T>
void add_radix(Routines<T>& r) {
  add_contiguous_passes<R>(r);
  if constexpr (!only_half_vectors) {
    r.first[R] = first_pass<R, T>;
    r.pass[R] = pass<R, T>;
    add_passes_of_rows<R>(r);
  }
}

}  // namespace shardfft::native::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
