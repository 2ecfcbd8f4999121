// An operator between forward and backward.
#include "handles.hpp"
#include "shardfft/operators/modes.hpp"

using namespace shardfft::c;
using shardfft::Modes;
using shardfft::Operator;
using shardfft::View;

namespace {

struct Called {
  shardfft_operator function;
  void* user;
};

shardfft_modes seen(const Modes& m) {
  return {.bytes = sizeof(shardfft_modes),
          .axes = m.first.dims(),
          .axis = m.axis,
          .count = m.count,
          .components_in = m.components_in,
          .components_out = m.components_out,
          .precision = m.precision == shardfft::f32 ? SHARDFFT_F32 : SHARDFFT_F64,
          .complex_elements = m.complex ? 1 : 0,
          .first = m.first.begin(),
          .wave = m.wave.data(),
          .data = m.data,
          .component_bytes = m.component_bytes,
          .place = m.place,
          .step = m.step,
          .component_step = m.component_step};
}

// Without a function the plan refuses it, on all ranks.
Operator operator_of(shardfft_operator function, void* user) {
  if (!function) return {};
  return {[called = Called{function, user}](const Modes& m) {
    const shardfft_modes modes = seen(m);
    called.function(&modes, called.user);
  }};
}

}  // namespace

int shardfft_apply(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes, shardfft_operator f,
                   void* user) {
  return attempt([&] { there(p).apply(View(in, in_bytes), View(out, out_bytes), operator_of(f, user)); });
}
int shardfft_apply_physical(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                            shardfft_operator f, void* user) {
  return attempt([&] { there(p).apply_physical(View(in, in_bytes), View(out, out_bytes), operator_of(f, user)); });
}

shardfft_layout shardfft_plan_middle(shardfft_plan p) {
  return look(p, "a shardfft_plan", shardfft_layout{}, [](shardfft_plan_s& h) {
    (void)h.plan.middle();  // throws where there is none
    return &h.middle;
  });
}
size_t shardfft_plan_applied_bytes(shardfft_plan p) {
  return look(p, "a shardfft_plan", size_t{0}, [](const shardfft_plan_s& h) { return h.plan.applied_bytes(); });
}
int shardfft_plan_make_middle(shardfft_plan p, shardfft_array* out) {
  return make_handle(out, [&] { return shardfft_array_s{.array = there(p).make_middle()}; });
}
int shardfft_plan_make_applied(shardfft_plan p, shardfft_array* out) {
  return make_handle(out, [&] { return shardfft_array_s{.array = there(p).make_applied()}; });
}
