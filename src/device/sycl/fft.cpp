#include "device/sycl/fft.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mkl_version.h>
#include <oneapi/mkl/dft.hpp>

#include "device/kernels/half_spectra.hpp"
#include "device/sycl/errors.hpp"
#include "device/sycl/queue.hpp"

namespace shardfft::on_sycl {
namespace {

namespace dft = oneapi::mkl::dft;
using Events = std::vector<sycl::event>;

void check_spec(const FftSpec& spec) {
  const auto fails = [](const std::string& got) {
    throw Error(Status::unsupported,
                "transforms of a device have 1 to 3 axes, lengths, batch and strides of at least 1, and distances of "
                "at least 0; got " +
                    got);
  };
  if (spec.n.empty() || spec.n.size() > 3) fails(fmt::format("{} axes", spec.n.size()));
  if (std::ranges::min(spec.n) < 1 || spec.batch < 1)
    fails(fmt::format("lengths {}, batch {}", fmt::join(spec.n, " x "), spec.batch));
  if (std::min(spec.in_stride, spec.out_stride) < 1 || std::min(spec.in_distance, spec.out_distance) < 0)
    fails(fmt::format("strides {} and {}, distances {} and {}", spec.in_stride, spec.out_stride, spec.in_distance,
                      spec.out_distance));
}

bool backward(const FftSpec& spec) {
  return spec.transform == DeviceTransform::backward || spec.transform == DeviceTransform::c2r;
}
bool real(const FftSpec& spec) {
  return spec.transform == DeviceTransform::r2c || spec.transform == DeviceTransform::c2r;
}

/// One end of a transform as oneMKL is told: an offset, then a stride for each axis; elements from array to array.
struct LibraryEnd {
  std::vector<std::int64_t> strides{0};
  std::int64_t distance = 1;
};
LibraryEnd end_of(const FftSpec& spec, bool in) {
  const bool half = real(spec) && in == backward(spec);
  std::vector<Index> extents = spec.n;
  if (half) extents.back() = extents.back() / 2 + 1;
  LibraryEnd end{.strides = std::vector<std::int64_t>(extents.size() + 1)};
  for (std::size_t axis = extents.size(); axis > 0; --axis) {
    end.strides[axis] = end.distance;
    end.distance *= extents[axis - 1];
  }
  if (extents.size() > 1) return end;
  end.strides[1] = in ? spec.in_stride : spec.out_stride;
  if (const Index said = in ? spec.in_distance : spec.out_distance; said != 0) end.distance = said;
  return end;
}

/// A transform of the library, ready to run.
struct Committed {
  virtual ~Committed() = default;
  /// Runs after `before`; the event is done when the result is there.
  virtual sycl::event run(std::byte* in, std::byte* out, const Events& before) = 0;
};

template <dft::precision precision, dft::domain domain>
class Descriptor final : public Committed {
 public:
  Descriptor(sycl::queue works, const FftSpec& spec, bool in_place)
      : backward_(backward(spec)),
        in_place_(in_place),
        descriptor_(std::vector<std::int64_t>(spec.n.begin(), spec.n.end())) {
    const LibraryEnd in = end_of(spec, true), out = end_of(spec, false);
    const auto& [ahead, back] = backward_ ? std::tie(out, in) : std::tie(in, out);
    using Param = dft::config_param;
    descriptor_.set_value(Param::FWD_STRIDES, ahead.strides);
    descriptor_.set_value(Param::BWD_STRIDES, back.strides);
    descriptor_.set_value(Param::FWD_DISTANCE, ahead.distance);
    descriptor_.set_value(Param::BWD_DISTANCE, back.distance);
    descriptor_.set_value(Param::NUMBER_OF_TRANSFORMS, static_cast<std::int64_t>(spec.batch));
    descriptor_.set_value(Param::PLACEMENT, in_place ? dft::config_value::INPLACE : dft::config_value::NOT_INPLACE);
    descriptor_.commit(works);
  }

  sycl::event run(std::byte* in, std::byte* out, const Events& before) override {
    if (in_place_) return in_place(reinterpret_cast<Complex*>(out), before);
    if (backward_)
      return dft::compute_backward(descriptor_, reinterpret_cast<Complex*>(in), reinterpret_cast<Ahead*>(out), before);
    return dft::compute_forward(descriptor_, reinterpret_cast<Ahead*>(in), reinterpret_cast<Complex*>(out), before);
  }

 private:
  using Real = std::conditional_t<precision == dft::precision::SINGLE, float, double>;
  using Complex = std::complex<Real>;
  using Ahead = std::conditional_t<domain == dft::domain::REAL, Real, Complex>;  ///< what forward transforms read

  sycl::event in_place(Complex* data, const Events& before) {
    return backward_ ? dft::compute_backward(descriptor_, data, before)
                     : dft::compute_forward(descriptor_, data, before);
  }

  bool backward_, in_place_;
  dft::descriptor<precision, domain> descriptor_;
};

template <dft::precision precision>
std::unique_ptr<Committed> commit_as(const sycl::queue& works, const FftSpec& spec, bool in_place) {
  if (real(spec)) return std::make_unique<Descriptor<precision, dft::domain::REAL>>(works, spec, in_place);
  return std::make_unique<Descriptor<precision, dft::domain::COMPLEX>>(works, spec, in_place);
}
std::unique_ptr<Committed> commit(const sycl::queue& works, const FftSpec& spec, bool in_place) {
  return spec.scalar == Scalar::f32 ? commit_as<dft::precision::SINGLE>(works, spec, in_place)
                                    : commit_as<dft::precision::DOUBLE>(works, spec, in_place);
}

constexpr std::string_view words[] = {"forward", "backward", "r2c", "c2r"};

class SyclFft final : public Fft {
 public:
  SyclFft(SyclDevice& device, const sycl::queue& works, const FftSpec& spec)
      : device_(device), spec_(spec), host_waits_(device.get().is_cpu()), apart_(commit(works, spec, false)) {
    const LibraryEnd in = end_of(spec, true), out = end_of(spec, false);
    if (!real(spec) && in.strides == out.strides && in.distance == out.distance) in_place_ = commit(works, spec, true);
  }

  [[nodiscard]] std::size_t work_bytes() const override { return 0; }  // the library has its own

  void run(Queue& queue, std::byte* in, std::byte* out, std::byte*) const override {
    sycl::queue& ours = of_this_driver<SyclQueue>(queue).get();
    checked("transform", [&] {
      if (spec_.transform == DeviceTransform::c2r)
        with_half_spectra(spec_, in, [&](const auto& kernel) {
          device_.kernels().launch(ours, kernel, "device/kernels/half_spectra.hpp");
        });
      Committed& transform = in == out && in_place_ ? *in_place_ : *apart_;
      if (host_waits_) {
        ours.wait_and_throw();
        transform.run(in, out, {}).wait_and_throw();
        return;
      }
      const sycl::event done = transform.run(in, out, {ours.ext_oneapi_submit_barrier()});
      ours.ext_oneapi_submit_barrier({done});
    });
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format("{}: {} of {}, batch {}", fft_version(), words[static_cast<int>(spec_.transform)],
                       fmt::join(spec_.n, " x "), spec_.batch);
  }

 private:
  SyclDevice& device_;
  FftSpec spec_;
  /// On CPUs oneMKL works in host tasks, and version 9.0 of the runtime deadlocks when threads enqueue what waits for
  /// these.
  bool host_waits_;
  std::unique_ptr<Committed> apart_, in_place_{};
};

}  // namespace

std::unique_ptr<Fft> make_sycl_fft(SyclDevice& device, const sycl::queue& works, const FftSpec& spec) {
  check_spec(spec);
  return checked("planning a transform", [&] { return std::make_unique<SyclFft>(device, works, spec); });
}

std::string fft_version() { return fmt::format("oneMKL {}.{}", __INTEL_MKL__, __INTEL_MKL_MINOR__); }

}  // namespace shardfft::on_sycl
