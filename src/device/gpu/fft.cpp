#include "device/gpu/fft.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "device/gpu/check.hpp"
#include "device/gpu/fft_library.hpp"
#include "device/gpu/kernels/kernels.hpp"
#include "device/gpu/queue.hpp"
#include "shardfft/error.hpp"
#include "support/handle.hpp"

namespace shardfft::SHARDFFT_GPU {
namespace {

std::string_view text_of(gpufftResult result) {
  switch (result) {
    case GPUFFT_SUCCESS:
      return "success";
    case GPUFFT_INVALID_PLAN:
      return "invalid plan";
    case GPUFFT_ALLOC_FAILED:
      return "allocation failed";
    case GPUFFT_INVALID_TYPE:
      return "invalid type";
    case GPUFFT_INVALID_VALUE:
      return "invalid value";
    case GPUFFT_INTERNAL_ERROR:
      return "internal error";
    case GPUFFT_EXEC_FAILED:
      return "execution failed";
    case GPUFFT_SETUP_FAILED:
      return "setup failed";
    case GPUFFT_INVALID_SIZE:
      return "invalid size";
    case GPUFFT_NOT_SUPPORTED:
      return "not supported";
    default:
      return "an error without a name";
  }
}

Status status_of(gpufftResult result) {
  if (result == GPUFFT_ALLOC_FAILED) return Status::out_of_memory;
  return result == GPUFFT_NOT_SUPPORTED || result == GPUFFT_INVALID_SIZE ? Status::unsupported : Status::device_failed;
}

// `what`: "planning 512 x 512".
void check_fft(gpufftResult result, const std::string& what) {
  if (result == GPUFFT_SUCCESS) return;
  forget_error();
  throw Error(status_of(result), fmt::format("{}: {} failed: {} (number {})", fft_version(), what, text_of(result),
                                             static_cast<int>(result)));
}

template <auto exec, class In, class Out, auto... direction>
gpufftResult exec_as(gpufftHandle plan, std::byte* in, std::byte* out) {
  return (fft_calls().*exec)(plan, reinterpret_cast<In*>(in), reinterpret_cast<Out*>(out), direction...);
}

// One transform of the library: its type when planned, its call when run.
struct LibraryTransform {
  gpufftType type;
  gpufftResult (*run)(gpufftHandle, std::byte*, std::byte*);
};

// By scalar (f32, f64) and DeviceTransform.
constexpr std::array<std::array<LibraryTransform, 4>, 2> kinds = {{
    {{{GPUFFT_C2C, exec_as<&FftCalls::ExecC2C, gpufftComplex32, gpufftComplex32, fft_forward>},
      {GPUFFT_C2C, exec_as<&FftCalls::ExecC2C, gpufftComplex32, gpufftComplex32, fft_backward>},
      {GPUFFT_R2C, exec_as<&FftCalls::ExecR2C, float, gpufftComplex32>},
      {GPUFFT_C2R, exec_as<&FftCalls::ExecC2R, gpufftComplex32, float>}}},
    {{{GPUFFT_Z2Z, exec_as<&FftCalls::ExecZ2Z, gpufftComplex64, gpufftComplex64, fft_forward>},
      {GPUFFT_Z2Z, exec_as<&FftCalls::ExecZ2Z, gpufftComplex64, gpufftComplex64, fft_backward>},
      {GPUFFT_D2Z, exec_as<&FftCalls::ExecD2Z, double, gpufftComplex64>},
      {GPUFFT_Z2D, exec_as<&FftCalls::ExecZ2D, gpufftComplex64, double>}}},
}};

void destroy(gpufftHandle plan) { static_cast<void>(fft_calls().Destroy(plan)); }

// Not Handle's usual null: plans of cuFFT are numbers that begin with 0.
#if SHARDFFT_GPU_IS_HIP
using PlanHandle = Handle<gpufftHandle, destroy>;
#else
using PlanHandle = Handle<gpufftHandle, destroy, -1>;
#endif

constexpr std::string_view words[] = {"forward", "backward", "r2c", "c2r"};

void check_spec(const FftSpec& spec) {
  if (spec.n.empty() || spec.n.size() > 3)
    throw Error(Status::unsupported, fmt::format("transforms of a device have 1 to 3 axes; got {}", spec.n.size()));
  for (const Index n : spec.n)
    if (n < 1 || spec.batch < 1)
      throw Error(Status::invalid_argument,
                  fmt::format("transforms of a device have at least one element and array; got {}, batch {}",
                              fmt::join(spec.n, " x "), spec.batch));
  if (std::min(spec.in_stride, spec.out_stride) < 1 || std::min(spec.in_distance, spec.out_distance) < 0)
    throw Error(Status::invalid_argument,
                "strides of a device's transforms are at least 1 and distances at least 0; got one that is less");
}

class GpuFft final : public Fft {
 public:
  /// On the current device, which is `device`.
  GpuFft(int device, const FftSpec& spec);
  GpuFft(const GpuFft&) = delete;
  GpuFft& operator=(const GpuFft&) = delete;
  ~GpuFft() override {
    release_on(device_, [&] { plan_.reset(); });
  }
  [[nodiscard]] std::size_t work_bytes() const override { return work_bytes_; }
  void run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const override;
  [[nodiscard]] std::string describe() const override { return fmt::format("{}: {}", fft_version(), what_); }

 private:
  int device_;
  FftSpec spec_;
  LibraryTransform kind_;
  std::string what_;
  PlanHandle plan_{};
  std::size_t work_bytes_ = 0;
};

// Elements from one array to the next, at either end: what was said, or no gaps.
Index distance(const FftSpec& spec, Index said, bool halved) {
  if (said != 0) return said;
  return halved ? spec.n.back() / 2 + 1 : spec.n.back();
}

GpuFft::GpuFft(int device, const FftSpec& spec)
    : device_(device),
      spec_(spec),
      kind_(kinds[spec.scalar == Scalar::f64][static_cast<std::size_t>(spec.transform)]),
      what_(fmt::format("{} of {}, batch {}", words[static_cast<int>(spec.transform)], fmt::join(spec.n, " x "),
                        spec.batch)) {
  gpufftHandle made{};
  check_fft(fft_calls().Create(&made), "making a plan");
  plan_ = PlanHandle(made);
  check_fft(fft_calls().SetAutoAllocation(made, 0), "leaving memory to us");
  std::vector<long long> n(spec.n.begin(), spec.n.end());
  const int axes = static_cast<int>(n.size());
  if (axes > 1) {  // without gaps: the library's plain layout
    check_fft(fft_calls().MakePlanMany64(made, axes, n.data(), nullptr, 1, 0, nullptr, 1, 0, kind_.type, spec.batch,
                                         &work_bytes_),
              "planning " + what_);
    return;
  }
  const Index in_distance = distance(spec, spec.in_distance, spec.transform == DeviceTransform::c2r);
  const Index out_distance = distance(spec, spec.out_distance, spec.transform == DeviceTransform::r2c);
  long long embed = n[0];  // asks for the advanced layout; its value counts for further axes only
  check_fft(fft_calls().MakePlanMany64(made, 1, n.data(), &embed, spec.in_stride, in_distance, &embed, spec.out_stride,
                                       out_distance, kind_.type, spec.batch, &work_bytes_),
            "planning " + what_);
}

void GpuFft::run(Queue& queue, std::byte* in, std::byte* out, std::byte* work) const {
  const auto& ours = of_this_driver<GpuQueue>(queue);
  const OnDevice on(ours.device());
  if (spec_.transform == DeviceTransform::c2r)
    check(launch_half_spectra(spec_, in, ours.device(), ours.stream()), "launch before a transform to reals");
  check_fft(fft_calls().SetStream(plan_.get(), ours.stream()), "choosing the queue");
  if (work_bytes_ > 0) check_fft(fft_calls().SetWorkArea(plan_.get(), work), "giving memory");
  check_fft(kind_.run(plan_.get(), in, out), "running " + what_);
}

}  // namespace

std::unique_ptr<Fft> make_gpu_fft(int device, const FftSpec& spec) {
  check_spec(spec);
  return std::make_unique<GpuFft>(device, spec);
}

}  // namespace shardfft::SHARDFFT_GPU
