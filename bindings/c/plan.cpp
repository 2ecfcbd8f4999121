// Plans, their layouts and arrays.
#include "handles.hpp"
#include "shardfft/collective.hpp"

using namespace shardfft::c;

int shardfft_plan_create(shardfft_comm c, shardfft_problem p, shardfft_options o, shardfft_plan* out) {
  return attempt([&] {
    const shardfft::Comm& comm = there(c);
    shardfft::Options options;
    shardfft::collectively(comm, [&] {
      there(out, "`out`");
      const shardfft::Problem& problem = there(p);
      if (o) options = o->complete(problem.shape.dims(), comm.size());
    });
    *out = new shardfft_plan_s(comm, p->problem, options);
  });
}

int shardfft_plan_destroy(shardfft_plan p) {
  return attempt([&] { delete p; });
}

shardfft_layout shardfft_plan_input(shardfft_plan p) {
  return look(p, "a shardfft_plan", shardfft_layout{}, [](shardfft_plan_s& h) { return &h.input; });
}
shardfft_layout shardfft_plan_output(shardfft_plan p) {
  return look(p, "a shardfft_plan", shardfft_layout{}, [](shardfft_plan_s& h) { return &h.output; });
}
size_t shardfft_plan_input_bytes(shardfft_plan p) {
  return look(p, "a shardfft_plan", size_t{0}, [](const shardfft_plan_s& h) { return h.plan.input_bytes(); });
}
size_t shardfft_plan_output_bytes(shardfft_plan p) {
  return look(p, "a shardfft_plan", size_t{0}, [](const shardfft_plan_s& h) { return h.plan.output_bytes(); });
}
size_t shardfft_plan_workspace_bytes(shardfft_plan p) {
  return look(p, "a shardfft_plan", size_t{0}, [](const shardfft_plan_s& h) { return h.plan.workspace_bytes(); });
}

int shardfft_plan_make_input(shardfft_plan p, shardfft_array* out) {
  return make_handle(out, [&] { return shardfft_array_s{.array = there(p).make_input()}; });
}
int shardfft_plan_make_output(shardfft_plan p, shardfft_array* out) {
  return make_handle(out, [&] { return shardfft_array_s{.array = there(p).make_output()}; });
}

void* shardfft_array_data(shardfft_array a) {
  return look(a, "a shardfft_array", static_cast<void*>(nullptr),
              [](shardfft_array_s& h) { return static_cast<void*>(h.array.data()); });
}
size_t shardfft_array_bytes(shardfft_array a) {
  return look(a, "a shardfft_array", size_t{0}, [](const shardfft_array_s& h) { return h.array.bytes(); });
}
const char* shardfft_array_space(shardfft_array a, int* device) {
  return look(a, "a shardfft_array", static_cast<const char*>(nullptr), [&](const shardfft_array_s& h) {
    if (device) *device = shardfft::View(h.array).device;
    return h.space.c_str();
  });
}
void shardfft_array_destroy(shardfft_array a) { delete a; }
