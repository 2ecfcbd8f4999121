// Stands for cuFFT and for the loading of it: plain transforms with the library's habits. Scratch is written, inputs of
// c2r are lost, and where no array of reals has such an input, the result is no number.
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "cufft.h"
#include "device/cuda_stand_in/streams.hpp"
#include "device/cuda_stand_in/work.hpp"
#include "device/emulated/dft.hpp"
#include "device/gpu/fft.hpp"
#include "device/gpu/fft_library.hpp"

namespace shardfft {
namespace {

using testing::DeviceWork;
using testing::require_device_memory;

struct StandInFft {
  std::vector<Index> n{};
  Index in_stride = 1, in_distance = 0, out_stride = 1, out_distance = 0, batch = 0;
  cufftType type = CUFFT_C2C;
  std::size_t work_bytes = 0;
  void* work = nullptr;
  cudaStream_t stream = nullptr;

  [[nodiscard]] Index points() const { return std::accumulate(n.begin(), n.end(), Index{1}, std::multiplies<>()); }
  [[nodiscard]] Index half_points() const { return points() / n.back() * (n.back() / 2 + 1); }
};

std::vector<StandInFft>& plans() {
  static std::vector<StandInFft> all;
  return all;
}

template <class Real>
using Numbers = std::vector<std::complex<Real>>;

// Along every axis of an array without gaps.
template <class Real>
void along_axes(const std::vector<Index>& n, bool backward, Numbers<Real>& array) {
  Index inner = static_cast<Index>(array.size());
  for (const Index length : n) {
    inner /= length;
    const emulated::Dft<Real> dft(length);
    Numbers<Real> x(static_cast<std::size_t>(length)), y(x.size());
    for (Index line = 0; line < static_cast<Index>(array.size()) / length; ++line) {
      auto* first = array.data() + line / inner * inner * length + line % inner;
      for (Index k = 0; k < length; ++k) {
        const auto value = first[k * inner];
        x[static_cast<std::size_t>(k)] = backward ? std::conj(value) : value;
      }
      dft.run(x.data(), y.data());
      for (Index k = 0; k < length; ++k) {
        const auto value = y[static_cast<std::size_t>(k)];
        first[k * inner] = backward ? std::conj(value) : value;
      }
    }
  }
}

/// The place of a point of the whole array; of its mirror image.
struct Places {
  Index whole, half;
  bool in_half;
};
Places place_of(const std::vector<Index>& n, Index at, bool mirrored) {
  const Index last = n.back(), half = last / 2 + 1;
  Index whole = 0, rest = at, scale = 1;
  for (std::size_t axis = n.size(); axis-- > 0; scale *= n[axis]) {
    const Index k = rest % n[axis];
    rest /= n[axis];
    whole += (mirrored ? (n[axis] - k) % n[axis] : k) * scale;
  }
  return {whole, whole / last * half + whole % last, whole % last < half};
}

template <class T>
class Run {
 public:
  using Real = std::conditional_t<std::is_same_v<T, float>, double, long double>;

  Run(const StandInFft& plan, void* in, void* out) : plan_(plan), in_(static_cast<T*>(in)), out_(static_cast<T*>(out)) {
    const Index all = plan.points(), half = plan.half_points();
    to_half_ = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
    from_half_ = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
    require(in_, from_half_ ? half : all, to_half_ ? 1 : 2, plan.in_stride, plan.in_distance, "input of a transform");
    require(out_, to_half_ ? half : all, from_half_ ? 1 : 2, plan.out_stride, plan.out_distance,
            "output of a transform");
  }
  void run(bool backward) {
    for (Index b = 0; b < plan_.batch; ++b) {
      Numbers<Real> array(static_cast<std::size_t>(plan_.points()));
      bool is_real = true;
      for (Index at = 0; at < plan_.points(); ++at) array[static_cast<std::size_t>(at)] = load(b, at, is_real);
      along_axes<Real>(plan_.n, backward || from_half_, array);
      for (Index at = 0; at < plan_.points(); ++at) store(b, at, array[static_cast<std::size_t>(at)], is_real);
    }
    if (from_half_)
      for (Index b = 0; b < plan_.batch; ++b)
        for (Index at = 0; at < plan_.half_points(); ++at)
          std::memset(in_ + 2 * (b * plan_.in_distance + at * plan_.in_stride), 0xff, 2 * sizeof(T));
  }

 private:
  void require(const T* memory, Index count, Index parts, Index stride, Index distance, const char* what) const {
    const Index elements = (count - 1) * stride + (plan_.batch - 1) * distance + 1;
    require_device_memory(memory, static_cast<std::size_t>(elements * parts) * sizeof(T), what);
  }
  [[nodiscard]] std::complex<Real> element(Index b, Index at) const {
    const T* from = in_ + 2 * (b * plan_.in_distance + at * plan_.in_stride);
    return {from[0], from[1]};
  }
  [[nodiscard]] std::complex<Real> load(Index b, Index at, bool& is_real) const {
    if (to_half_) return in_[b * plan_.in_distance + at * plan_.in_stride];
    if (!from_half_) return element(b, at);
    const Places here = place_of(plan_.n, at, false), there = place_of(plan_.n, at, true);
    if (here.in_half && there.in_half && element(b, here.half) != std::conj(element(b, there.half))) is_real = false;
    return here.in_half ? element(b, here.half) : std::conj(element(b, there.half));
  }
  void store(Index b, Index at, std::complex<Real> value, bool is_real) const {
    if (from_half_) {
      out_[b * plan_.out_distance + at * plan_.out_stride] =
          is_real ? static_cast<T>(value.real()) : std::numeric_limits<T>::quiet_NaN();
      return;
    }
    const Places place = place_of(plan_.n, at, false);
    if (to_half_ && !place.in_half) return;
    T* to = out_ + 2 * (b * plan_.out_distance + (to_half_ ? place.half : at) * plan_.out_stride);
    to[0] = static_cast<T>(value.real());
    to[1] = static_cast<T>(value.imag());
  }

  const StandInFft& plan_;
  T *in_, *out_;
  bool to_half_, from_half_;
};

template <class T>
cufftResult execute(cufftHandle handle, void* in, void* out, int direction, cufftType type) {
  const StandInFft& plan = plans().at(static_cast<std::size_t>(handle));
  if (plan.batch == 0 || plan.type != type) return CUFFT_INVALID_PLAN;
  if (plan.work_bytes > 0 && !plan.work) return CUFFT_EXEC_FAILED;
  const cudaError_t asked = testing::ask(plan.stream, [=] {
    const DeviceWork work;
    require_device_memory(plan.work, plan.work_bytes, "scratch of a transform");
    Run<T>(plan, in, out).run(direction == CUFFT_INVERSE);
    std::memset(plan.work, 0xff, plan.work_bytes);
  });
  return asked == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace

namespace cuda {

std::string why_no_fft() { return {}; }
std::string fft_version() { return "stand-in of cuFFT"; }
const FftCalls& fft_calls() {
#define SHARDFFT_TAKE(name) &SHARDFFT_GPUFFT_NAME(name),
  static constexpr FftCalls calls = {SHARDFFT_GPUFFT_CALLS(SHARDFFT_TAKE)};
#undef SHARDFFT_TAKE
  return calls;
}

}  // namespace cuda
}  // namespace shardfft

using shardfft::execute;
using shardfft::plans;

cufftResult cufftCreate(cufftHandle* plan) {
  shardfft::testing::current_device();
  *plan = static_cast<int>(plans().size());
  plans().emplace_back();
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) {
  shardfft::testing::current_device();
  plans().at(static_cast<std::size_t>(plan)) = {};
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  *version = 12000;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle, int automatic) {
  return automatic ? CUFFT_NOT_SUPPORTED : CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  plans().at(static_cast<std::size_t>(plan)).stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle plan, void* work) {
  plans().at(static_cast<std::size_t>(plan)).work = work;
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int axes, long long* n, long long* in_embed, long long in_stride,
                                long long in_distance, long long* out_embed, long long out_stride,
                                long long out_distance, cufftType type, long long batch, std::size_t* work_bytes) {
  auto& plan = plans().at(static_cast<std::size_t>(handle));
  plan = {.n = {n, n + axes},
          .in_stride = in_embed ? in_stride : 1,
          .in_distance = in_distance,
          .out_stride = out_embed ? out_stride : 1,
          .out_distance = out_distance,
          .batch = batch,
          .type = type};
  const bool to_half = type == CUFFT_R2C || type == CUFFT_D2Z, from_half = type == CUFFT_C2R || type == CUFFT_Z2D;
  if (!in_embed) plan.in_distance = from_half ? plan.half_points() : plan.points();
  if (!out_embed) plan.out_distance = to_half ? plan.half_points() : plan.points();
  if (axes > 1 && in_embed) return CUFFT_NOT_SUPPORTED;
  *work_bytes = plan.work_bytes = static_cast<std::size_t>(plan.points()) * 16;
  return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute<float>(plan, in, out, direction, CUFFT_C2C);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute<float>(plan, in, out, CUFFT_FORWARD, CUFFT_R2C);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute<float>(plan, in, out, CUFFT_INVERSE, CUFFT_C2R);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute<double>(plan, in, out, direction, CUFFT_Z2Z);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute<double>(plan, in, out, CUFFT_FORWARD, CUFFT_D2Z);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute<double>(plan, in, out, CUFFT_INVERSE, CUFFT_Z2D);
}
