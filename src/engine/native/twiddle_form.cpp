#include "engine/native/twiddle_form.hpp"

namespace shardfft::native {

namespace {

TwiddleForm preferred() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_is("amd")) return TwiddleForm::products;
#endif
  return TwiddleForm::tangents;
}

std::optional<TwiddleForm>& forced() {
  static std::optional<TwiddleForm> form;
  return form;
}

}  // namespace

TwiddleForm twiddle_form() {
  static const TwiddleForm own = preferred();
  return forced().value_or(own);
}

void force_twiddle_form(std::optional<TwiddleForm> form) { forced() = form; }

}  // namespace shardfft::native
