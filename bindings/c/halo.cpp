// Halos.
#include "handles.hpp"
#include "shardfft/collective.hpp"

using namespace shardfft::c;
using shardfft::Halo;
using shardfft::Precision;

int shardfft_halo_create(shardfft_comm c, shardfft_layout l, const int64_t* low, const int64_t* high,
                         const int* periodic, int corners, size_t element_bytes, shardfft_options o,
                         shardfft_halo* out) {
  return attempt([&] {
    const shardfft::Comm& comm = there(c);
    shardfft::HaloSpec spec{.corners = corners != 0};
    shardfft::Options options;
    shardfft::collectively(comm, [&] {
      there(out, "`out`");
      const int dims = there(l).layout.global().dims();
      spec.low = coord_of(low, dims, "`low`");
      spec.high = coord_of(high, dims, "`high`");
      for (int a = 0; periodic && a < dims; ++a)
        if (periodic[a] != 0) spec.periodic.push_back(a);
      if (o) options = o->complete(dims, comm.size());
    });
    *out = new shardfft_halo_s{Halo(comm, l->layout, spec, element_bytes, options)};
  });
}

int shardfft_halo_destroy(shardfft_halo h) {
  return attempt([&] { delete h; });
}

int shardfft_halo_box(shardfft_halo h, int64_t* lo, int64_t* hi) {
  return attempt([&] {
    const shardfft::Box box = there(h).grown_box();
    there(lo, "`lo`"), there(hi, "`hi`");
    write_coord(box.lo, lo);
    write_coord(box.hi, hi);
  });
}

int shardfft_halo_memory(shardfft_halo h, int* boxes, int64_t* offset, int64_t* strides) {
  return attempt([&] {
    const auto& memory = there(h).memory();
    there(boxes, "`boxes`"), there(offset, "`offset`"), there(strides, "`strides`");
    *boxes = static_cast<int>(memory.size());
    if (memory.empty()) return;
    *offset = memory.front().offset;
    write_coord(memory.front().strides, strides);
  });
}

size_t shardfft_halo_bytes(shardfft_halo h) {
  return look(h, "a shardfft_halo", size_t{0}, [](const shardfft_halo_s& s) { return s.halo.bytes(); });
}
int shardfft_halo_make_array(shardfft_halo h, shardfft_array* out) {
  return make_handle(out, [&] { return shardfft_array_s{.array = there(h).make_array()}; });
}

// The halo looks at the precision: an error on one rank is told to all.
int shardfft_halo_exchange(shardfft_halo h, void* array, size_t bytes) {
  return attempt([&] { there(h).exchange(memory_at(array, bytes)); });
}
int shardfft_halo_accumulate(shardfft_halo h, int precision, void* array, size_t bytes) {
  return attempt([&] { there(h).accumulate(memory_at(array, bytes), static_cast<Precision>(precision)); });
}
int shardfft_halo_start_exchange(shardfft_halo h, void* array, size_t bytes) {
  return attempt([&] { there(h).start_exchange(memory_at(array, bytes)); });
}
int shardfft_halo_start_accumulate(shardfft_halo h, int precision, void* array, size_t bytes) {
  return attempt([&] { there(h).start_accumulate(memory_at(array, bytes), static_cast<Precision>(precision)); });
}
int shardfft_halo_test(shardfft_halo h, int* done) {
  return attempt([&] {
    const bool all = there(h).test();
    there(done, "`done`") = all;
  });
}
int shardfft_halo_wait(shardfft_halo h) {
  return attempt([&] { there(h).wait(); });
}

int shardfft_halo_describe(shardfft_halo h, char** text) {
  return give_text(text, [&] { return there(h).describe(); });
}
