#include "engine/native/twiddle_form.hpp"

#include "support/processor/processor_profile.hpp"

namespace shardfft::native {

namespace {

std::optional<TwiddleForm>& forced() {
  static std::optional<TwiddleForm> form;
  return form;
}

}  // namespace

TwiddleForm twiddle_form() {
  return forced().value_or(processor_profile().multiplies_twiddles ? TwiddleForm::products : TwiddleForm::fused);
}

void force_twiddle_form(std::optional<TwiddleForm> form) { forced() = form; }

}  // namespace shardfft::native
