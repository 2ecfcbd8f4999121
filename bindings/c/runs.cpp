// Runs of a plan.
#include "handles.hpp"

using namespace shardfft::c;
using shardfft::View;

int shardfft_forward(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes) {
  return shardfft_forward_scaled(p, in, in_bytes, out, out_bytes, 1);
}
int shardfft_backward(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes) {
  return shardfft_backward_scaled(p, in, in_bytes, out, out_bytes, 1);
}
int shardfft_forward_scaled(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                            double factor) {
  return attempt([&] { there(p).forward(memory_at(in, in_bytes), memory_at(out, out_bytes), factor); });
}
int shardfft_backward_scaled(shardfft_plan p, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                             double factor) {
  return attempt([&] { there(p).backward(memory_at(in, in_bytes), memory_at(out, out_bytes), factor); });
}

int shardfft_adjoint(shardfft_plan p, int of, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                     double factor) {
  // The plan looks at the direction, as in shardfft_start_scaled().
  return attempt([&] {
    there(p).adjoint(memory_at(in, in_bytes), memory_at(out, out_bytes), static_cast<shardfft::Direction>(of), factor);
  });
}

int shardfft_start(shardfft_plan p, int direction, const void* in, size_t in_bytes, void* out, size_t out_bytes) {
  return shardfft_start_scaled(p, direction, in, in_bytes, out, out_bytes, 1);
}
int shardfft_start_scaled(shardfft_plan p, int direction, const void* in, size_t in_bytes, void* out, size_t out_bytes,
                          double factor) {
  // The plan looks at the direction: an error on one rank is told to all.
  return attempt([&] {
    there(p).start(static_cast<shardfft::Direction>(direction), memory_at(in, in_bytes), memory_at(out, out_bytes),
                   factor);
  });
}
int shardfft_test(shardfft_plan p, int* done) {
  return attempt([&] {
    const bool all = there(p).test();
    there(done, "`done`") = all;
  });
}
int shardfft_wait(shardfft_plan p) {
  return attempt([&] { there(p).wait(); });
}

int shardfft_synchronize(shardfft_plan p) {
  return attempt([&] { there(p).synchronize(); });
}
int shardfft_copy(shardfft_plan p, const void* from, size_t from_bytes, void* to, size_t to_bytes) {
  return attempt([&] { there(p).copy(memory_at(from, from_bytes), memory_at(to, to_bytes)); });
}

namespace {

/// The fields of DLTensor of DLPack, in the order of its specification.
struct Tensor {
  void* data;
  struct {
    std::int32_t device_type, device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
static_assert(sizeof(Tensor) == 48 || sizeof(void*) != 8);

/// What a tensor holds. One that a plan cannot take is an error of the run, on all ranks.
class Given {
 public:
  Given(const void* tensor, const char* name) {
    try {
      view_ = shardfft::view_of(there(static_cast<const Tensor*>(tensor), name));
    } catch (const shardfft::Error& error) { fault_ = error.what(); }
  }
  [[nodiscard]] View view() const { return fault_.empty() ? view_ : View(fault_.c_str(), View::refused); }

 private:
  View view_{};
  std::string fault_{};
};

}  // namespace

int shardfft_forward_dlpack(shardfft_plan p, const void* in, const void* out) {
  return attempt([&] { there(p).forward(Given(in, "`in`").view(), Given(out, "`out`").view()); });
}
int shardfft_backward_dlpack(shardfft_plan p, const void* in, const void* out) {
  return attempt([&] { there(p).backward(Given(in, "`in`").view(), Given(out, "`out`").view()); });
}
