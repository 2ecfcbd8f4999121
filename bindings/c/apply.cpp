// An operator between forward and backward.
#include "handles.hpp"
#include "modes.hpp"

using namespace shardfft::c;
using shardfft::Operator;

namespace {

// Without a function the plan refuses it, on all ranks.
Operator operator_of(shardfft_operator function, void* user) {
  if (!function) return {};
  return shardfft::c::calling(function, user);
}

}  // namespace

int shardfft_apply(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes, shardfft_operator f,
                   void* user) {
  return attempt([&] { there(p).apply(memory_at(in, in_bytes), memory_at(out, out_bytes), operator_of(f, user)); });
}
int shardfft_apply_physical(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                            shardfft_operator f, void* user) {
  return attempt(
      [&] { there(p).apply_physical(memory_at(in, in_bytes), memory_at(out, out_bytes), operator_of(f, user)); });
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
