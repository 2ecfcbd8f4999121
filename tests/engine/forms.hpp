// Runs a test of the native engine once for every instruction set (targets.hpp) and for both forms of twiddles where
// its kernels have them.
#pragma once

#include "engine/native/step.hpp"
#include "engine/targets.hpp"

namespace shardfft::testing {

template <class Body>
void on_every_form(Body body) {
  for (const auto form : {native::TwiddleForm::fused, native::TwiddleForm::products}) {
    native::force_twiddle_form(form);
    if (native::routines<double>().twiddles != form) continue;
    SCOPED_TRACE(form == native::TwiddleForm::products ? "twiddles as products" : "fused twiddles");
    body();
  }
  native::force_twiddle_form({});
}

/// T: scalars of the test; long double has no vectors, once is enough.
template <class T, class Body>
void on_every_kernel_for(Body body) {
  on_every_target_for<T>([&] { on_every_form(body); });
}

template <class Body>
void on_every_kernel(Body body) {
  on_every_target([&] { on_every_form(body); });
}

}  // namespace shardfft::testing
