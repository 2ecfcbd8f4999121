// heFFTe's interface in C on the classes of C++.
#include "heffte_c.h"

#include "heffte.h"

namespace {

using C2c = heffte::fft3d<heffte::backend::stock>;
using R2c = heffte::fft3d_r2c<heffte::backend::stock>;
using Box = heffte::box3d<int>;

Box box_of(const int low[3], const int high[3], const int* order) {
  const std::array from{low[0], low[1], low[2]}, to{high[0], high[1], high[2]};
  return order ? Box(from, to, {order[0], order[1], order[2]}) : Box(from, to);
}

/// Writes a line in one piece: ranks share standard error, and their lines must not mix.
void say(const std::string& text) { std::cerr << "shardfft: " + text + "\n"; }

/// Calls `make` for the transform and puts it behind a new handle.
template <class Make>
int create(int backend, bool half, heffte_plan* plan, Make make) {
  if (backend < Heffte_BACKEND_STOCK || backend > Heffte_BACKEND_MKL) {
    say("a backend is Heffte_BACKEND_STOCK, _FFTW or _MKL; got " + std::to_string(backend));
    return 1;
  }
  try {
    *plan = new heffte_fft_plan{backend, half ? 1 : 0, make()};
    return Heffte_SUCCESS;
  } catch (const std::exception& error) {
    say(error.what());
    return 2;
  }
}

/// Calls `work` with the transform; what it throws ends the program.
template <class Work>
auto with(heffte_plan plan, Work work) {
  try {
    if (plan->using_r2c) return work(*static_cast<const R2c*>(plan->fft));
    return work(*static_cast<const C2c*>(plan->fft));
  } catch (const std::exception& error) {
    say(error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
  }
}

heffte::scale scale_of(int number) {
  if (number < Heffte_SCALE_NONE || number > Heffte_SCALE_SYMMETRIC)
    throw std::invalid_argument("a scale is Heffte_SCALE_NONE, _FULL or _SYMMETRIC; got " + std::to_string(number));
  return static_cast<heffte::scale>(number);
}

template <class Fft, class Inside>
constexpr bool takes = !(std::is_same_v<Fft, R2c> && heffte::detail::is_complex<Inside>);
[[noreturn]] void refuse() {
  throw std::invalid_argument("a plan of heffte_plan_create_r2c has reals on one side; got complex numbers on both");
}

template <class Inside, class Outside>
void forward(heffte_plan plan, const void* in, void* out, int scale) {
  with(plan, [&]<class Fft>(const Fft& fft) {
    if constexpr (takes<Fft, Inside>)
      fft.forward(static_cast<const Inside*>(in), static_cast<Outside*>(out), scale_of(scale));
    else
      refuse();
  });
}
template <class Outside, class Inside>
void backward(heffte_plan plan, const void* in, void* out, int scale) {
  with(plan, [&]<class Fft>(const Fft& fft) {
    if constexpr (takes<Fft, Inside>)
      fft.backward(static_cast<const Outside*>(in), static_cast<Inside*>(out), scale_of(scale));
    else
      refuse();
  });
}

}  // namespace

extern "C" {

int heffte_set_default_options(int, heffte_plan_options* options) {
  *options = {1, Heffte_RESHAPE_ALGORITHM_ALLTOALLV, 1, 1};
  return Heffte_SUCCESS;
}

int heffte_plan_create(int backend, const int inbox_low[3], const int inbox_high[3], const int* inbox_order,
                       const int outbox_low[3], const int outbox_high[3], const int* outbox_order, MPI_Comm comm,
                       const heffte_plan_options*, heffte_plan* plan) {
  return create(backend, false, plan, [&] {
    return new C2c(box_of(inbox_low, inbox_high, inbox_order), box_of(outbox_low, outbox_high, outbox_order), comm);
  });
}
int heffte_plan_create_r2c(int backend, const int inbox_low[3], const int inbox_high[3], const int* inbox_order,
                           const int outbox_low[3], const int outbox_high[3], const int* outbox_order,
                           int r2c_direction, MPI_Comm comm, const heffte_plan_options*, heffte_plan* plan) {
  return create(backend, true, plan, [&] {
    return new R2c(box_of(inbox_low, inbox_high, inbox_order), box_of(outbox_low, outbox_high, outbox_order),
                   r2c_direction, comm);
  });
}
int heffte_plan_destroy(heffte_plan plan) {
  if (plan == nullptr) return Heffte_SUCCESS;
  with(plan, [](const auto& fft) { delete &fft; });
  delete plan;
  return Heffte_SUCCESS;
}

int heffte_size_inbox(heffte_plan plan) {
  return with(plan, [](const auto& fft) { return static_cast<int>(fft.size_inbox()); });
}
int heffte_size_outbox(heffte_plan plan) {
  return with(plan, [](const auto& fft) { return static_cast<int>(fft.size_outbox()); });
}
int heffte_size_workspace(heffte_plan) { return 0; }
int heffte_get_backend(heffte_plan plan) { return plan->backend_type; }
int heffte_is_r2c(heffte_plan plan) { return plan->using_r2c; }

#define SHARDFFT_HEFFTE_RUN(way, name, from, to, first, second)                                              \
  void heffte_##way##_##name(heffte_plan plan, const from* input, to* output, int scale) {                   \
    way<first, second>(plan, input, output, scale);                                                          \
  }                                                                                                          \
  void heffte_##way##_##name##_buffered(heffte_plan plan, const from* input, to* output, void*, int scale) { \
    way<first, second>(plan, input, output, scale);                                                          \
  }
SHARDFFT_HEFFTE_RUN(forward, s2c, float, void, float, std::complex<float>)
SHARDFFT_HEFFTE_RUN(forward, c2c, void, void, std::complex<float>, std::complex<float>)
SHARDFFT_HEFFTE_RUN(forward, d2z, double, void, double, std::complex<double>)
SHARDFFT_HEFFTE_RUN(forward, z2z, void, void, std::complex<double>, std::complex<double>)
SHARDFFT_HEFFTE_RUN(backward, c2s, void, float, std::complex<float>, float)
SHARDFFT_HEFFTE_RUN(backward, c2c, void, void, std::complex<float>, std::complex<float>)
SHARDFFT_HEFFTE_RUN(backward, z2d, void, double, std::complex<double>, double)
SHARDFFT_HEFFTE_RUN(backward, z2z, void, void, std::complex<double>, std::complex<double>)
#undef SHARDFFT_HEFFTE_RUN

}  // extern "C"
